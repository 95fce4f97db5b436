"""The rows of a model's call: their parts of bounded size, and the count of those done, told to whoever listens."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Output = TypeVar("Output")
Listener = Callable[[int, int], None]
"""Is called with the rows of a model's call that are done, and with all of them."""

_listener: ContextVar[Listener | None] = ContextVar("rows_done", default=None)


@contextmanager
def rows_heard_by(listener: Listener) -> Iterator[None]:
    """Let a function hear of the rows that models read within."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class RowCounter:
    """Counts the outputs of one call of a model, and reports them.

    Args:
        total: rows of the call.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def counted(self, outputs: Iterable[Output]) -> Iterator[Output]:
        """Yield the outputs, each reported before it is given."""
        for output in outputs:
            self._done += 1
            listener = _listener.get()
            if listener is not None:
                listener(self._done, self._total)
            yield output


Item = TypeVar("Item")


def chunked(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """Yield the items in order, in groups whose total size is at most ``most``.

    A larger item has a group of its own.
    """
    chunk: list[Item] = []
    total = 0
    for item in items:
        if chunk and total + size(item) > most:
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += size(item)
    if chunk:
        yield chunk
