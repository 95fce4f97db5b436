"""Paths to values within the nested fields of a row.

| path | leads to |
|---|---|
| ``answer`` | the field ``answer`` |
| ``output.answer`` | the field ``answer`` of the object ``output`` |
| ``choices[0].text``, ``choices.0.text`` | the field ``text`` of the first item |
| ``hits[].text``, ``hits[*].text`` | the field ``text`` of each item, as one list |

A field whose name has dots or brackets is found by its whole name.
An object or list that a cell holds as text is entered like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from qsquared.storage.logs.fields.cells import parsed

ABSENT = object()
"""The result of `value_at` for a field that does not exist."""

_EACH = "[]"
_STEP = re.compile(r"\[(\d+|\*|)\]|([^.\[\]]+)")
_MOST_LEAVES = 2000


def value_at(fields: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path; a list of values if the path enters each item of a list."""
    if path in fields:
        return fields[path]
    steps = _steps(path)
    if len(steps) == 1:
        return ABSENT
    found = list(_walk(fields, steps))
    if _EACH not in steps:
        return found[0] if found else ABSENT
    values = [value for value in found if value is not ABSENT]
    if not values and not found:
        return ABSENT
    flat: list[Any] = []
    for value in values:
        flat += value if isinstance(value, list) else [value]
    return flat


def first_name(path: str) -> str:
    """Return the name of the field that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(
        name or (index if index.isdigit() else _EACH) for index, name in _STEP.findall(path)
    )


def _walk(value: Any, steps: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values at a path; `ABSENT` stands for a list that was entered and gave none."""
    if not steps:
        yield value
        return
    value = parsed(value)
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        if step == _EACH:
            yield ABSENT
            for item in value:
                yield from (one for one in _walk(item, rest) if one is not ABSENT)
        elif step.isdigit() and int(step) < len(value):
            yield from _walk(value[int(step)], rest)
    elif isinstance(value, Mapping):
        # The longest name first, since names may have dots themselves.
        for end in range(len(steps), 0, -1):
            name = ".".join(steps[:end])
            if name in value:
                yield from _walk(value[name], steps[end:])
                return


def leaves(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the values within nested fields that are neither objects nor lists, with their paths.

    Of many thousand values the first are returned.
    """
    found: list[tuple[str, Any]] = []
    waiting: list[tuple[str, Any]] = [(str(name), value) for name, value in fields.items()][::-1]
    while waiting and len(found) < _MOST_LEAVES:
        path, value = waiting.pop()
        value = parsed(value)
        if isinstance(value, Mapping):
            waiting += [(f"{path}.{name}", inner) for name, inner in value.items()][::-1]
        elif isinstance(value, list):
            waiting += [(f"{path}[]", inner) for inner in value][::-1]
        else:
            found.append((path, value))
    return found
