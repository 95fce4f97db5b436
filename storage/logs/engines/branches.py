"""The order of the messages of a conversation: as a table lists them, or along the branches of a tree."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.units import ABOVE, OUTER, OWN, LogUnit
from qsquared.storage.logs.fields.field_paths import first_at, value_at
from qsquared.storage.logs.fields.objects import first
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.messages.messages import time_of


def own_value(form: Format, view: Mapping[str, Any], part: str, usual: Sequence[str] = ()) -> Any:
    """Return a part of a turn by the paths of its format, else by usual names."""
    return first_at(view, form.paths(part)) if part in form.fields else first(view, *usual)


def branches(form: Format, units: Sequence[LogUnit]) -> Iterator[tuple[Sequence[LogUnit], int]]:
    """Yield the messages on the way to each one without an answer, and how many of them came before.

    Without a path to the message that each one answers they are one branch.
    """
    if "parent" not in form.fields:
        yield _oldest_first(form, units), 0
        return
    nested = form.paths("parent") == (OUTER,)
    own = [f"{OUTER}.{OWN}"] if nested else form.paths("id")
    parent = [f"{OUTER}.{ABOVE}"] if nested else form.paths("parent")
    places = {str(first_at(one.fields, own)): n for n, one in enumerate(units)}
    above = [places.get(str(first_at(one.fields, parent))) for one in units]
    for way, came in ways(above):
        yield [units[n] for n in way], came


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


def _oldest_first(form: Format, units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of a conversation in their order, if the table lists the newest first.

    Times that go up and down, or that are missing, leave the order of the table.
    """
    said = (own_value(form, one.fields, "timestamp") or time_of(one.fields) for one in units)
    known = [time for time in map(moment_of, said) if time is not None]
    falls = len(known) == len(units) > 1 and known[0] > known[-1]
    return units[::-1] if falls and all(a >= b for a, b in pairwise(known)) else units


def in_order(form: Format, units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return units in the order of the values that the format names: numbers, then texts such as times."""

    def order(unit: LogUnit) -> tuple[list[float], list[str]]:
        values = [value_at(unit.fields, path) for path in form.paths("order")]
        numbers = [v for v in values if isinstance(v, int | float)]
        return numbers, [v for v in values if isinstance(v, str)]

    return sorted(units, key=order) if form.paths("order") else units
