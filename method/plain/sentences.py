"""Sentences of a paragraph of plain text, and their clauses.

A sentence ends at ``.``, ``!``, ``?`` or ``…``, with closing quotes, before white space, but not
after an abbreviation or an initial.
"""

import re
from functools import lru_cache

from qsquared.method.plain.markup.patterns import pattern

_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s+(\S))")
_WORDS_OF_STATEMENT = 4
_BETWEEN = re.compile(
    r"\s*(?:[,;:()\u2013\u2014]|\s-)\s+(?:(?:and|but|or|while|whereas)\s+)?|"
    r"\s+(?:and|but|or|while|whereas)\s+|\s*\n\s*"
)
"""Marks and words between clauses; a comma within a number is followed by no space."""

Bounds = tuple[int, int]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the bounds of the sentences, without the white space around them.

    A question that follows a statement after a comma is a sentence of its own.
    """
    raw: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if _goes_on(text, start, match):
            continue
        raw.append((start, match.end()))
        start = match.end()
    raw.append((start, len(text)))
    trimmed = [
        bounds for bounds in (_trimmed(text, *part) for part in raw) if bounds[0] < bounds[1]
    ]
    return [part for bounds in trimmed for part in _question_apart(text, *bounds)]


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the full stop belongs to an abbreviation, an initial or a number in a list."""
    mark = match.group().rstrip("\"'”’)]")
    if mark != ".":
        # "See “Who are we?” below": words that are quoted.
        return mark in ("?", "!") and mark != match.group() and match.group(1).islower()
    low = max(start, match.start() - 20)
    if not pattern("abbreviation").search(text, low, match.start()):
        return False
    # "at 5 p.m. The museum …": a capital after such an abbreviation begins a sentence.
    if not match.group(1).isupper():
        return True
    if pattern("ends_safely").search(text, low, match.start()):
        return False
    of_letters = pattern("letters").search(text, low, match.start())
    return not (of_letters and pattern("begins_sentence").match(text, match.end()))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def _question_apart(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if not text[start:end].rstrip("\"'”’) ").endswith("?"):
        return [(start, end)]
    match = pattern("question_after_comma").search(text, max(start, end - 300), end)
    if (
        match is None
        or pattern("no_statement").match(text, start)
        or len(text[start : match.start()].split()) < _WORDS_OF_STATEMENT
    ):
        return [(start, end)]
    return [(start, match.start()), (match.end(), end)]


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
