"""Requests to each role of a profile, equal ones once; a request that fails does so alone.

A reply that makes no sense counts as a failure: a model that gives NaN, an empty question or a span
outside of its text fails on that request.
The pair gets a status and a reason that names the model, and no number of it reaches a mean.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from qsquared import records
from qsquared.errors import EndpointError, ModelError, NoMemoryError
from qsquared.language.neural.batches import is_out_of_memory
from qsquared.method.begin import by_label
from qsquared.records import Failure
from qsquared.tasks.stage import Roles, required

Request = TypeVar("Request", bound=Hashable)
Reply = TypeVar("Reply")
Ask = Callable[[Sequence[Request]], Sequence[Reply | Failure]]
Check = Callable[[Request, Reply], None]

_ROUNDING = 1e-3

_TOO_MANY = 16
"""When this many requests fail and none succeeds, the model is broken, not the requests."""

_TOO_LARGE = 16
"""When more requests than this do not fit in memory, the machine is too small, not they too large."""


class _TooLarge(Failure):
    """A failure for lack of memory."""

    __slots__ = ()


def _ask_isolating(
    model: Ask[Request, Reply],
    requests: Sequence[Request],
    name: str,
    check: Check[Request, Reply] | None,
) -> list[Reply | Failure]:
    """Halve a failing list until the requests that fail stand alone."""
    try:
        replies = list(model(requests))
        if len(replies) != len(requests):
            raise ModelError(  # noqa: TRY301 - a wrong number of replies fails as any error does
                f"it gave {len(replies)} replies to {len(requests)} requests"
            )
    except EndpointError:
        raise  # No request is to blame, and all that was answered is kept.
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        failure = _failure(error, name)
    else:
        answered = zip(requests, replies, strict=True)
        return [_checked(request, reply, name, check) for request, reply in answered]
    # Outside of the handler: the error's traceback holds what a failed call had in memory.
    if len(requests) == 1:
        return [failure]
    middle = len(requests) // 2
    halves = requests[:middle], requests[middle:]
    return [reply for half in halves for reply in _ask_isolating(model, half, name, check)]


def _checked(
    request: Request, reply: Reply | Failure, name: str, check: Check[Any, Any] | None
) -> Reply | Failure:
    """Return a reply, or the failure of one that is one or does not pass the check."""
    if isinstance(reply, Failure):
        return Failure(f"{name} failed: {reply.reason}")
    try:
        if check is not None:
            check(request, reply)
    except Exception as error:  # noqa: BLE001 - a reply of another type breaks the check in any way
        return _failure(error, name)
    return reply


def _failure(error: Exception, name: str) -> Failure:
    kind = _TooLarge if is_out_of_memory(error) else Failure
    message = error.message if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
    return kind(f"{name} failed: {message}")


def _fits(model: Ask[Request, Reply], request: Request) -> bool:
    """Whether there is memory for a request, whether or not it fails otherwise."""
    try:
        model([request])
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        return not is_out_of_memory(error)
    return True


def ask_each(
    model: Ask[Request, Reply],
    requests: Sequence[Request],
    name: str = "The model",
    check: Check[Request, Reply] | None = None,
    smallest: Request | None = None,
) -> list[Reply | Failure]:
    """Return one reply or failure for each request, in order; equal requests are asked once.

    A single request that does not fit in memory fails as any other does, so that one monstrous pair
    does not hold up the rest.

    Args:
        model: gives one reply for each request.
        requests: what to ask.
        name: the model's name in failures.
        check: raises an error that says what is wrong with a reply.
        smallest: a request that any machine has memory for; it is asked where others did not fit,
            to tell a machine that is too small from requests that are too large.

    Raises:
        ModelError: the model failed on every one of many requests.
        NoMemoryError: many requests did not fit in memory, or not even the smallest did.
    """
    distinct = list(dict.fromkeys(requests))
    if not distinct:
        return []
    answered = _ask_isolating(model, distinct, name, check)
    replies = dict(zip(distinct, answered, strict=True))
    failures = [reply for reply in replies.values() if isinstance(reply, Failure)]
    too_large = [failure for failure in failures if isinstance(failure, _TooLarge)]
    probe = min(distinct, key=lambda request: len(repr(request))) if smallest is None else smallest
    if len(too_large) > _TOO_LARGE or (too_large and not _fits(model, probe)):
        raise NoMemoryError(
            f"{len(too_large)} of {len(distinct)} requests do not fit in memory, each alone; the "
            f"first said: {too_large[0].reason}",
            "Close other programs, or use a machine with more memory or another --device.",
        )
    if len(failures) == len(distinct) >= _TOO_MANY:
        raise ModelError(
            f"The model failed on each of {len(distinct)} requests; the first said: "
            f"{failures[0].reason}",
            "Check the profile's checkpoint with: q2 models verify",
        )
    return [replies[request] for request in requests]


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
