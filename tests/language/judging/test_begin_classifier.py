"""The classifier of replies on tiny random models: probabilities, windows, refusals."""

import pytest

from qsquared.errors import ModelError
from qsquared.language.judging.begin_classifier import ReplyClassifier, before_response
from qsquared.method.begin import LABELS, by_label
from qsquared.profiles.model_parameters import ClassificationParameters
from qsquared.records import ReplyRequest
from tests.language.tiny_models import bert_nli

PARAMETERS = ClassificationParameters(max_tokens=48)
REQUESTS = [
    ReplyRequest("the river is long.", "where is the river?", "it is old"),
    ReplyRequest("the river is long.", None, "it is old"),
    ReplyRequest("mary wrote a book.", "who wrote it?", "john sang a song"),
]
LONG = " ".join(f"the river of {city} is long and old." for city in ("rome", "paris", "italy")) * 3


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A tiny BERT with five classes, named with underscores and in another order."""
    names = tuple(label.replace("-", "_") for label in reversed(LABELS))
    return bert_nli(tmp_path_factory.mktemp("bert"), names)


@pytest.fixture
def classifier(bert):
    """The classifier, with a batch size to choose."""
    return lambda batch=8: ReplyClassifier(str(bert), parameters=PARAMETERS, batch_size=batch)


def test_probabilities_sum_to_one_whatever_the_batch(classifier):
    """And equal requests have equal ones."""
    whole = classifier().classify([*REQUESTS, REQUESTS[0]])
    single = classifier(1).classify(REQUESTS)
    assert whole[0] == whole[3]
    for one, other in zip(whole, single, strict=False):
        assert sum(by_label(one).values()) == pytest.approx(1)
        assert by_label(one) == pytest.approx(by_label(other), abs=1e-5)


def test_the_turn_before_is_read(classifier):
    """The same reply with and without it has other probabilities."""
    after, alone = classifier().classify(REQUESTS[:2])
    assert after != alone


@pytest.mark.slow
def test_long_texts_are_read_to_their_end(classifier):
    """A change in the last sentence of knowledge, turn before or response changes the result."""
    model = classifier()
    changed = LONG + " mary won a race in 1990."
    base = ReplyRequest(LONG, LONG, LONG)
    found = model.classify(
        [
            base,
            ReplyRequest(LONG, changed, LONG),
            ReplyRequest(LONG, LONG, changed),
        ]
    )
    assert all(sum(by_label(one).values()) == pytest.approx(1) for one in found)
    assert len(set(found)) == 3


def test_blank_texts_are_read_as_nothing(classifier):
    """White space that fills a window is no error."""
    (found,) = classifier().classify([ReplyRequest(" " * 500, " ", "\n" * 300)])
    assert sum(by_label(found).values()) == pytest.approx(1)


def test_outputs_are_reported_by_their_names(bert):
    """Underscores are hyphens, and the order is the checkpoint's."""
    named = ReplyClassifier(str(bert), parameters=PARAMETERS)
    told = ReplyClassifier(
        str(bert),
        parameters=ClassificationParameters(max_tokens=48, labels=tuple(reversed(LABELS))),
    )
    assert named.classify(REQUESTS) == told.classify(REQUESTS)
    assert named.identity != told.identity


def test_a_checkpoint_without_the_five_classes_is_refused(tmp_path):
    """The sentence names what it has."""
    three = ReplyClassifier(str(bert_nli(tmp_path)), parameters=PARAMETERS)
    with pytest.raises(ModelError, match="names its 3 outputs entailment, neutral, contradiction"):
        three.load()


def test_what_the_models_read_is_one_text_before_the_response():
    """Without a turn before there is no separator and no empty field."""
    assert before_response("k", "p", "[SEP]") == "k [SEP] p"
    assert before_response("k", None, "[SEP]") == "k"
