"""Trees of messages, known by values: each message names the one that it answers, and several answer the same."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.messages.messages import read_message, role_named

_NOWHERE = -1
"""The place of a message that is not in the conversation."""
_HALF = 0.5
_PLAIN = {"role", "content", "name", "type"}
_TOOL = "tool"
_Name = tuple[int, str] | None
"""A conversation and an id in it, None where a message has none."""
Tree = tuple[str, str, Sequence[int | None]]
"""The fields of the messages' ids and of those that they answer, and the place of the message that each answers."""


def tree_of(messages: Sequence[Mapping[str, Any]]) -> Tree | None:
    """Return the tree of the messages of one conversation, None if none is answered several times."""
    names = {name for one in messages for name in one if name not in _PLAIN}
    if len(names) < 2:
        return None
    held = {name: [one.get(name) for one in messages] for name in sorted(names)}
    read = map(read_message, messages)
    # What calls a tool is a step on the way, and no other answer.
    speakers = [one.role if one and one.text.strip() and not one.calls else _TOOL for one in read]
    return find_tree(held, speakers, [0] * len(messages), "id")


def find_tree(
    held: Mapping[str, Sequence[Any]], speakers: Sequence[str], groups: Sequence[int], named: str
) -> Tree | None:
    """Return the tree of messages by the fields whose values are ids of others, None if none is answered several times.

    Args:
        held: the values of each field, None where a message has none.
        speakers: who says each message.
        groups: the number of the conversation of each.
        named: the field of ids that is named so, empty if there is none.
    """
    names: dict[str, list[_Name]] = {
        field: [None if one is None else (group, str(one)) for group, one in zip(groups, values, strict=True)]
        for field, values in held.items()
        if all(value is None or is_name(value) for value in values)
    }  # fmt: skip
    own = [field for field, ids in names.items() if len({*ids} - {None}) == len(groups)]
    for field in sorted(own, key=lambda one: one != named):
        places = {one: place for place, one in enumerate(names[field])}
        # Numbers count many things.
        counted = field != named and all(one and one[1].isdecimal() for one in names[field])
        for other in (one for one in names if one != field):
            above = [places.get(up, _NOWHERE) if up else None for up in names[other]]
            if _branches(above, speakers, groups, counted=counted):
                return field, other, above
    return None


def _branches(
    above: Sequence[int | None], speakers: Sequence[str], groups: Sequence[int], *, counted: bool
) -> bool:
    """Whether places are those of the messages that messages answer, of which some are answered several times.

    Those that answer one are said by the same: what a step of a program holds is by several, or by tools.
    If ids are numbers, each message but the first of a conversation answers an earlier one.
    """
    linked = [(up, place) for place, up in enumerate(above) if up is not None]
    least = len(groups) - len(set(groups)) if counted else _HALF * len(groups)
    wrong = (up in {_NOWHERE, place} or (counted and up > place) for up, place in linked)
    if len(linked) < least or any(wrong):
        return False
    by: dict[int, list[str]] = {}
    for up, place in linked:
        by.setdefault(up, []).append(speakers[place])
    several = [set(held) for held in by.values() if len(held) > 1]
    return bool(several) and all(
        len(held) == 1 and not any(role_named(one) == _TOOL for one in held) for held in several
    )


def ways(above: Sequence[int | None]) -> Iterator[tuple[list[int], int]]:
    """Yield the places on the way to each message without an answer, and how many of them came before.

    Args:
        above: the place of the message that each message answers, None for the first of a conversation.
    """
    came: set[int] = set()
    for last in (n for n, _ in enumerate(above) if n not in above):
        way: dict[int, None] = {}
        place: int | None = last
        while place is not None and place not in way:
            way[place] = None
            place = above[place]
        yield [*reversed(way)], len(came & way.keys())
        came |= way.keys()
    # Messages that answer each other in a circle.
    if around := [n for n, _ in enumerate(above) if n not in came]:
        yield around, 0
