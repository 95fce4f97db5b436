"""Paths to values within the nested fields of a row.

| path | leads to |
|---|---|
| ``answer`` | the field ``answer`` |
| ``output.answer`` | the field ``answer`` of the object ``output`` |
| ``choices[0].text``, ``choices.0.text``, ``turns[-1]`` | one item of a list |
| ``hits[].text``, ``hits[*].text`` | the field ``text`` of each item, as one list; an item that is a text itself |
| ``request|req.body`` | the first of two fields that has a value |
| ``gen_ai.*``, ``*.answers`` | the fields whose names begin so; any field |
| ``**.orchestrationTrace`` | the field, however deep it is |
| ``.`` | the row itself |

A field whose name has dots or brackets is found by its whole name.
An object or list that a cell holds as text, JSON or XML, is entered like any other, and so is a list of keys with
values (``[{"key": "a", "value": 1}]``, also typed as OTLP does), which is an object.
``messages[].text`` enters the objects of an object, too, if each states the key that it has there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from qsquared.storage.logs.fields.embedded_values import by_ids, opened, parsed

ABSENT = object()
"""The result of `value_at` for a field that does not exist."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Values of a field that is not given."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_EACH = "[]"
_ANYWHERE = "**"
_TEXT = ("text",)
_STEP = re.compile(r"\[(-?\d+|\*|)\]|([^.\[\]]+)")
_MOST_LEAVES = 2000
_INTEGER = re.compile(r"\d{1,20}|-\d{1,19}")
_PLAIN_VALUES = ("intValue", "stringValue", "boolValue", "doubleValue", "bytesValue")


def value_at(fields: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path; a list of values if the path enters each item of a list."""
    if path in fields:
        return fields[path]
    steps, several, heads = _compiled(path)
    if heads is not None and heads.isdisjoint(fields):
        return ABSENT
    found = _walk(fields, steps)
    if not several:
        return next(found, ABSENT)
    values = list(found)
    return flattened(one for one in values if one is not ABSENT) if values else ABSENT


@lru_cache(maxsize=4096)
def heads_of(paths: tuple[str, ...]) -> frozenset[str] | None:
    """Return the names of which a row has one if a path leads to a value in it, None if any name may do."""
    heads = [_compiled(path)[2] for path in paths]
    known = [one for one in heads if one is not None]
    return frozenset(paths).union(*known) if len(known) == len(heads) else None


def leads(fields: Mapping[str, Any], paths: tuple[str, ...]) -> bool:
    """Whether one of some paths may lead to a value in a row, which most rows show by their names."""
    heads = heads_of(paths)
    return heads is None or not heads.isdisjoint(fields)


def flattened(values: Iterable[Any]) -> list[Any]:
    """Return the items of the lists among some values, and the other values as they are."""
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return the values of pairs by their keys, both in their order."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def first_of_each(values: Iterable[_Value], key: Callable[[_Value], Any]) -> list[_Value]:
    """Return the values of which none before has the same key."""
    found: dict[Any, _Value] = {}
    for value in values:
        found.setdefault(key(value), value)
    return [*found.values()]


def each_at(fields: Mapping[str, Any], path: str) -> list[Any]:
    """Return the values at a path, of which a list is one."""
    return [one for one in _walk(fields, _compiled(path)[0]) if one is not ABSENT]


def first_at(fields: Mapping[str, Any], paths: Iterable[str]) -> Any:
    """Return the first value at these paths that is not empty, None if all are."""
    if isinstance(paths, tuple) and not leads(fields, paths):
        return None
    for path in paths:
        value = value_at(fields, path)
        if value is not ABSENT and value not in EMPTY:
            return value
    return None


def joined_at(fields: Mapping[str, Any], paths: Sequence[str]) -> Any:
    """Return the value at the path that leads to one; of several the items of all, as one list."""
    if len(paths) == 1:
        return value_at(fields, paths[0])
    found = [one for path in paths if (one := value_at(fields, path)) is not ABSENT]
    return flattened(map(parsed, found)) if found else ABSENT


def first_name(path: str) -> str:
    """Return the name of the field that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


@lru_cache(maxsize=4096)
def _compiled(path: str) -> tuple[tuple[str, ...], bool, frozenset[str] | None]:
    """Return the steps of a path, whether it may lead to several values, and the names that it may begin with.

    A plain name, which was looked up before, begins with none; None stands for any name.
    """
    found = _STEP.findall(path)
    steps = tuple(name or (n if n.lstrip("-").isdigit() else _EACH) for n, name in found)
    stars = any("*" in step for step in steps)
    several = stars or _EACH in steps
    if len(steps) == 1 and not several and "|" not in steps[0]:
        return steps, several, frozenset()
    if not steps or stars:
        return steps, several, None
    dotted = (".".join(steps[:end]) for end in range(2, len(steps) + 1))
    return steps, several, frozenset((*steps[0].split("|"), *dotted))


def _walk(value: Any, steps: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values at a path; `ABSENT` stands for a list that was entered and gave none."""
    # Most paths lead through objects alone, from name to name.
    while steps and type(value) is dict and steps[0] in value:
        longer = _names_in(steps)[1]
        if longer is None or not longer.isdisjoint(value):
            break
        value, steps = value[steps[0]], steps[1:]
    if not steps:
        yield value
        return
    value = opened(value)
    step, rest = steps[0], steps[1:]
    value = (by_ids(value) if step == _EACH else None) or value
    if isinstance(value, list):
        if step == _EACH:
            yield ABSENT
            for item in value:
                inner = [one for one in _walk(item, rest) if one is not ABSENT]
                # Of documents some may be their texts alone.
                text = rest == _TEXT and isinstance(item, str) and isinstance(opened(item), str)
                yield from inner or ([item] if text else [])
            return
        if step.lstrip("-").isdigit():
            if -len(value) <= int(step) < len(value):
                yield from _walk(value[int(step)], rest)
            return
        value = key_values(value)
    if isinstance(value, dict):
        yield from _within(value, steps)


@lru_cache(maxsize=4096)
def _names_in(steps: tuple[str, ...]) -> tuple[list[tuple[int, str]], frozenset[str] | None]:
    """Return the names with which steps may begin, the longest one first, each with the number of its steps.

    Beside them those with dots, None if the first step is no name.
    """
    names = [(end, ".".join(steps[:end])) for end in range(len(steps), 0, -1)]
    plain = "*" not in names[0][1] and steps[0] != _EACH
    return names, frozenset(name for _, name in names[:-1]) if plain else None


def _within(value: Mapping[str, Any], steps: tuple[str, ...]) -> Iterator[Any]:
    if steps[0] == _ANYWHERE:
        yield from _within(value, steps[1:])
        for one in flattened(value.values()):
            yield from _within(one, steps) if isinstance(one, dict) else ()
        return
    # The longest name first, since names may have dots themselves.
    for end, name in _names_in(steps)[0]:
        star = name.endswith("*")
        named = [key for key in value if str(key).startswith(name[:-1])] if star else [name]
        if star or name in value:
            for key in named:
                yield from _walk(value[key], steps[end:])
            if named:
                return
    yield from _first_of(value, steps[0].split("|"), steps[1:]) if "|" in steps[0] else ()


def _first_of(
    value: Mapping[str, Any], names: Sequence[str], rest: tuple[str, ...]
) -> Iterator[Any]:
    """Yield the values within the first of some fields that leads to any."""
    for name in names:
        found = list(_walk(value[name], rest)) if name in value else []
        if any(one is not ABSENT and one not in EMPTY for one in found):
            yield from found
            return


def any_value(value: Any) -> Any:
    """Return the value in an ``AnyValue`` of OTLP's JSON encoding (OTLP 1.x, protobuf mapping)."""
    if not isinstance(value, dict):
        return value
    number = value.get("intValue")
    if isinstance(number, str) and _INTEGER.fullmatch(number):
        return int(number)
    for name in _PLAIN_VALUES:
        if value.get(name) is not None:
            return value[name]
    if isinstance(listed := value.get("arrayValue"), dict):
        held = parsed(listed.get("values"))
        return [any_value(item) for item in held] if isinstance(held, list) else []
    if isinstance(pairs := value.get("kvlistValue"), dict):
        return key_values(pairs.get("values"))
    return None


def _only(value: Any) -> Any:
    """Return the one value in an object that has no other, None if it has none or several."""
    given = [one for one in value.values() if one is not None] if isinstance(value, dict) else []
    return given[0] if len(given) == 1 else None


def key_values(pairs: Any) -> dict[str, Any]:
    """Return a list of keys with values (OTLP's ``KeyValue``) as a dict; a mapping stays one.

    An object with one value, under whatever name of a type, is that value.
    """
    pairs = parsed(pairs)
    if isinstance(pairs, dict):
        return {str(key): value for key, value in pairs.items()}
    return {
        pair["key"]: _only(pair.get("value")) if held is None else held
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
        for held in [any_value(pair.get("value"))]
    }


def _are_named(items: Sequence[Any]) -> bool:
    """Whether a list holds typed values, each with a key of its own; the type may stand beside a value."""
    pairs = [item for item in items if isinstance(item, dict)]
    typed = ("type" in pair or _only(pair.get("value")) is not None for pair in pairs)
    keys = {pair["key"] for pair in pairs if "value" in pair and isinstance(pair.get("key"), str)}
    return 0 < len(keys) == len(items) and all(typed)


def leaves(fields: Mapping[str, Any], *, numbered: bool = False) -> list[tuple[str, Any]]:
    """Return the values within nested fields that are neither objects nor lists, with their paths.

    Paths enter each item of a list, or its items by their numbers if they are ``numbered``.
    Of many thousand values the first are returned.
    """
    found: list[tuple[str, Any]] = []
    waiting: list[tuple[str, Any]] = [(str(name), value) for name, value in fields.items()][::-1]
    while waiting and len(found) < _MOST_LEAVES:
        path, value = waiting.pop()
        value = opened(value)
        value = by_ids(value) or value
        if isinstance(value, list) and _are_named(value):
            value = key_values(value)
        if isinstance(value, dict):
            waiting += [(f"{path}.{name}", inner) for name, inner in value.items()][::-1]
        elif isinstance(value, list):
            items = [(f"{path}[{n if numbered else ''}]", one) for n, one in enumerate(value)]
            waiting += items[::-1]
        else:
            found.append((path, value))
    return found
