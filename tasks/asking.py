"""Ask a model a list of requests: equal ones once, and a failing one alone fails."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from qsquared.errors import ModelError
from qsquared.records import Failure

Request = TypeVar("Request", bound=Hashable)
Reply = TypeVar("Reply")

_TOO_MANY = 16
"""When this many requests fail and none succeeds, the model is broken, not the requests."""


def _ask_isolating(
    model: Callable[[Sequence[Request]], Sequence[Reply]], requests: Sequence[Request]
) -> list[Reply | Failure]:
    """Halve a failing list until the requests that fail stand alone."""
    try:
        replies = list(model(requests))
        if len(replies) != len(requests):
            raise ModelError(  # noqa: TRY301 - a wrong number of replies fails as any error does
                f"The model gave {len(replies)} replies to {len(requests)} requests."
            )
    except MemoryError:
        raise
    except Exception as error:
        if "out of memory" in str(error).lower() or "can't allocate memory" in str(error):
            # torch raises a RuntimeError of its own; no request is to blame for it.
            raise MemoryError(str(error)) from error
        if len(requests) == 1:
            return [Failure(f"{type(error).__name__}: {error}")]
        middle = len(requests) // 2
        return [
            *_ask_isolating(model, requests[:middle]),
            *_ask_isolating(model, requests[middle:]),
        ]
    return list(replies)


def ask_each(
    model: Callable[[Sequence[Request]], Sequence[Reply]], requests: Sequence[Request]
) -> list[Reply | Failure]:
    """One reply or failure for each request, in order; equal requests are asked once.

    Raises:
        ModelError: the model failed on every one of many requests.
        MemoryError: memory ran out; that is the machine's failure, not a request's.
    """
    distinct = list(dict.fromkeys(requests))
    if not distinct:
        return []
    replies = dict(zip(distinct, _ask_isolating(model, distinct), strict=True))
    failures = [reply for reply in replies.values() if isinstance(reply, Failure)]
    if len(failures) == len(distinct) >= _TOO_MANY:
        raise ModelError(
            f"The model failed on each of {len(distinct)} requests; the first said: "
            f"{failures[0].reason}",
            "Check the profile's checkpoint with: q2 models verify",
        )
    return [replies[request] for request in requests]
