"""Cut the rows of a file into the units of a format: its calls, messages or spans, with their groups."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from qsquared.storage.logs.fields.embedded_values import by_ids, opened, parsed
from qsquared.storage.logs.fields.field_paths import (
    ABSENT,
    EMPTY,
    first_at,
    first_name,
    flattened,
    grouped,
    value_at,
)
from qsquared.storage.logs.fields.objects import TOGETHER, as_table, items, mapping, objects_in
from qsquared.storage.logs.fields.reshaped import changed, nested, united
from qsquared.storage.logs.fields.values import as_text
from qsquared.storage.logs.format_engines import conversations, spans
from qsquared.storage.logs.format_engines.calls import turns_of_calls
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.prepared.dialogues import PREPARE, WHOLE
from qsquared.storage.logs.format_engines.units import (
    ABOVE,
    OUTER,
    OWN,
    STREAM,
    Fields,
    LogUnit,
    Outcomes,
    Overrides,
)
from qsquared.storage.logs.messages.event_streams import ENDS, event_in, joined_events
from qsquared.storage.logs.messages.messages import read_message

_FILE = "the file"
_ROW = "\0"
"""The mark between the id of a conversation and the number of the row or list that holds all of it."""
_LIST = "\0list"
_numbers = count()
_LARGE = ("input", "output", "inputs", "outputs", "messages")
_NOT_AROUND = {*_LARGE, OUTER}
_NAMED_LIKE = re.compile(r"conv|thread|session|chat|ticket|dialog|channel|room", re.IGNORECASE)
_MOST_DEPTH = 50
_ALONE = "The row has no {}, by which the parts of a turn belong together."
_SEVERAL = "Another row with the same id holds another reply."


def units_of(form: Format, line: int, fields: Fields) -> list[LogUnit] | str:
    """Return the units in a row of a file, or why it holds nothing of the format."""
    if (event := _event(form, fields)) is not None:
        return _of_event(line, event)
    nothing = f"The row holds nothing of the format {form.name}."
    made: list[LogUnit] = []
    for row in _rows(form, _with_related(form, fields)):
        cut = PREPARE[form.prepare].split(row)
        if cut is None:
            return nothing
        number = next(_numbers)
        for one in cut:
            made += _with_children(form, line, one, None, 0, number)
    # An event of a conversation's stream may say nothing; a row of spans or log records stands for itself.
    return nothing if form.engine == "spans" and not made else made


def _with_related(form: Format, fields: Fields) -> Fields:
    """Return a row whose lists hold the objects that belong to theirs, without its other lists."""
    if not form.related:
        return fields
    into = {first_name(one.into) for one in form.related}
    held = nested(fields, form.related)
    # Else each object would be kept with all other tables around it.
    return {k: v for k, v in held.items() if k in into or not isinstance(v, list)}


def _event(form: Format, fields: Fields) -> Mapping[str, Any] | None:
    return event_in(fields) if form.engine == "messages" and form.unit == "call" else None


def _of_event(line: int, event: Mapping[str, Any]) -> list[LogUnit]:
    """Return the units of an event of a stream; one that holds the whole response stands alone, too."""
    whole = mapping(event.get("response"))
    if whole and event.get("type") in ENDS:
        ended = {"type": event["type"], "response": {"id": whole.get("id")}, "read": True}
        return [LogUnit(line, dict(whole)), LogUnit(line, ended, STREAM)]
    name = event.get("id")
    group = name if isinstance(name, str) and "choices" in event else STREAM
    return [LogUnit(line, dict(event), group)]


def _rows(form: Format, fields: Fields) -> Iterable[Fields]:
    entered = (entered_units(fields, list(filter(None, path.split("[]")))) for path in form.rows)
    return next(filter(None, map(list, entered)), [fields])


def entered_units(fields: Fields, steps: Sequence[str]) -> Iterator[Fields]:
    """Yield the objects in nested lists, each with the fields of those around it."""
    path = steps[0].strip(".")
    around, _, last = path.rpartition(".")
    value = first_at(fields, [path])
    if value is None and TOGETHER in last:
        value = as_table(mapping(first_at(fields, [around])) if around else fields, last)
    value = opened(value)
    listed = by_ids(value) or items(value)
    held: list[Mapping[str, Any]] = [*objects_in(listed)] or [mapping(value)]
    names = [path, *re.split(rf"[|{TOGETHER}]", path.split(".")[0])]
    outer = {k: v for k, v in fields.items() if k not in names and k not in _LARGE}
    outer = {**mapping(outer.pop(OUTER, None)), **outer, _LIST: next(_numbers)}
    for one in held:
        if one and len(steps) == 1:
            yield {**one, OUTER: outer}
        elif one:
            yield from entered_units({**one, OUTER: outer}, steps[1:])


def _group(form: Format, fields: Fields) -> str | None:
    """Return the name of the conversation or trace that a row belongs to, without the project before it."""
    name = first_at(fields, form.group)
    if isinstance(name, str) and name.startswith("projects/"):
        return name.rstrip("/").rsplit("/", 1)[-1]
    return str(name) if isinstance(name, str | int) else None


def _with_children(
    form: Format, line: int, fields: Fields, group: str | None, depth: int, number: int = 0
) -> Iterator[LogUnit]:
    lists = [path for path in form.children if isinstance(first_at(fields, [path]), list | str)]
    inner = [mapping(one) for path in lists for one in items(value_at(fields, path))]
    if WHOLE in fields:
        group = f"{fields.pop(WHOLE)}{_ROW}{number}"
    group = group or _group(form, fields)
    within = OUTER in fields or inner
    if group is None and within and form.engine == "spans":
        own = first_at(fields, form.paths("id"))
        group = str(own) if inner and isinstance(own, str) else f"line {line}"
    nested = form.paths("parent") == (OUTER,)
    if group is None and form.unit == "message":
        alone = f"{_ROW}{number}" if nested else _FILE
        group = f"{_ROW}{fields[OUTER].get(_LIST)}" if OUTER in fields else alone
    own_fields = {key: value for key, value in fields.items() if key not in lists}
    around: Fields = {}
    if nested or inner:
        around = {key: value for key, value in own_fields.items() if key not in _NOT_AROUND}
    if nested:
        around[ABOVE] = next(_numbers)
        own_fields[OUTER] = {**mapping(fields.get(OUTER)), OWN: around[ABOVE]}
    yield LogUnit(line, own_fields, group)
    for one in inner if depth < _MOST_DEPTH else ():
        held = {**one, OUTER: {**around, "trace": group}}
        yield from _with_children(form, line, held, group, depth + 1)


def turns_in(form: Format, units: Sequence[LogUnit], overrides: Overrides) -> Outcomes:
    """Return the turns of the units of a group."""
    if form.unit == "part":
        return _of_parts(form, units, overrides)
    join = PREPARE[form.prepare].join
    if form.engine == "spans":
        return spans.turns_of(form, join(units), overrides)
    if _event(form, units[0].fields) is not None:
        made = joined_events([unit.fields for unit in units])
        parts = [[LogUnit(units[place].line, whole)] for place, whole in made]
    elif units[0].group == _FILE:
        parts = _conversations(units)
    else:
        named = [
            one if one.group is None else replace(one, group=one.group.split(_ROW)[0] or None)
            for one in join(units)
        ]
        parts = [*grouped((unit.group, unit) for unit in named).values()]
    turns_of = turns_of_calls if form.unit == "call" else conversations.turns_of
    return [turn for part in parts for turn in turns_of(form, part, overrides)]


def _of_parts(form: Format, units: Sequence[LogUnit], overrides: Overrides) -> Outcomes:
    """Return the turn of a record whose parts stand in several rows; of several replies none is chosen."""
    said = [(first_at(unit.fields, form.paths("response")), unit) for unit in units]
    replies = [(reply, unit) for reply, unit in said if reply is not None]
    if any(reply != replies[0][0] for reply, _ in replies):
        return [(unit.line, _SEVERAL) for _, unit in replies]
    lone = units[0].group is None and first_at(units[0].fields, form.paths("knowledge")) is None
    if replies and lone:
        return [(units[0].line, _ALONE.format(" or ".join(form.group)))]
    whole = united([unit.fields for unit in units])
    for path in (*form.paths("knowledge"), *form.paths("more")):
        place = path.partition("[]")[0]
        held = [parsed(value_at(unit.fields, place)) for unit in units]
        found = [one for one in held if one is not ABSENT and one not in EMPTY]
        if len(found) > 1:
            whole = changed(whole, place, partial(_all_of, found))
    return turns_of_calls(form, [replace(units[0], fields=whole, group=None)], overrides)


def _all_of(found: Sequence[Any], _: Any) -> list[Any]:
    """Return the values that rows hold in the same place as one list, each once."""
    return [*{json.dumps(one, default=as_text): one for one in flattened(found)}.values()]


def _conversations(units: Sequence[LogUnit]) -> list[list[LogUnit]]:
    """Return the conversations of rows that name none by a usual name."""
    for name in (name for name in units[0].fields if _NAMED_LIKE.search(name)):
        values = [unit.fields.get(name) for unit in units]
        known = [str(value) for value in values if isinstance(value, str | int)]
        if len(known) == len(units) and 1 < len(set(known)) < len(units):
            pairs = zip(known, units, strict=True)
            return [*grouped((name, replace(unit, group=name)) for name, unit in pairs).values()]
    found: list[list[LogUnit]] = [[]]
    for unit in units:
        message = read_message(unit.fields)
        begins = message is not None and message.role == "system"
        if begins and any(one.fields.get("role") != unit.fields.get("role") for one in found[-1]):
            found.append([])
        found[-1].append(replace(unit, group=None))
    return found
