"""The NLI classifier."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from qsquared.errors import ModelError
from qsquared.language.judging.nli import NliJudge, _conjoin, _disjoin
from qsquared.profiles.model_parameters import EntailmentParameters
from qsquared.records import InferenceRequest, Judgement
from tests.language.tiny_models import LABELS, bert_nli, deberta_nli, roberta_nli

SHORT = EntailmentParameters(max_tokens=64)
REQUESTS = [
    InferenceRequest("Mary wrote a book.", "John wrote it."),
    InferenceRequest("", "Rome is old."),
    InferenceRequest("The river is long and blue. It is in Italy.", "The river is long."),
    InferenceRequest("The cat sat on the mat. " * 9, "The dog sat on the mat."),
    InferenceRequest("Who?", ""),
]


@pytest.fixture(
    scope="module", params=[bert_nli, roberta_nli, deberta_nli], ids=["bert", "roberta", "deberta"]
)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model."""
    made: Path = request.param(tmp_path_factory.mktemp("nli") / "model")
    return made


def _values(judgement: Judgement) -> list[float]:
    return [judgement.entailment, judgement.neutral, judgement.contradiction]


def test_batch_size_changes_no_judgement(folder: Path) -> None:
    """Batches of one and of many give the same labels and, within rounding, probabilities."""
    single = NliJudge(str(folder), parameters=SHORT, batch_size=1).judge(REQUESTS)
    many = NliJudge(str(folder), parameters=SHORT, batch_size=8).judge(REQUESTS)
    for one, other in zip(single, many, strict=True):
        assert one.label == other.label
        assert _values(one) == pytest.approx(_values(other), abs=1e-5)


def test_probabilities_sum_to_one(folder: Path) -> None:
    """The three probabilities of every judgement, windows or none, sum to one."""
    for judgement in NliJudge(str(folder), parameters=SHORT).judge(REQUESTS):
        assert sum(_values(judgement)) == pytest.approx(1.0, abs=1e-9)
        assert min(_values(judgement)) >= 0.0


def test_the_order_of_labels_is_the_checkpoints(tmp_path: Path) -> None:
    """The same outputs under other names give the same probabilities to those names."""
    plain = bert_nli(tmp_path / "plain")
    permuted = bert_nli(tmp_path / "permuted", ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"))
    (a,) = NliJudge(str(plain), parameters=SHORT).judge(REQUESTS[:1])
    (b,) = NliJudge(str(permuted), parameters=SHORT).judge(REQUESTS[:1])
    assert (b.contradiction, b.entailment, b.neutral) == (a.entailment, a.neutral, a.contradiction)


def test_labels_without_names_are_refused(tmp_path: Path) -> None:
    """A checkpoint that calls its labels LABEL_0 … cannot judge until the profile names them."""
    folder = bert_nli(tmp_path / "model", ("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(ModelError, match="names its 3 labels LABEL_0") as error:
        NliJudge(str(folder), parameters=SHORT).judge(REQUESTS[:1])
    assert "labels =" in error.value.hint


def test_the_profile_can_name_the_labels(tmp_path: Path) -> None:
    """The profile's labels are used where the checkpoint names none."""
    nameless = bert_nli(tmp_path / "nameless", ("LABEL_0", "LABEL_1", "LABEL_2"))
    named = bert_nli(tmp_path / "named")
    stated = EntailmentParameters(max_tokens=64, labels=LABELS)
    assert NliJudge(str(nameless), parameters=stated).judge(REQUESTS) == NliJudge(
        str(named), parameters=SHORT
    ).judge(REQUESTS)


def test_a_two_way_classifier_is_refused(tmp_path: Path) -> None:
    """A model without a neutral label is not three-way NLI."""
    folder = bert_nli(tmp_path / "model", ("entailment", "contradiction"))
    with pytest.raises(ModelError, match="names its 2 labels"):
        NliJudge(str(folder), parameters=SHORT).judge(REQUESTS[:1])


def test_a_long_premise_is_read_to_its_end(folder: Path) -> None:
    """The last sentence of a premise above the window still changes the judgement."""
    judge = NliJudge(str(folder), parameters=SHORT)
    start = "The cat sat on the mat. " * 12
    request = InferenceRequest(start + "Mary won the race.", "Mary won.")
    pairs = [pair for part in judge._pieces(request) for pair in part]
    tokenizer = judge.load().tokenizer
    assert len(pairs) > 1
    assert all(len(tokenizer(*pair)["input_ids"]) <= 64 for pair in pairs)
    read = "".join("".join(run.split()) for run, _ in pairs)
    assert read == "".join(request.premise.split())


def test_a_long_hypothesis_is_judged_in_pieces(folder: Path) -> None:
    """Every word of a hypothesis above half the window is judged, and nothing is truncated."""
    judge = NliJudge(str(folder), parameters=SHORT)
    hypothesis = "Mary sang a new song in the old city. " * 9
    parts = judge._pieces(InferenceRequest("The cat sat on the mat. " * 9, hypothesis))
    tokenizer = judge.load().tokenizer
    assert len(parts) > 1
    assert all(len(tokenizer(*pair)["input_ids"]) <= 64 for part in parts for pair in part)
    judged = "".join("".join(part[0][1].split()) for part in parts)
    assert judged == "".join(hypothesis.split())


def test_one_entailing_run_of_the_premise_is_enough() -> None:
    """A premise entails as much as its most entailing run, and the three still sum to one."""
    combined = _disjoin([Judgement(0.1, 0.8, 0.1), Judgement(0.9, 0.05, 0.05)])
    assert combined.entailment == 0.9
    assert sum(_values(combined)) == pytest.approx(1.0)
    assert _disjoin([Judgement(0.1, 0.8, 0.1), Judgement(0.0, 0.1, 0.9)]).label == "contradiction"


def test_all_pieces_of_a_hypothesis_must_be_entailed() -> None:
    """A hypothesis is entailed as little as its least entailed piece."""
    combined = _conjoin([Judgement(0.9, 0.1, 0.0), Judgement(0.2, 0.7, 0.1)])
    assert _values(combined) == pytest.approx([0.2, 0.7, 0.1])


def test_weights_that_are_not_numbers_are_an_error(tmp_path: Path) -> None:
    """A NaN never comes out as a probability; the error names the model."""
    folder = bert_nli(tmp_path / "broken")
    state = load_file(folder / "model.safetensors")
    state["classifier.bias"] = torch.full_like(state["classifier.bias"], float("nan"))
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"broken.*not a finite number"):
        NliJudge(str(folder), parameters=SHORT).judge(REQUESTS[:1])


def test_no_requests_load_no_model() -> None:
    """An empty list is answered without a checkpoint."""
    assert NliJudge("/nowhere").judge([]) == []
