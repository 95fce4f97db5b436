"""Lists in parts of bounded size, where what is made of each item is large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def chunked(items: Iterable[Item], size: Callable[[Item], int], most: int) -> Iterator[list[Item]]:
    """The items in order, as many together as have a total size of at most ``most``.

    An item that is larger stands alone.
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
