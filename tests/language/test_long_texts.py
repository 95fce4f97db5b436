"""Tests of texts above every window, which are never cut silently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.language.rule_questions import SENTENCE_TOKENS, RuleQuestions
from qsquared.language.spacy_parser import WORD_CHARACTERS, SpacyParser
from qsquared.language.t5_questions import T5Questions
from qsquared.method.q2.spans import extract_spans
from qsquared.method.question_generation import generate
from qsquared.profiles.model_parameters import (
    BeamParameters,
    EntailmentParameters,
    ReadingParameters,
)
from qsquared.records import InferenceRequest, QuestionRequest, ReadingRequest, Span
from qsquared.tasks.q2 import answer_on_knowledge
from tests.language.tiny_models import albert_qa, bert_nli, bert_qa, roberta_nli, run_by, t5_qg

FILLERS = ("the", "cat", "sat", "on", "a", "mat", "in", "paris", "was", "old")
FOUND, GLAD, WARY = 2.0, -9.0, 5.0
"""The score of the word that is sought, and of no answer with and without the word that calms."""


class Seeker(torch.nn.Module):
    """Reader that answers "rome"; a window without "dog" scores no answer higher."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__()
        self.rome, self.dog = tokenizer.convert_tokens_to_ids(["rome", "dog"])
        self.cls = tokenizer.cls_token_id

    def forward(self, input_ids: torch.Tensor, **_: torch.Tensor) -> object:
        """Look for the two words."""
        calm = (input_ids == self.dog).any(dim=1, keepdim=True)
        logits = torch.where(input_ids == self.rome, FOUND / 2, -20.0)
        no_answer = torch.where(calm, GLAD / 2, WARY / 2).expand_as(logits)
        logits = torch.where(input_ids == self.cls, no_answer, logits)
        return {"start_logits": logits, "end_logits": logits}


@pytest.fixture(scope="module")
def seeker(tmp_path_factory: pytest.TempPathFactory) -> ExtractiveAnswers:
    """A reader in windows of 48 tokens that share 12."""
    folder = bert_qa(tmp_path_factory.mktemp("seeker") / "model")
    reader = ExtractiveAnswers(
        str(folder), parameters=ReadingParameters(max_tokens=48, stride=12), batch_size=8
    )
    run_by(reader, Seeker(load_tokenizer(folder)))
    return reader


def passage_of(length: int, romes: list[int], dogs: list[int]) -> list[str]:
    """So many words, with the one that is sought and the one that calms at these places."""
    words = [FILLERS[i % len(FILLERS)] for i in range(length)]
    for word, places in (("rome", romes), ("dog", dogs)):
        for place in places:
            words[place % length] = word
    return words


PLACES = st.lists(st.integers(0, 199), max_size=2)
PASSAGES = st.lists(
    st.builds(passage_of, st.integers(1, 200), PLACES, PLACES), min_size=1, max_size=4
)


def windows_of(words: list[str]) -> list[list[str]]:
    """The windows of a passage: every word is one token, and the question "who?" is two."""
    room = 48 - 2 - 3
    step = room - 12
    last = max(0, -(-(len(words) - room) // step))
    return [words[n * step : n * step + room] for n in range(last + 1)]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(words=PASSAGES)
@example(words=[passage_of(200, [190], [3])])
@example(words=[passage_of(60, [], [2]), passage_of(9, [4], []), passage_of(120, [7, 99], [80])])
def test_answers_stand_where_the_rule_over_all_windows_finds_them(
    seeker: ExtractiveAnswers, words: list[list[str]]
) -> None:
    """The best span against the lowest no-answer score of all windows; offsets are the passage's."""
    texts = ["  ".join(passage) for passage in words]
    pair = {"pair_id": "p", "response": "x", "knowledge": texts}
    key = {"pair_id": "p", "span_index": 0, "rank": 1, "error": None}
    tables = {
        "pairs": [pair],
        "questions": [key | {"question": "who?"}],
        "roundtrip": [key | {"kept": True}],
    }
    roles = SimpleNamespace(question_answering=seeker)
    (row,) = answer_on_knowledge.run(tables, roles, {"sentences": None, "knowledge_words": None})  # type: ignore[arg-type]
    assert row["windows"] == sum(len(windows_of(passage)) for passage in words)
    # One calm window is enough for its whole passage.
    answered = [i for i, passage in enumerate(words) if "rome" in passage and "dog" in passage]
    if not answered:
        assert (row["knowledge_answer"], row["passage"], row["knowledge_start"]) == (None,) * 3
        return
    assert row["passage"] == answered[0]
    text = texts[row["passage"]]
    assert text[row["knowledge_start"] : row["knowledge_end"]] == row["knowledge_answer"] == "rome"
    assert row["knowledge_start"] == text.index("rome")


NASTY = {
    "one word of 20,000 characters": "x" * 20_000,
    "only white space": " \n\t\u2003" * 3_000,
    "only unknown characters": "\u4e2d\u6587" * 2_000,
    "only emoji": "\U0001f600" * 3_000,
    "only zero-width characters": "\u200b\u200f" * 3_000,
    "only punctuation": "(" * 5_000,
    "a word, then an endless one": "The city. " + "paris" * 4_000,
    "combining marks": "e\u0301\u0301\u0301" * 1_000,
    "a lone NUL and controls": "\x00\x01\x1b[31m the city \x00",
}


@pytest.fixture(scope="module", params=[bert_qa, albert_qa], ids=["bert", "albert"])
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny reader that always answers."""
    folder: Path = request.param(tmp_path_factory.mktemp("nasty") / "model")
    parameters = ReadingParameters(max_tokens=48, stride=12, no_answer_threshold=1e6)
    return ExtractiveAnswers(str(folder), parameters=parameters)


@pytest.mark.parametrize("name", NASTY)
def test_a_reader_reads_or_says_that_it_did_not(reader: ExtractiveAnswers, name: str) -> None:
    """An answer cuts itself out of the text; without one there is no window or no answer."""
    text = NASTY[name]
    questions = [text, "Who?"]
    requests = [ReadingRequest(q, t) for q in questions for t in (text, "Paris is old.")]
    for request, answer in zip(requests, reader.answer(requests), strict=True):
        if answer.text is None:
            assert (answer.start, answer.end, answer.windows) == (None, None, 0)
        else:
            assert request.text[answer.start : answer.end] == answer.text != ""
            assert answer.windows > 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", [bert_nli, roberta_nli], ids=["bert", "roberta"])
@pytest.mark.parametrize("name", NASTY)
def test_a_judge_reads_all_of_both_texts(
    kind: Callable[[Path], Path], name: str, tmp_path: Path
) -> None:
    """Every visible character of premise and hypothesis is in a row, and every row in the window."""
    judge = NliJudge(str(kind(tmp_path / "model")), parameters=EntailmentParameters(max_tokens=64))
    tokenizer = judge.load().tokenizer
    long = NASTY[name][:1_500]
    for request in (InferenceRequest(long, "It is old."), InferenceRequest("It is old.", long)):
        parts = judge._pieces(request)
        rows = [row for runs in parts for row in runs]
        assert all(len(tokenizer(*row)["input_ids"]) <= 64 for row in rows)
        for runs in parts:
            assert _visible("".join(premise for premise, _ in runs)) == _visible(request.premise)
        hypotheses = "".join(runs[0][1] for runs in parts)
        assert _visible(hypotheses) == _visible(request.hypothesis)
        (judgement,) = judge.judge([request])
        values = (judgement.entailment, judgement.neutral, judgement.contradiction)
        assert sum(values) == pytest.approx(1.0)


def _visible(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", NASTY)
def test_a_generator_sees_the_span_whole_or_nothing(name: str, tmp_path: Path) -> None:
    """A prompt holds the whole answer twice and fits in the window; else there is no prompt."""
    settings_ = BeamParameters(max_question_tokens=8, max_tokens=64)
    generator = T5Questions(str(t5_qg(tmp_path / "model")), parameters=settings_)
    context = NASTY[name] + " Mary sang in Rome. " + NASTY[name]
    start = context.index("Mary")
    spans = [Span(start, start + 4, "Mary", "entity"), Span(0, len(context), context, "entity")]
    short, long = (generator._prompt(QuestionRequest(context, span)) for span in spans)
    assert short is not None
    assert short.startswith("answer: Mary  context: ")
    assert "Mary" in short.removeprefix("answer: Mary")
    assert len(generator.load().tokenizer(short)["input_ids"]) <= 64
    assert long is None or long.count(context) == 2


def test_endless_words_are_cut_into_tokens() -> None:
    """No token is longer than the limit of one word, and each equals the text at its offsets."""
    text = "Mary wrote " + "x" * 1_000 + " " + "(" * 600 + ". Then\u2003" + "a-b" * 300 + " came."
    (parsed,) = SpacyParser().parse([text])
    assert max(len(token.text) for token in parsed.tokens) == WORD_CHARACTERS
    assert all(text[token.start : token.end] == token.text for token in parsed.tokens)
    assert _visible("".join(token.text for token in parsed.tokens)) == _visible(text)


def test_a_long_text_gets_the_questions_of_its_sentences() -> None:
    """The rules' window of a long text gives the questions that the whole text would give."""
    parser = SpacyParser()
    text = " ".join(
        f"The club {i} was founded in {1900 + i} by Anna Smith of Oslo, who wrote a long book."
        for i in range(40)
    )
    (parsed,) = parser.parse([text])
    assert len(parsed.tokens) > 2 * SENTENCE_TOKENS
    spans = extract_spans(parsed)
    made = RuleQuestions(parser).generate([QuestionRequest(text, span) for span in spans])
    assert made == [generate(parsed, span, 5) for span in spans]


def test_an_endless_sentence_gets_short_questions() -> None:
    """A question repeats the words around its span, never a sentence of thousands of words."""
    parser = SpacyParser()
    text = "Mary saw " + ", ".join(f"the city of Rome and {i} old boats" for i in range(300)) + "."
    (parsed,) = parser.parse([text])
    spans = extract_spans(parsed)[:40]
    made = RuleQuestions(parser).generate([QuestionRequest(text, span) for span in spans])
    assert sum(map(bool, made)) > 30
    longest = max(len(question.question.split()) for questions in made for question in questions)
    assert longest <= SENTENCE_TOKENS + 10
