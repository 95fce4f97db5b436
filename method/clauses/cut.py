"""Cut a text at the marks and words between its clauses."""

import re
from functools import lru_cache

from qsquared.method.plain.sentences import sentences

_BETWEEN = re.compile(
    r"\s*(?:[,;:()\u2013\u2014]|\s-)\s+(?:(?:and|but|or|while|whereas)\s+)?|"
    r"\s+(?:and|but|or|while|whereas)\s+|\s*\n\s*"
)
"""A comma within a number is followed by no space."""

Bounds = tuple[int, int]


# A passage is asked about by each question of its replies.
@lru_cache(maxsize=64)
def clauses(text: str) -> tuple[tuple[Bounds, ...], ...]:
    """Return the bounds of the clauses of each sentence; members of a list count as clauses."""
    return tuple(tuple(_cut(text, start, end)) for start, end in sentences(text))


def _cut(text: str, start: int, end: int) -> list[Bounds]:
    bounds: list[Bounds] = []
    for mark in _BETWEEN.finditer(text, start, end):
        if start < mark.start():
            bounds.append((start, mark.start()))
        start = mark.end()
    return [*bounds, (start, end)] if start < end else bounds
