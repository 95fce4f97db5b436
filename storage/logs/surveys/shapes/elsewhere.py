"""Lists of an unknown log beside that of a proposal: other rows, copies of its rows, replies apart from passages."""

from __future__ import annotations

from collections.abc import Mapping

from qsquared.storage.logs.surveys.columns.described import is_known
from qsquared.storage.logs.surveys.columns.values import SOME_ASK, Column, Held, columns

_MOST_ASK = 0.6
"""The greatest share of questions among what two people say; more are what one of them asks."""
_COMPARED = 50


def is_copy(path: str, other: str, found: Mapping[str, Held]) -> bool:
    """Whether another list holds the units of a list, and more."""
    theirs = [unit for _, unit in found[other]]
    held = (unit in theirs for _, unit in found[path][:_COMPARED])
    return len(theirs) > len(found[path]) and all(held)


def apart(rows: str, found: Mapping[str, Held]) -> str:
    """Return that rows lie in other lists, too, which a description with one path would lose; else empty."""
    names = found[rows][0][1].keys()
    lists = [
        path
        for path, held in found.items()
        if rows
        and not path.startswith(rows)
        and held[0][1].keys() == names
        and len(names) > 1
        and not is_copy(path, rows, found)
    ]
    told = f"Rows lie in {rows} and in {', '.join(lists[:3])}; write them as one list."
    return told if lists else ""


def elsewhere(found: Mapping[str, Held]) -> str:
    """Return that the replies and the passages lie in different lists; empty unless both are found."""
    spoken: dict[str, Column] = {}
    known: dict[str, Column] = {}
    for path, held in found.items():
        made = columns([unit for _, unit in held]).values()
        prose = [one for one in made if one.is_prose and one.is_single]
        asked = any(one.asks >= SOME_ASK for one in prose)
        for one in prose[::-1]:
            if (one.asks <= _MOST_ASK and one.has_sentences) if asked else is_known(one, 1):
                (spoken if asked else known)[path] = one
    for where, said in spoken.items():
        for other, one in known.items():
            within = other.startswith(where) or where.startswith(other)
            if not within and set(one.filled).isdisjoint(said.filled):
                return (
                    f"The replies seem to lie in {where}.{said.path}, and the passages in {other}.{one.path}, "
                    "which are not in one row; log with each reply what was retrieved for it."
                )
    return ""
