"""Requests to a model, equal ones once; a request that fails does so alone."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from qsquared.errors import EndpointError, ModelError, NoMemoryError
from qsquared.language.running.memory import is_out_of_memory
from qsquared.protocols import PartlyAnsweredError
from qsquared.records import Failure

Request = TypeVar("Request", bound=Hashable)
Reply = TypeVar("Reply")
Ask = Callable[[Sequence[Request]], Sequence[Reply]]
Check = Callable[[Request, Reply], None]

_TOO_MANY = 16
"""When this many requests fail and none succeeds, the model is broken, not the requests."""

_TOO_LARGE = 16
"""When more requests than this do not fit in memory, the machine is too small, not they too large."""


class _TooLarge(Failure):
    """A failure for lack of memory."""

    __slots__ = ()


def _ask_isolating(
    model: Ask[Request, Reply], requests: Sequence[Request], name: str, check: Check[Request, Reply]
) -> list[Reply | Failure]:
    """Halve a failing list until the requests that fail stand alone."""
    try:
        replies = _replies(model, requests)
        if len(replies) != len(requests):
            raise ModelError(  # noqa: TRY301 - a wrong number of replies fails as any error does
                f"it gave {len(replies)} replies to {len(requests)} requests"
            )
    except EndpointError:
        raise  # No request is to blame, and all that was answered is kept.
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        failure = _failure(error, name)
    else:
        checked: list[Reply | Failure] = []
        for request, reply in zip(requests, replies, strict=True):
            wrong = _wrong(request, reply, name, check)
            checked.append(reply if wrong is None else wrong)
        return checked
    # Outside of the handler: the error's traceback holds what a failed call had in memory.
    if len(requests) == 1:
        return [failure]
    middle = len(requests) // 2
    halves = requests[:middle], requests[middle:]
    return [reply for half in halves for reply in _ask_isolating(model, half, name, check)]


def _replies(model: Ask[Request, Reply], requests: Sequence[Request]) -> list[Reply | Failure]:
    try:
        return list(model(requests))
    except PartlyAnsweredError as partly:
        return list(partly.replies)


def _wrong(
    request: Request, reply: Reply | Failure, name: str, check: Check[Request, Reply]
) -> Failure | None:
    """Return the failure of a reply that is one or does not pass the check, or None."""
    if isinstance(reply, Failure):
        return Failure(f"{name} failed: {reply.reason}")
    try:
        check(request, reply)
    except Exception as error:  # noqa: BLE001 - a reply of another type breaks the check in any way
        return _failure(error, name)
    return None


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


def _anything(_request: object, _reply: object) -> None:
    """Accept any reply."""


def ask_each(
    model: Ask[Request, Reply],
    requests: Sequence[Request],
    name: str = "The model",
    check: Check[Request, Reply] = _anything,
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
