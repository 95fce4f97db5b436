"""Read a model's answers strictly: JSON of one form, words that stand where they are said to stand."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from qsquared.records import Answer, GeneratedQuestion, Judgement, QuestionRequest

Chances = Sequence[tuple[str, Sequence[tuple[str, float]]]]
"""The tokens of an answer, each with its likeliest alternatives and their log-probabilities."""

LABELS = ("entailed", "neutral", "contradicted")

_FORM = "questions"
"""The form of a question of an endpoint, in place of the name of a rule."""
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n\s*```\Z", re.DOTALL)
_VERDICT = re.compile(r'"verdict"\s*:\s*"')
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class MalformedAnswerError(ValueError):
    """An answer that is not of the form asked for; the message says so to the model and to a person."""


class Form(BaseModel):
    """The JSON object that a prompt asks for."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AskedQuestion(Form):
    """A question on one of the numbered phrases."""

    phrase: int
    question: str


class Questions(Form):
    """The answer to the prompt `generate`."""

    questions: list[AskedQuestion]


class ReadAnswer(Form):
    """The answer to the prompt `read`."""

    answer: str


class Verdict(Form):
    """The answer to the prompt `judge`."""

    verdict: Literal["entailed", "neutral", "contradicted"]


class QuotedVerdict(Form):
    """The answer to the prompt `judge_claim`."""

    quotation: str
    verdict: Literal["entailed", "neutral", "contradicted"]


FormOf = TypeVar("FormOf", bound=Form)


def parse(form: type[FormOf], text: str) -> FormOf:
    """Return the JSON object of an answer; thoughts before it and a fence around it are left out.

    Raises:
        MalformedAnswerError: it is another one, or none.
    """
    bare = _THOUGHTS.sub("", text, count=1).strip()
    if fenced := _FENCE.match(bare):
        bare = fenced[1]
    try:
        return form.model_validate_json(bare)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise MalformedAnswerError(
            f"the answer is not the JSON that was asked for ({field and field + ': '}{first['msg']})"
        ) from error


def read_questions(
    answer: Questions, requests: Sequence[QuestionRequest]
) -> list[list[GeneratedQuestion]]:
    """Return the distinct questions on each of the phrases, in the order of the answer.

    Raises:
        MalformedAnswerError: a question is blank, or on a phrase that was not there.
    """
    texts_of: list[dict[str, None]] = [{} for _ in requests]
    for question in answer.questions:
        if not 1 <= question.phrase <= len(requests):
            raise MalformedAnswerError(f"there is no phrase {question.phrase}")
        if not question.question.strip():
            raise MalformedAnswerError(f"the question on phrase {question.phrase} is blank")
        texts_of[question.phrase - 1][question.question.strip()] = None
    return [[GeneratedQuestion(text, None, _FORM) for text in texts] for texts in texts_of]


def read_span(answer: ReadAnswer, text: str) -> Answer:
    """Return the place of the answer's words in the text, or that there is none.

    Raises:
        MalformedAnswerError: they do not stand in it.
    """
    if not answer.answer.strip():
        return Answer(None, None, None, 0.0, 1.0, 1)
    span = find_words(answer.answer, text)
    if span is None:
        raise MalformedAnswerError("the words of the answer do not stand in the text")
    start, end = span
    return Answer(text[start:end], start, end, 1.0, 0.0, 1)


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """Return the first place of some words, else of the same in other cases, spaces or quotes."""
    phrase = words.strip()
    start = text.find(phrase)
    if start >= 0:
        return start, start + len(phrase)
    # Quotes stay one character, so that offsets are those of the text.
    parts = map(re.escape, _SPACE.split(phrase.translate(_QUOTES)))
    match = re.search(r"\s+".join(parts), text.translate(_QUOTES), re.IGNORECASE)
    return match.span() if match and match.end() > match.start() else None


def read_quotation(answer: QuotedVerdict, knowledge: str) -> str | None:
    """Return the words of the knowledge that a verdict quotes; None where a neutral one quotes none.

    Raises:
        MalformedAnswerError: another verdict has no quotation, or it does not stand in the knowledge.
    """
    quoted = answer.quotation.strip().strip('"')
    span = find_words(quoted, knowledge) if quoted else None
    if span is not None:
        return knowledge[slice(*span)]
    if answer.verdict == "neutral":
        return None
    if not quoted:
        raise MalformedAnswerError(f'the verdict "{answer.verdict}" has no quotation')
    raise MalformedAnswerError("the quotation does not stand in the knowledge")


def judgement(
    verdict: str, chances: Mapping[str, float] | None, quotation: str | None = None
) -> Judgement:
    """Return the judgement by the probabilities of the three words; without them the word is certain."""
    shares = chances or {verdict: 1.0}
    return Judgement(*(shares.get(label, 0.0) for label in LABELS), quotation=quotation)


def verdict_chances(chances: Chances) -> dict[str, float] | None:
    """Return the probability of each verdict, from the alternatives at the place of its first letter.

    ``None`` where the tokens do not tell: the place is not found, or no alternative is a verdict.
    """
    text = "".join(token for token, _ in chances)
    places = list(_VERDICT.finditer(text))
    if not places:
        return None
    at, start = places[-1].end(), 0
    for token, alternatives in chances:
        if start + len(token) > at:
            return _shares(alternatives, text[start:at])
        start += len(token)
    return None


def _shares(alternatives: Sequence[tuple[str, float]], before: str) -> dict[str, float] | None:
    """Return the shares of the verdicts that alternatives begin, after the same characters."""
    sums = dict.fromkeys(LABELS, 0.0)
    for token, log_probability in alternatives:
        rest = token.removeprefix(before) if token.startswith(before) else token.lstrip(' "')
        meant = [
            label for label in LABELS if rest and label.startswith(rest.lower().rstrip('"} \n'))
        ]
        if len(meant) == 1:
            sums[meant[0]] += math.exp(log_probability)
    total = sum(sums.values())
    return {label: value / total for label, value in sums.items()} if total else None
