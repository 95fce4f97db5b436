"""Tests of lower precision: the exchanged layers, their error, near ties, and batches."""

from __future__ import annotations

import itertools
from statistics import median
from typing import Any

import pytest
import torch
from torch import nn

from qsquared.errors import ModelError
from qsquared.language.engines.linear_layers import Bf16Linear
from qsquared.language.extractive_qa import ExtractiveAnswers, _Best
from qsquared.language.judging.nli import NliJudge
from qsquared.language.neural import near_ties
from qsquared.language.t5_questions import T5Questions
from qsquared.profiles.model_parameters import (
    BeamParameters,
    EntailmentParameters,
    ReadingParameters,
)
from qsquared.records import InferenceRequest, QuestionRequest, ReadingRequest, Span
from tests.language.tiny_models import albert_qa, bert_nli, t5_qg

READING = ReadingParameters(max_tokens=64, stride=16)
TEXTS = [
    "John wrote the long book in Paris in 1990.",
    "Mary sang.",
    "The capital of Italy is Rome, and the capital of France is Paris. " * 6,
]
QUESTIONS = ["Who wrote the book?", "What is the capital of Italy?"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Tiny checkpoints of the three architectures of the paper."""
    root = tmp_path_factory.mktemp("precision")
    made = {"qa": albert_qa, "nli": bert_nli, "qg": t5_qg}
    return {name: str(make(root / name)) for name, make in made.items()}


def test_bfloat16_is_near() -> None:
    """On normal tokens and weights the root of the mean square error is a small part of the output's."""
    torch.manual_seed(0)
    linear, tokens = nn.Linear(96, 64, bias=False), torch.randn(50, 96)
    expected = linear(tokens)
    error = Bf16Linear(linear)(tokens) - expected
    assert 0 < error.norm() < 0.01 * expected.norm()


def test_all_linear_layers_but_the_heads_are_exchanged(folders: dict[str, str]) -> None:
    """The heads, which make the logits, stay in float32."""
    reader = ExtractiveAnswers(folders["qa"], parameters=READING, precision="bf16", engine="torch")
    modules = dict(reader.load().model.named_modules())
    left = [name for name, module in modules.items() if isinstance(module, nn.Linear)]
    assert left == ["qa_outputs"]
    assert sum(isinstance(module, Bf16Linear) for module in modules.values()) == 7


@pytest.mark.parametrize(
    ("kind", "engine"), [("bf16", "torch"), ("bf16", "openvino"), ("int8", "openvino")]
)
def test_a_reader_of_lower_precision_does_not_see_its_neighbours(
    folders: dict[str, str], kind: Any, engine: Any
) -> None:
    """Batches of one and of many give the same answers, and scores that differ by rounding."""
    requests = [ReadingRequest(question, text) for question in QUESTIONS for text in TEXTS]
    alone, among = (
        ExtractiveAnswers(
            folders["qa"], parameters=READING, batch_size=size, precision=kind, engine=engine
        )
        for size in (1, 8)
    )
    for one, many in zip(alone.answer(requests), among.answer(requests), strict=True):
        assert (one.text, one.start, one.windows) == (many.text, many.start, many.windows)
        assert one.score == pytest.approx(many.score, abs=0.02)


@pytest.mark.parametrize(("kind", "engine"), [("bf16", "torch"), ("int8", "openvino")])
def test_a_judge_works_in_lower_precision(folders: dict[str, str], kind: Any, engine: Any) -> None:
    """Probabilities are near those of float32, and not equal."""
    requests = [InferenceRequest(text, "John wrote the book.") for text in TEXTS]
    settings = EntailmentParameters(max_tokens=64)
    full = NliJudge(folders["nli"], parameters=settings).judge(requests)
    lower = NliJudge(folders["nli"], parameters=settings, precision=kind, engine=engine).judge(
        requests
    )
    assert lower != full
    for one, other in zip(full, lower, strict=True):
        assert one.entailment == pytest.approx(other.entailment, abs=0.1)


def test_a_generator_works_in_bfloat16(folders: dict[str, str]) -> None:
    """Beams give distinct questions."""
    beams = BeamParameters(max_question_tokens=8, max_tokens=64)
    span = Span(0, 4, "John", "entity", "PERSON")
    (found,) = T5Questions(folders["qg"], parameters=beams, precision="bf16").generate(
        [QuestionRequest(TEXTS[0], span)]
    )
    assert len({question.question for question in found}) == len(found) > 0


def test_a_precision_is_part_of_the_identity(folders: dict[str, str]) -> None:
    """Each precision has scores of its own, so each has content keys of its own."""
    names = [
        ExtractiveAnswers(folders["qa"], precision=kind).identity
        for kind in ("fp32", "bf16", "int8")
    ]
    assert len(set(names)) == 3
    assert names[0].endswith(" fp32")


def test_float32_is_one_arithmetic_on_every_engine(folders: dict[str, str]) -> None:
    """Scores of one may be reused on the other; in a lower precision each has its own."""
    of = {
        (engine, kind): ExtractiveAnswers(folders["qa"], precision=kind, engine=engine).identity
        for engine in ("torch", "openvino")
        for kind in ("fp32", "bf16")
    }
    assert of["torch", "fp32"] == of["openvino", "fp32"]
    assert of["torch", "bf16"] != of["openvino", "bf16"]


def test_int8_is_refused_where_openvino_does_not_run(folders: dict[str, str]) -> None:
    """It is an error before anything is scored, and names the ways out."""
    with pytest.raises(ModelError, match="only the engine openvino has") as refused:
        _ = ExtractiveAnswers(folders["qa"], precision="int8", engine="torch").identity
    assert "bf16 or fp32" in refused.value.hint
    beams = BeamParameters(max_question_tokens=8, max_tokens=64)
    with pytest.raises(ModelError, match="only the engine openvino has"):
        _ = T5Questions(folders["qg"], parameters=beams, precision="int8").identity


def test_near_ties_are_read_as_in_float32(
    folders: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most answers that rounding changes are near ties, and only near ties are read again."""
    requests = [
        ReadingRequest(question, " ".join(words))
        for question in QUESTIONS
        for words in itertools.permutations(TEXTS[0].split(), 4)
    ][::40]
    full = ExtractiveAnswers(folders["qa"], parameters=READING).answer(requests)
    reader = ExtractiveAnswers(folders["qa"], parameters=READING, precision="bf16", engine="torch")
    read, windows = reader._read, []
    monkeypatch.setattr(
        reader, "_read", lambda ws, model: windows.append(len(ws)) or read(ws, model)
    )
    changed = []
    for near in (0.0, 0.1, 100.0):
        monkeypatch.setattr(near_ties, "READINGS", {"bf16": near})
        found = reader.answer(requests)
        changed.append(sum(one.text != other.text for one, other in zip(found, full, strict=True)))
    first, none, again, close, whole, every = windows
    assert (first, none, again, whole, every) == (152, 0, 152, 152, 152)
    assert close < 100
    assert changed[0] > 2 * changed[1] >= changed[2] == 0


@pytest.mark.parametrize(
    ("no_answer", "second", "close"),
    [
        (0.0, 4.0, False),
        (0.0, 4.995, True),
        (4.99, 1.0, True),
        (5.01, 1.0, True),
        (6.0, 5.0, False),
    ],
)
def test_what_is_close_is_the_choice_and_not_what_it_leaves_out(
    no_answer: float, second: float, close: bool
) -> None:
    """Two spans tie, or an answer and none; how spans rank does not matter where there is no answer."""
    reader = ExtractiveAnswers("any", precision="int8")
    window = _Best(0, 1, 5.0, no_answer, second, 1.0)
    assert reader._is_close([window]) is close
    assert reader._is_close([window, _Best(0, 1, second, no_answer, 0.0, 1.0)]) is close


def test_labels_that_nearly_tie_are_judged_again(
    folders: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judgements in int8 whose two best labels are near each other are float32's, others are not."""
    requests = [InferenceRequest(text, text[:n]) for text in TEXTS for n in range(4, 40, 6)]
    settings = EntailmentParameters(max_tokens=64)
    full = NliJudge(folders["nli"], parameters=settings).judge(requests)
    margins = []
    for judgement in full:
        _, second, first = sorted(
            (judgement.entailment, judgement.neutral, judgement.contradiction)
        )
        margins.append(first - second)
    # Tiny random models seldom tie, so what counts as near is set to their middle.
    monkeypatch.setattr(near_ties, "JUDGEMENTS", median(margins))
    lower = NliJudge(folders["nli"], parameters=settings, precision="int8").judge(requests)
    # In float32 too, a row's neighbours in the batch change its last digits, by about 1e-6.
    settled = [abs(a.entailment - b.entailment) < 1e-5 for a, b in zip(full, lower, strict=True)]
    assert len(settled) / 4 < sum(settled) < len(settled) * 3 / 4
    assert all(
        exact
        for exact, found in zip(settled, lower, strict=True)
        if near_ties.is_close_judgement(found)
    )
