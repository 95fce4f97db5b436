"""Trees of messages in an unknown log: each message names the one that it answers, and several answer the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qsquared.storage.logs.surveys.columns.described import is_name
from qsquared.storage.logs.surveys.columns.values import Column, Held

_NOWHERE = -1
"""The place of a message that is not in the conversation."""
_HALF = 0.5


def answers_by_id(
    held: Held, made: Mapping[str, Column], name: str, values: Sequence[str]
) -> dict[str, list[str]]:
    """Return the paths of the ids of messages and of the messages that they answer, if several answer one; else none.

    Args:
        held: the messages, each with the number of its conversation.
        made: the columns that may hold these ids.
        name: the path of ids that are named so, empty if there are none.
        values: who says each message.
    """
    groups = [group for group, _ in held]
    names = {
        path: [(group, str(one[0])) if one else None for group, one in zip(groups, column.values, strict=True)]
        for path, column in made.items()
        if column.is_single and all(is_name(value) for one in column.values for value in one)
    }  # fmt: skip
    own = [path for path, ids in names.items() if len({*ids} - {None}) == len(groups)]
    for path in sorted(own, key=lambda one: one != name):
        places = {one: place for place, one in enumerate(names[path])}
        for other in (one for one in names if one != path):
            above = [places.get(up, _NOWHERE) if up else None for up in names[other]]
            if _branches(above, values, groups, counted=path != name and _count(names[path])):
                return {"id": [path], "parent": [other]}
    return {}


def _count(names: Iterable[tuple[int, str] | None]) -> bool:
    """Whether ids are numbers, which count many things."""
    return all(name and name[1].isdecimal() for name in names)


def _branches(
    above: Sequence[int | None], values: Sequence[str], groups: Sequence[int], *, counted: bool
) -> bool:
    """Whether places are those of the messages that messages answer, of which some are answered several times.

    Those that answer one are said by the same: what a step of a program holds is by several. By numbers each message
    but the first of a conversation answers an earlier one.
    """
    linked = [(up, place) for place, up in enumerate(above) if up is not None]
    least = len(groups) - len(set(groups)) if counted else _HALF * len(groups)
    if len(linked) < least or any(up in {_NOWHERE, place} for up, place in linked):
        return False
    if counted and any(up > place for up, place in linked):
        return False
    by: dict[int, list[str]] = {}
    for up, place in linked:
        by.setdefault(up, []).append(values[place])
    several = [held for held in by.values() if len(held) > 1]
    return bool(several) and all(len(set(held)) == 1 for held in several)
