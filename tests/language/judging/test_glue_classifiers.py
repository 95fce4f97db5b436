"""Classifiers tuned on tasks of GLUE."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import BertForSequenceClassification

from qsquared.errors import ModelError
from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.judging.glue_classifiers import TaskRatings
from qsquared.profiles.model_parameters import IndicatorReading, WindowParameters
from qsquared.profiles.profile import IndicatorModel
from qsquared.records import RatingRequest
from tests.language.tiny_models import bert_nli, save_bert

ALL = ("cola:no", "cola:yes", "stsb:number", "rte:entailment", "rte:not_entailment")
WINDOW = WindowParameters(max_tokens=64)
REQUESTS = [
    RatingRequest("cola", "Mary wrote a book."),
    RatingRequest("stsb", "Mary wrote a book.", "John sang the song."),
    RatingRequest("rte", "Mary wrote a book.", "John sang the song."),
    RatingRequest("rte", "", "The river is long. " * 3),
]


def _model(folder: Path, label: str, *labels: str, **reading: float) -> IndicatorModel:
    read = IndicatorReading(label=label, labels=labels or None, **reading)
    return IndicatorModel(checkpoint=str(folder), reading=read, window=WINDOW)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One encoder with the outputs of three tasks side by side."""
    return bert_nli(tmp_path_factory.mktemp("glue") / "model", ALL)


@pytest.fixture
def ratings(folder: Path) -> TaskRatings:
    """The three tasks of that encoder."""
    return TaskRatings(
        {
            "cola": _model(folder, "cola:yes", "cola:no", "cola:yes"),
            "stsb": _model(folder, "stsb:number", number=True),
            "rte": _model(folder, "rte:entailment", "rte:entailment", "rte:not_entailment"),
        }
    )


def test_each_task_reads_its_own_outputs(ratings: TaskRatings, folder: Path) -> None:
    """A probability among the task's labels, or the number as it is."""
    found = ratings.rate(REQUESTS)
    raw = BertForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = load_tokenizer(folder)
    with torch.inference_mode():
        alone = raw(**tokenizer("Mary wrote a book.", return_tensors="pt")).logits[0]
        both = raw(
            **tokenizer("John sang the song.", "Mary wrote a book.", return_tensors="pt")
        ).logits[0]
    assert found[0].value == pytest.approx(alone[:2].softmax(0)[1].item(), abs=1e-5)
    assert found[1].value == pytest.approx(both[2].item(), abs=1e-4)
    assert found[2].value == pytest.approx(both[3:].softmax(0)[0].item(), abs=1e-5)


def test_a_threshold_becomes_even(folder: Path) -> None:
    """A model whose probability is its threshold rates 0.5, and the order of ratings stays."""
    labels = ("rte:entailment", "rte:not_entailment")
    plain = TaskRatings({"rte": _model(folder, labels[0], *labels)})
    before = [rating.value for rating in plain.rate(REQUESTS[2:])]
    shifted = TaskRatings({"rte": _model(folder, labels[0], *labels, threshold=before[0])})
    after = [rating.value for rating in shifted.rate(REQUESTS[2:])]
    assert after[0] == pytest.approx(0.5)
    assert (after[1] > after[0]) == (before[1] > before[0])
    assert "threshold" in shifted.identity
    assert "threshold" not in plain.identity


def test_tasks_of_one_checkpoint_share_its_passes(
    ratings: TaskRatings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair of texts goes through the encoder once for all tasks that ask about it."""
    (classifier,) = {classifier for _, classifier in ratings._raters.values()}
    rows = []
    encoder = classifier.load().run
    start = encoder.start
    monkeypatch.setattr(
        encoder, "start", lambda part: rows.extend(part["input_ids"]) or start(part)
    )
    ratings.rate(REQUESTS)
    assert len(rows) == 3


def test_batch_size_changes_no_rating(folder: Path) -> None:
    """Batches of one and of many give the same, within rounding."""
    model = {"stsb": _model(folder, "stsb:number", number=True)}
    texts = [RatingRequest("stsb", "the cat " * n, "the dog sat") for n in range(1, 9)]
    one = [r.value for r in TaskRatings(model, batch_size=1).rate(texts)]
    many = [r.value for r in TaskRatings(model, batch_size=8).rate(texts)]
    assert one == pytest.approx(many, abs=1e-4)


def test_a_long_text_is_cut_and_said(ratings: TaskRatings) -> None:
    """The longer text is cut to the window, and only then."""
    short, long = ratings.rate(
        [
            RatingRequest("rte", "the cat", "the dog"),
            RatingRequest("rte", "the cat", "the dog sat on the mat " * 30),
        ]
    )
    assert (short.cut, long.cut) == (False, True)


def test_the_order_of_the_texts_is_the_profiles(folder: Path) -> None:
    """The response comes second, unless the profile says otherwise."""
    ask = [RatingRequest("stsb", "the cat sang", "who wrote it")]
    turned = [RatingRequest("stsb", "who wrote it", "the cat sang")]
    plain = TaskRatings({"stsb": _model(folder, "stsb:number", number=True)})
    first = TaskRatings({"stsb": _model(folder, "stsb:number", number=True, response_first=True)})
    assert first.rate(ask) == plain.rate(turned)
    assert first.rate(ask) != plain.rate(ask)
    assert first.identity != plain.identity


def test_a_task_without_a_model_is_an_error(ratings: TaskRatings) -> None:
    """It is never rated by another task's model."""
    assert ratings.tasks == ("cola", "stsb", "rte")
    with pytest.raises(ModelError, match="no model for the task qqp"):
        ratings.rate([RatingRequest("qqp", "a", "b")])


def test_a_label_that_the_checkpoint_lacks_is_a_sentence(folder: Path) -> None:
    """It is found when the models are loaded, before any turn pays."""
    wrong = TaskRatings({"cola": _model(folder, "LABEL_1")})
    with pytest.raises(ModelError, match="none of them 'LABEL_1'"):
        wrong.load()


def test_the_identity_names_each_tasks_model(folder: Path, tmp_path: Path) -> None:
    """Another checkpoint for one task is another identity; loading changes nothing of it."""
    other = save_bert(BertForSequenceClassification, tmp_path / "other", num_labels=2)
    both = {
        "cola": _model(folder, "cola:yes", "cola:no", "cola:yes"),
        "rte": _model(other, "LABEL_0"),
    }
    ratings = TaskRatings(both)
    before = ratings.identity
    ratings.load()
    assert ratings.identity == before
    one = TaskRatings(both | {"rte": _model(folder, "rte:entailment")})
    assert one.identity != before
    assert len(ratings.rate([RatingRequest("rte", "a", "b"), RatingRequest("cola", "a")])) == 2
