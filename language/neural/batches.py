"""Batches of a model's rows: parts of bounded size, smaller where memory runs out, counted as they end.

torch raises one kind of error for each kind of device, most of them a bare ``RuntimeError``; only
their words are alike.
"""

import ctypes
import gc
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from qsquared.errors import first_line

Output = TypeVar("Output")
Item = TypeVar("Item")

logger = logging.getLogger("qsquared")

_WORDS = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "std::bad_alloc",
    "alloc_failed",
)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 1 << 30


def keep_freed_memory() -> None:
    """Let glibc keep the memory that a forward pass frees, up to 1 GiB, for the next to use.

    By default it gives the tensors of a large layer back to the kernel and gets them again, page by
    page, at each of them, which costs up to a quarter of a pass.
    Nothing happens with another C library, or where the environment sets ``MALLOC_…`` itself.
    """
    if sys.platform != "linux" or any(name.startswith("MALLOC_") for name in os.environ):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_M_MMAP_THRESHOLD, _KEPT_BYTES)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an allocation failed, on the host (``MemoryError``) or on a device (torch's words)."""
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return True
    message = str(error).lower()
    return isinstance(error, (RuntimeError, OSError)) and any(word in message for word in _WORDS)


class ShrinkingBatch:
    """Forward passes over batches whose size halves whenever one does not fit in memory.

    The size stays small once it had to shrink: what did not fit would not fit again, and the size of
    a batch never changes a result.

    Args:
        name: the model's name in the message on smaller batches.
        size: rows a batch, to begin with.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.first_size = size
        self.size = size

    def run(
        self, indices: Sequence[int], forward: Callable[[Sequence[int]], Sequence[Output]]
    ) -> Iterator[tuple[int, Output]]:
        """Yield each index with its output, in order; ``forward`` gives one output for each of its indices.

        Raises:
            MemoryError: not even one row fits.
        """
        waiting = list(indices)
        while waiting:
            batch = waiting[: self.size]
            outputs = self._try(batch, forward)
            if outputs is None:
                continue
            yield from zip(batch, outputs, strict=True)
            waiting = waiting[len(batch) :]

    def _try(
        self, batch: Sequence[int], forward: Callable[[Sequence[int]], Sequence[Output]]
    ) -> Sequence[Output] | None:
        """Return the outputs, or ``None`` after a batch that did not fit and halved the size."""
        try:
            return forward(batch)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            if len(batch) == 1:
                raise MemoryError(
                    f"{self.name} does not fit one input: {first_line(error)}"
                ) from error
            reason = first_line(error)
        # Outside of the handler: the error's traceback holds the tensors of the failed pass.
        self._shrink(len(batch), reason)
        return None

    def _shrink(self, rows: int, reason: str) -> None:
        if self.size == self.first_size:
            logger.warning(
                "%s ran out of memory on a batch of %d (%s). It goes on in smaller batches, which "
                "changes no score.",
                self.name,
                rows,
                reason,
            )
        self.size = max(1, rows // 2)
        _free_device_memory()


def _free_device_memory() -> None:
    """Give the memory that torch's allocator keeps back to the device, for the next attempt."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.accelerator.is_available():
        torch.accelerator.memory.empty_cache()


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


def characters(texts: Iterable[str]) -> int:
    """Return the number of characters of some texts together."""
    return sum(map(len, texts))


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
