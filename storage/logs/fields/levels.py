"""Lists of like objects within the rows of a log, at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.fields.cells import parsed

Unit = Mapping[str, Any]
_MOST_UNITS = 200
_LEAST_ALIKE = 3
_MOST_DEPTH = 8
_MOST_CELLS = 100


def levels(rows: Sequence[Unit]) -> dict[str, list[tuple[int, Unit]]]:
    """Return the lists of like objects in rows, at any depth, by their paths; each unit with its row's number.

    The rows themselves have the empty path.
    """
    found: dict[str, list[tuple[int, Unit]]] = {"": []}
    for number, row in enumerate(rows[:_MOST_UNITS]):
        found[""].append((number, row))
        inside = _alike(row)
        same = inside and len(set.intersection(*map(set, inside))) >= 0.6 * len(
            set().union(*inside)
        )
        # A file may hold each conversation under its id.
        inner = {"*": inside} if same else row
        for path, group, unit in _lists(inner, "", str(number), 0):
            held = found.setdefault(path, [])
            if len(held) < _MOST_UNITS:
                held.append((hash(group), unit))
    return found


def _alike(held: Unit) -> list[dict[str, Any]]:
    """Return the objects in an object that holds nothing else, if they have a field in common; else none."""
    inside = [one for one in held.values() if isinstance(one, dict)]
    whole = len(inside) == len(held) >= _LEAST_ALIKE
    return inside if whole and set.intersection(*map(set, inside)) else []


def as_object(value: Any) -> dict[str, Any]:
    """Return an object; of a short list, such as a row of a table, its items by number; else an empty one."""
    held = parsed(value)
    if isinstance(held, list) and len(held) <= _MOST_CELLS:
        spoken = any(isinstance(one, str) for one in held)
        return {str(number): one for number, one in enumerate(held)} if spoken else {}
    return held if isinstance(held, dict) else {}


def objects_in(listed: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the objects and rows of cells in a list, and those in the lists of objects within it."""
    found: list[dict[str, Any]] = []
    for one in listed:
        nested = isinstance(one, list) and any(isinstance(inner, dict) for inner in one)
        found += map(as_object, one if nested else [one])
    return [one for one in found if one]


def _lists(value: Unit, path: str, group: str, depth: int) -> Iterator[tuple[str, str, Unit]]:
    for name, inner in value.items() if depth < _MOST_DEPTH else ():
        held = parsed(inner)
        where = f"{path}{name}"
        listed = held if isinstance(held, list) else []
        if isinstance(held, dict):
            if inside := _alike(held):
                listed, where = inside, f"{where}.*"
            else:
                yield from _lists(held, f"{where}.", group, depth + 1)
        units = objects_in(listed)
        for place, one in enumerate(units):
            yield f"{where}[]", f"{group}/{where}", one
            yield from _lists(one, f"{where}[].", f"{group}/{where}/{place}", depth + 1)
