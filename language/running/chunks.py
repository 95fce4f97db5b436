"""Cut lists into parts of bounded total size, to bound the memory of their results."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

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
