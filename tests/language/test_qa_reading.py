"""The extractive reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qsquared.errors import ModelError
from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.extractive_qa import ExtractiveAnswers, best_span
from qsquared.profiles.model_parameters import ReadingParameters
from qsquared.records import Answer, ReadingRequest
from tests.language.tiny_models import albert_qa, bert_qa, deberta_qa, run_by

NEVER = ReadingParameters(max_tokens=48, stride=12, no_answer_threshold=1e6)
"""Always answers, in windows small enough for tests."""

TEXTS = (
    "Mary wrote a book.",
    "The river is long, and the old city sat by it in 1990.",
    "John won the race in 2004. He was not new to it. The dog and the cat sang a song on the mat.",
    "  Paris  is the capital of France;\tRome, of Italy. ",
)
QUESTIONS = ("Who wrote it?", "When was the race?", "Where is the old river in the city?")
REQUESTS = [ReadingRequest(question, text) for text in TEXTS for question in QUESTIONS]


@pytest.fixture(
    scope="module", params=[bert_qa, albert_qa, deberta_qa], ids=["bert", "albert", "deberta"]
)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model."""
    made: Path = request.param(tmp_path_factory.mktemp("qa") / "model")
    return made


def test_batch_size_changes_no_answer(folder: Path) -> None:
    """Batches of one and of many give the same spans, decisions and, within rounding, scores."""
    middle = ReadingParameters(max_tokens=48, stride=12)
    single = ExtractiveAnswers(str(folder), parameters=middle, batch_size=1).answer(REQUESTS)
    many = ExtractiveAnswers(str(folder), parameters=middle, batch_size=7).answer(REQUESTS)
    for one, other in zip(single, many, strict=True):
        assert (one.text, one.start, one.end, one.windows) == (
            other.text,
            other.start,
            other.end,
            other.windows,
        )
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert one.no_answer_score == pytest.approx(other.no_answer_score, abs=1e-4)


def test_offsets_cut_the_answer_from_the_text(folder: Path) -> None:
    """An answer is the text between its offsets, without white space at its ends."""
    answers = ExtractiveAnswers(str(folder), parameters=NEVER).answer(REQUESTS)
    for request, answer in zip(REQUESTS, answers, strict=True):
        assert answer.text is not None
        assert answer.text == request.text[answer.start : answer.end]
        assert answer.text == answer.text.strip() != ""


def test_a_lone_window_is_read_as_the_model_alone_reads_it(folder: Path) -> None:
    """Scores are the model's own logits, with the segments that it was made for."""
    reader = ExtractiveAnswers(str(folder), parameters=NEVER)
    request = REQUESTS[0]
    (answer,) = reader.answer([request])
    loaded = ExtractiveAnswers(str(folder), parameters=NEVER, engine="torch").load()
    inputs = loaded.tokenizer(
        request.question, request.text, return_token_type_ids=True, return_tensors="pt"
    )
    assert set(inputs["token_type_ids"][0].tolist()) == {0, 1}
    with torch.inference_mode():
        output = loaded.model(**inputs)
    text = [part == 1 for part in inputs.sequence_ids(0)]
    sums = output.start_logits[0][:, None] + output.end_logits[0][None, :]
    spans = [
        float(sums[i, j])
        for i in range(len(text))
        for j in range(i, min(i + 30, len(text)))
        if text[i] and text[j] and inputs.tokens(0)[j] != "▁"
    ]
    assert answer.score == pytest.approx(max(spans), abs=1e-4)
    assert answer.no_answer_score == pytest.approx(float(sums[0, 0]), abs=1e-4)


def test_windows_cover_a_long_text(folder: Path) -> None:
    """Every word of a long text is in a window, so an answer at its end can be found."""
    reader = ExtractiveAnswers(str(folder), parameters=NEVER)
    text = " ".join(TEXTS * 6) + " Rome"
    windows = reader._windows([ReadingRequest("Who?", text)])
    covered = {
        position
        for window in windows
        for (start, end), inside in zip(window.bounds, window.starts, strict=True)
        if inside
        for position in range(start, end)
    }
    assert {i for i, c in enumerate(text) if not c.isspace()} <= covered
    assert all(len(window.inputs["input_ids"]) <= 48 for window in windows)
    (answer,) = reader.answer([ReadingRequest("Who?", text)])
    assert answer.windows == len(windows) > 1


def test_the_end_of_a_long_text_can_be_the_answer(tmp_path: Path) -> None:
    """A model that looks for one word finds it in the last window of a long text."""
    folder = bert_qa(tmp_path / "model")
    reader = ExtractiveAnswers(str(folder), parameters=NEVER)
    wanted = load_tokenizer(folder).convert_tokens_to_ids("rome")

    class Seeker(torch.nn.Module):
        def forward(self, input_ids: torch.Tensor, **_: torch.Tensor) -> object:
            logits = (input_ids == wanted).float()
            return {"start_logits": logits, "end_logits": logits}

    run_by(reader, Seeker())
    text = "The cat sat on the mat. " * 20 + "It is Rome."
    (answer,) = reader.answer([ReadingRequest("Where?", text)])
    assert answer.text == "Rome"
    assert answer.start == text.index("Rome")


@pytest.mark.sampled(3)
def test_the_threshold_decides_by_its_difference(folder: Path) -> None:
    """There is no answer exactly where the no-answer score exceeds the best by more than allowed."""
    request = ReadingRequest("Who wrote it?", TEXTS[0])
    (answer,) = ExtractiveAnswers(str(folder), parameters=NEVER).answer([request])
    difference = answer.no_answer_score - answer.score

    def decide(threshold: float) -> str | None:
        parameters = ReadingParameters(max_tokens=48, stride=12, no_answer_threshold=threshold)
        return ExtractiveAnswers(str(folder), parameters=parameters).answer([request])[0].text

    assert decide(difference) == answer.text
    assert decide(difference + 0.01) == answer.text
    assert decide(difference - 0.01) is None


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_text_without_tokens_has_no_answer(folder: Path, text: str) -> None:
    """A text that holds nothing to read has no answer, and finite scores."""
    (answer,) = ExtractiveAnswers(str(folder), parameters=NEVER).answer(
        [ReadingRequest("Who?", text)]
    )
    assert answer == Answer(None, None, None, 0.0, 0.0, 0)


@pytest.mark.parametrize("make", [bert_qa, albert_qa], ids=["bert", "albert"])
def test_a_text_of_characters_that_a_vocabulary_drops_has_no_answer(
    make: Any, tmp_path: Path
) -> None:
    """Zero-width characters alone make no token of BERT's and ALBERT's."""
    reader = ExtractiveAnswers(str(make(tmp_path / "model")), parameters=NEVER)
    (answer,) = reader.answer([ReadingRequest("Who?", "\u200b\u200b")])
    assert answer == Answer(None, None, None, 0.0, 0.0, 0)


def test_a_question_above_half_the_window_is_not_read(folder: Path) -> None:
    """It gets no answer in no window, for its beginning is another question; others are read."""
    reader = ExtractiveAnswers(str(folder), parameters=NEVER)
    tokenizer = reader.load().tokenizer

    def tokens(question: str) -> int:
        return len(tokenizer(question, add_special_tokens=False)["input_ids"])

    longest = "who"
    while tokens(longest + " who") <= 24:
        longest += " who"
    answers = reader.answer([ReadingRequest(q, TEXTS[0]) for q in (longest + " who", longest)])
    assert answers[0] == Answer(None, None, None, 0.0, 0.0, 0)
    assert answers[1].windows == 1
    assert answers[1].text is not None


def test_equal_requests_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that comes twice costs one window and gets one answer."""
    reader = ExtractiveAnswers(str(folder), parameters=NEVER)
    seen: list[int] = []
    encoder = reader.load().run
    start = encoder.start
    monkeypatch.setattr(
        encoder, "start", lambda rows: seen.append(len(rows["input_ids"])) or start(rows)
    )
    first, second = reader.answer([REQUESTS[0], REQUESTS[0]])
    assert first == second
    assert sum(seen) == 1


def test_weights_that_are_not_numbers_are_an_error(tmp_path: Path) -> None:
    """A NaN never comes out as a score; the error names the model."""
    folder = bert_qa(tmp_path / "broken")
    state = load_file(folder / "model.safetensors")
    state["qa_outputs.bias"] = torch.full_like(state["qa_outputs.bias"], float("nan"))
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"broken.*not a finite number"):
        ExtractiveAnswers(str(folder), parameters=NEVER).answer(REQUESTS[:1])


def test_a_window_above_the_models_positions_is_refused(folder: Path) -> None:
    """A profile cannot ask an encoder for more positions than it has."""
    with pytest.raises(ModelError, match="at most 128"):
        ExtractiveAnswers(str(folder), parameters=ReadingParameters()).answer(REQUESTS[:1])


def test_the_best_span_is_ordered_bounded_and_first_of_equals() -> None:
    """A span never ends before it starts or exceeds the bound; ties go to the earliest, shortest."""
    starts = np.array([0.0, 5.0, 0.0, 9.0, -np.inf], dtype=np.float32)
    ends = np.array([9.0, -np.inf, 1.0, -np.inf, 4.0], dtype=np.float32)
    assert best_span(starts, ends, 5) == (3, 4, 13.0, 9.0)
    assert best_span(starts, ends, 1) == (0, 0, 9.0, 1.0)
    zeros = np.zeros(4, dtype=np.float32)
    assert best_span(zeros, zeros, 3) == (0, 0, 0.0, 0.0)


def test_the_span_search_agrees_with_an_exhaustive_one() -> None:
    """The vectorised search finds what comparing every span finds."""
    generator = np.random.default_rng(7)
    for _ in range(50):
        starts, ends = generator.normal(size=(2, 12)).astype(np.float32)
        first, last, score, second = best_span(starts, ends, 4)
        every = {
            (i, j): float(starts[i]) + float(ends[j])
            for i in range(12)
            for j in range(i, min(i + 4, 12))
        }
        assert (first, last) == max(every, key=lambda span: every[span])
        assert [second, score] == pytest.approx(sorted(every.values())[-2:])
