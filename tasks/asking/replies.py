"""Requests to each role of a profile; a reply that makes no sense counts as a failure.

A model that gives NaN, an empty question or a span outside of its text fails on that request: the
pair gets a status and a reason that names the model, and no number of it reaches a mean.
"""

import math
from collections.abc import Sequence
from itertools import chain

from qsquared.method.begin.taxonomy import by_label
from qsquared.records import (
    Answer,
    Failure,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    ParsedText,
    QuestionRequest,
    Rating,
    RatingRequest,
    ReadingRequest,
    ReplyClasses,
    ReplyRequest,
    Similarity,
    Span,
    Support,
)
from qsquared.tasks.asking.isolate_failures import ask_each
from qsquared.tasks.stage import Roles, required

_ROUNDING = 1e-3


def parse_each(roles: Roles, texts: Sequence[str]) -> list[ParsedText | Failure]:
    """Return one parse for each text, or its failure."""
    name = _name(roles.parser, "parser")
    return ask_each(roles.parser.parse, texts, name, _check_parse, "Ann sings.")


def generate_each(
    roles: Roles, requests: Sequence[QuestionRequest]
) -> list[list[GeneratedQuestion] | Failure]:
    """Return the questions on each span, or their failure."""
    model = roles.question_generation
    smallest = QuestionRequest("Ann sings.", Span(0, 3, "Ann", "entity", "PERSON"))
    name = _name(model, "question generator")
    return ask_each(model.generate, requests, name, _check_questions, smallest)


def answer_each(roles: Roles, requests: Sequence[ReadingRequest]) -> list[Answer | Failure]:
    """Return one answer for each question and text, or its failure."""
    model = roles.question_answering
    smallest = ReadingRequest("Who sings?", "Ann sings.")
    name = _name(model, "question answering model")
    return ask_each(model.answer, requests, name, _check_answer, smallest)


def judge_each(roles: Roles, requests: Sequence[InferenceRequest]) -> list[Judgement | Failure]:
    """Return one judgement for each premise and hypothesis, or its failure."""
    model = roles.entailment
    smallest = InferenceRequest("Ann sings.", "Ann sings.")
    name = _name(model, "entailment model")
    return ask_each(model.judge, requests, name, _check_judgement, smallest)


def similarity_each(roles: Roles, pairs: Sequence[tuple[str, str]]) -> list[Similarity | Failure]:
    """Return one comparison for each candidate and reference, or its failure."""
    model = required(roles.similarity)
    name = _name(model, "similarity model")
    return ask_each(model.compare, pairs, name, _check_similarity, ("Ann sings.", "Ann sings."))


def support_each(roles: Roles, requests: Sequence[InferenceRequest]) -> list[Support | Failure]:
    """Return one probability of support for each premise and hypothesis, or its failure."""
    model = required(roles.consistency)
    smallest = InferenceRequest("Ann sings.", "Ann sings.")
    name = _name(model, "consistency model")
    return ask_each(model.support, requests, name, _check_support, smallest)


def classify_each(roles: Roles, requests: Sequence[ReplyRequest]) -> list[ReplyClasses | Failure]:
    """Return the probabilities of the five classes for each reply, or their failure."""
    model = required(roles.reply_classification)
    smallest = ReplyRequest("Ann sings.", None, "Ann sings.")
    name = _name(model, "classifier of replies")
    return ask_each(model.classify, requests, name, _check_classes, smallest)


def rate_each(roles: Roles, requests: Sequence[RatingRequest]) -> list[Rating | Failure]:
    """Return one rating for each request, or its failure."""
    model = required(roles.indicators)
    if not requests:
        return []
    smallest = RatingRequest(requests[0].task, "Ann sings.", requests[0].other and "Ann sings.")
    return ask_each(model.rate, requests, _name(model, "models"), _check_rating, smallest)


def _name(model: object, role: str) -> str:
    return f"the {role} {getattr(model, 'name', type(model).__name__)}"


def _check_parse(text: str, parsed: ParsedText) -> None:
    _require(parsed.text == text, "the parse is that of another text")
    size = len(text)
    places = chain(
        ((token.start, token.end) for token in parsed.tokens),
        ((chunk.start, chunk.end) for chunk in chain(parsed.entities, parsed.noun_chunks)),
    )
    for start, end in places:
        _require(
            0 <= start < end <= size,
            f"the span {start} to {end} is not in the text of {size} characters",
        )


def _check_questions(_request: QuestionRequest, questions: list[GeneratedQuestion]) -> None:
    for question in questions:
        _require(bool(question.question.strip()), "a question is blank")
        _require(
            question.log_prob is None or math.isfinite(question.log_prob),
            f"a question's log-probability is {question.log_prob}",
        )


def _check_answer(request: ReadingRequest, answer: Answer) -> None:
    for score in (answer.score, answer.no_answer_score):
        _require(math.isfinite(score), f"a score is {score}")
    if answer.text is None:
        _require(answer.start is None and answer.end is None, "no answer has a place in the text")
        return
    start, end = answer.start, answer.end
    inside = start is not None and end is not None and 0 <= start < end <= len(request.text)
    _require(
        inside and request.text[start:end] == answer.text,
        f"the answer does not stand at characters {start} to {end} of the text",
    )


def _check_judgement(_request: InferenceRequest, judgement: Judgement) -> None:
    values = (judgement.entailment, judgement.neutral, judgement.contradiction)
    _require(_are_probabilities(values), f"{values} are no probabilities of three labels")


def _check_similarity(_pair: tuple[str, str], found: Similarity) -> None:
    for value in (found.precision, found.recall, found.f1):
        _require(
            math.isfinite(value) and -1 - _ROUNDING <= value <= 1 + _ROUNDING,
            f"{value} is no similarity",
        )


def _check_support(_request: InferenceRequest, found: Support) -> None:
    _require(
        math.isfinite(found.probability) and 0 <= found.probability <= 1,
        f"{found.probability} is no probability",
    )


def _check_classes(_request: ReplyRequest, found: ReplyClasses) -> None:
    values = tuple(by_label(found).values())
    _require(_are_probabilities(values), f"{values} are no probabilities of five classes")


def _are_probabilities(values: Sequence[float]) -> bool:
    return (
        all(math.isfinite(value) and -_ROUNDING <= value <= 1 + _ROUNDING for value in values)
        and abs(sum(values) - 1) <= _ROUNDING
    )


def _check_rating(_request: RatingRequest, found: Rating) -> None:
    _require(math.isfinite(found.value), f"{found.value} is no rating")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)
