"""Requests to each role of a profile; a reply that makes no sense counts as a failure.

A model that gives NaN, an empty question or a span outside of its text fails on that request: the
pair gets a status and a reason that names the model, and no number of it reaches a mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from qsquared import records
from qsquared.method.begin import by_label
from qsquared.tasks.asking.isolate_failures import Check, Reply, Request, ask_each
from qsquared.tasks.stage import Roles, required

_ROUNDING = 1e-3


def _check_parse(text: str, parsed: records.ParsedText) -> None:
    _require(parsed.text == text, "the parse is that of another text")
    size = len(text)
    parts: tuple[records.Token | records.Chunk, ...] = (
        *parsed.tokens,
        *parsed.entities,
        *parsed.noun_chunks,
    )
    for part in parts:
        _require(
            0 <= part.start < part.end <= size,
            f"the span {part.start} to {part.end} is not in the text of {size} characters",
        )


def _check_questions(
    _request: records.QuestionRequest, questions: list[records.GeneratedQuestion]
) -> None:
    for question in questions:
        _require(bool(question.question.strip()), "a question is blank")
        _require(
            question.log_prob is None or math.isfinite(question.log_prob),
            f"a question's log-probability is {question.log_prob}",
        )


def _check_answer(request: records.ReadingRequest, answer: records.Answer) -> None:
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


def _check_judgement(_request: records.InferenceRequest, judgement: records.Judgement) -> None:
    values = (judgement.entailment, judgement.neutral, judgement.contradiction)
    _require(_are_probabilities(values), f"{values} are no probabilities of three labels")


def _check_similarity(_pair: tuple[str, str], similarity: records.Similarity) -> None:
    for value in (similarity.precision, similarity.recall, similarity.f1):
        _require(-1 - _ROUNDING <= value <= 1 + _ROUNDING, f"{value} is no similarity")


def _check_support(_request: records.InferenceRequest, support: records.Support) -> None:
    _require(0 <= support.probability <= 1, f"{support.probability} is no probability")


def _check_classes(_request: records.ReplyRequest, classes: records.ReplyClasses) -> None:
    values = tuple(by_label(classes).values())
    _require(_are_probabilities(values), f"{values} are no probabilities of five classes")


def _are_probabilities(values: Sequence[float]) -> bool:
    """Whether values are probabilities that sum to one; NaN is none."""
    in_bounds = all(-_ROUNDING <= value <= 1 + _ROUNDING for value in values)
    return in_bounds and abs(sum(values) - 1) <= _ROUNDING


def _check_rating(_request: records.RatingRequest, rating: records.Rating) -> None:
    _require(math.isfinite(rating.value), f"{rating.value} is no rating")


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ValueError(complaint)


@dataclass(frozen=True, slots=True)
class AskEach(Generic[Request, Reply]):
    """Requests to the model of a role.

    ``method`` answers requests, ``words`` name the role in failures, ``check`` raises an error that
    says what is wrong with a reply, and any machine has memory for the ``smallest`` request (``None``:
    for the smallest of those asked).
    """

    role: str
    method: str
    words: str
    check: Check[Request, Reply]
    smallest: Request | None

    def __call__(self, roles: Roles, requests: Sequence[Request]) -> list[Reply | records.Failure]:
        """Return one reply for each request, or its failure.

        Raises:
            ModelError: the model failed on every one of many requests.
            NoMemoryError: many requests did not fit in memory, or not even the smallest did.
        """
        model: Any = required(getattr(roles, self.role))
        name = f"the {self.words} {getattr(model, 'name', type(model).__name__)}"
        return ask_each(getattr(model, self.method), requests, name, self.check, self.smallest)


_INFERENCE = records.InferenceRequest("Ann sings.", "Ann sings.")

parse_each = AskEach("parser", "parse", "parser", _check_parse, "Ann sings.")
generate_each = AskEach(
    "question_generation",
    "generate",
    "question generator",
    _check_questions,
    records.QuestionRequest("Ann sings.", records.Span(0, 3, "Ann", "entity", "PERSON")),
)
answer_each = AskEach(
    "question_answering",
    "answer",
    "question answering model",
    _check_answer,
    records.ReadingRequest("Who sings?", "Ann sings."),
)
knowledge_each = replace(answer_each, method="answer_on_knowledge")
judge_each = AskEach("entailment", "judge", "entailment model", _check_judgement, _INFERENCE)
claims_each = AskEach("entailment", "judge_claims", "judge of claims", _check_judgement, _INFERENCE)
similarity_each = AskEach(
    "similarity", "compare", "similarity model", _check_similarity, ("Ann sings.", "Ann sings.")
)
support_each = AskEach("consistency", "support", "consistency model", _check_support, _INFERENCE)
classify_each = AskEach(
    "reply_classification",
    "classify",
    "classifier of replies",
    _check_classes,
    records.ReplyRequest("Ann sings.", None, "Ann sings."),
)
rate_each: AskEach[records.RatingRequest, records.Rating] = AskEach(
    "indicators", "rate", "models", _check_rating, None
)
