"""Lists of like objects within the rows of a log, at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.fields.cells import parsed

Unit = Mapping[str, Any]
_MOST_UNITS = 200
_LEAST_ALIKE = 3
_MOST_DEPTH = 8


def levels(rows: Sequence[Unit]) -> dict[str, list[tuple[int, Unit]]]:
    """Return the lists of like objects in rows, at any depth, by their paths; each unit with its row's number.

    The rows themselves have the empty path.
    """
    found: dict[str, list[tuple[int, Unit]]] = {"": []}
    for number, row in enumerate(rows[:_MOST_UNITS]):
        found[""].append((number, row))
        for path, group, unit in _lists(row, "", str(number), 0):
            held = found.setdefault(path, [])
            if len(held) < _MOST_UNITS:
                held.append((hash(group), unit))
    return found


def _lists(value: Unit, path: str, group: str, depth: int) -> Iterator[tuple[str, str, Unit]]:
    for name, inner in value.items() if depth < _MOST_DEPTH else ():
        held = parsed(inner)
        where = f"{path}{name}"
        listed = held if isinstance(held, list) else []
        if isinstance(held, dict):
            inside = [one for one in held.values() if isinstance(one, dict)]
            if len(inside) == len(held) >= _LEAST_ALIKE and set.intersection(
                *(set(one) for one in inside)
            ):
                listed, where = inside, f"{where}.*"
            else:
                yield from _lists(held, f"{where}.", group, depth + 1)
        units = [one for one in listed if isinstance(one, dict)]
        for place, one in enumerate(units):
            yield f"{where}[]", f"{group}/{where}", one
            yield from _lists(one, f"{where}[].", f"{group}/{where}/{place}", depth + 1)
