"""Recognise the format of a log by its first rows, and turn its rows into turns and rejects by that format."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import Any

from qsquared.storage.logs.envelopes import ROW_LISTS
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.mapping import AND, sources
from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.fields.reshaped import changed, cut
from qsquared.storage.logs.fields.values import as_text
from qsquared.storage.logs.format_engines.cut_units import turns_in, units_of
from qsquared.storage.logs.format_engines.formats import Example, Format, fits, known_formats
from qsquared.storage.logs.format_engines.units import MISFITS, LogUnit, Overrides
from qsquared.storage.logs.rows import Limits, RawRow, Row, UnreadableRow, excerpt
from qsquared.storage.logs.wrappings import taken_off

_PARTS = 1000
_TOO_DEEP = "The row is nested too deeply."

# An empty name: a database of its own on disk that SQLite removes when it is closed.
_TABLES = "create table units (line integer, name text, data text, raw text)"
_GROUPS = """
select name, sum(length(data)), min(line), min(raw) from units group by name order by min(rowid)
"""
_OF_GROUP = "select line, data, raw from units where name = ? order by rowid"


def adapted(
    rows: Iterable[Row], form: Format, overrides: Overrides, limits: Limits
) -> Iterator[Row]:
    """Yield the turns in a log, each as a row with our fields, and its rejects.

    Positions count the turns and rejects; a line is that of the row in the log.
    Rows that belong together wait for each other on disk, so that a log may be larger than memory.

    Args:
        rows: the rows of the file.
        form: their format.
        overrides: a person's mapping of the fields.
        limits: the limits of one group.
    """
    for position, found in enumerate(_outcomes(rows, form, overrides, limits)):
        yield replace(found, position=position)


def _outcomes(
    rows: Iterable[Row], form: Format, overrides: Overrides, limits: Limits
) -> Iterator[Row]:
    with closing(sqlite3.connect("")) as waiting:
        waiting.execute(_TABLES)
        for row in joined(rows, form, limits) if form.join else rows:
            yield from _outcomes_of_row(row, form, overrides, waiting)
        waiting.execute("create index by_name on units (name)")
        for name, size, line, raw in waiting.execute(_GROUPS):
            if size > limits.row_bytes:
                reason = limits.too_long(f"group {excerpt(name)[:40]!r}")
                yield UnreadableRow(0, line, reason, raw)
                continue
            held = waiting.execute(_OF_GROUP, (name,))
            units = [LogUnit(line, json.loads(data), name, raw) for line, data, raw in held]
            yield from _outcomes_of_units(form, units, overrides, units[0].raw)


def joined(rows: Iterable[Row], form: Format, limits: Limits) -> Iterator[Row]:
    """Yield rows; of those that repeat a turn one after another, the first with the passages of all as a list."""

    def repeated(row: Row) -> object:
        fields = row.fields if isinstance(row, RawRow) else {}
        values = [value_at(fields, path) for path in form.join]
        return object() if any(one in (ABSENT, None) for one in values) else values

    known = form.paths("knowledge")[0]
    return (_with_all(alike, known, limits) for _, alike in groupby(rows, repeated))


def _with_all(alike: Iterator[Row], known: str, limits: Limits) -> Row:
    first = next(alike)
    if isinstance(first, UnreadableRow):
        return first
    passages: list[Any] = []
    size = 0
    for row in chain([first], alike):
        passage = value_at(row.fields, known) if isinstance(row, RawRow) else ABSENT
        size += len(str(passage))
        passages += [passage] if passage is not ABSENT and size <= limits.row_bytes else []
    if size > limits.row_bytes:
        return UnreadableRow(0, first.line, limits.too_long("turn of several rows"), first.raw)
    return replace(first, fields=changed(first.fields, known, lambda _: passages))


def _outcomes_of_row(
    row: Row, form: Format, overrides: Overrides, waiting: sqlite3.Connection
) -> list[Row]:
    """Return the outcomes of a row; its units that belong to a group wait for the others."""
    if isinstance(row, UnreadableRow):
        return [row]
    try:
        # A description of a person's own names the fields as the log has them.
        known = known_formats().get(form.name) is form
        units = units_of(form, row.line, taken_off(row.fields) if known else row.fields)
        if isinstance(units, str):
            return [UnreadableRow(0, row.line, units, row.raw)]
        if form.cut:
            units = [replace(unit, fields=cut(unit.fields, form.cut)) for unit in units]
        grouped = [
            (unit.line, _storable(unit.group), json.dumps(unit.fields, default=as_text), row.raw)
            for unit in units
            if unit.group is not None
        ]
    except MISFITS as error:
        return [UnreadableRow(0, row.line, _misfit(form, error), row.raw)]
    if grouped:
        waiting.executemany("insert into units values (?, ?, ?, ?)", grouped)
    alone = [unit for unit in units if unit.group is None]
    made = (_outcomes_of_units(form, [unit], overrides, row.raw, row.part) for unit in alone)
    return [turn for turns in made for turn in turns]


def _misfit(form: Format, error: Exception) -> str:
    if isinstance(error, RecursionError | ValueError):
        return _TOO_DEEP
    return f"The row's fields are not of the format {form.name} ({type(error).__name__})."


def _storable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _outcomes_of_units(
    form: Format, units: Sequence[LogUnit], overrides: Overrides, raw: str, part: int = 0
) -> list[Row]:
    """Return the turns and rejects of a group, numbered within the ``part`` of a line that holds them."""
    try:
        turns = turns_in(form, units, overrides)
        made: list[Row] = []
        for number, (line, turn) in enumerate(turns, start=1 + part * _PARTS):
            if isinstance(turn, str):
                made.append(UnreadableRow(0, line, turn, raw))
            else:
                made.append(RawRow(0, line, turn, raw, number if len(turns) > 1 else part))
    except MISFITS as error:
        return [UnreadableRow(0, units[0].line, _misfit(form, error), raw)]
    return made


FLAT = "flat"
"""The format of rows that are turns, whose columns are named or mapped."""
ROWS_LOOKED_AT = 20


def recognise(
    rows: Iterable[Row], mapping: Mapping[str, str], own: Sequence[Format] = ()
) -> tuple[Format | None, str]:
    """Return the format of the first rows of a log, and the path of the list within a row that holds them.

    The format is None if the rows are flat or unknown; the path is empty if the rows are those of the file.

    A row with a text in the field of the response is flat if a person named that field, or if the
    row has the field of the knowledge, too; else if it is of no format.

    Args:
        rows: the log's rows, of which the first readable ones are examined.
        mapping: the log's field → ours, as far as a person stated it.
        own: a person's own formats, which are tried before those of the package.
    """
    source = sources(mapping)
    response, knowledge = source.get("response", "response"), source.get("knowledge", "knowledge")
    readable = (row.fields for row in rows if isinstance(row, RawRow))
    for fields in islice(readable, ROWS_LOOKED_AT):
        replies = isinstance(value_at(fields, response), str)
        if replies and (response in mapping or value_at(fields, knowledge) is not ABSENT):
            return None, ""
        if form := _format_of(fields, own):
            return form, ""
        if replies:
            return None, ""
        if not mapping and (found := _in_a_list(fields, own)):
            return found
    return None, ""


def _in_a_list(fields: Mapping[str, Any], own: Sequence[Format]) -> tuple[Format, str] | None:
    """Return the format of the objects in lists within a row, with their paths; single messages are no rows."""
    found: dict[str, Format] = {}
    for path, held in levels([fields]).items():
        # What lies in an object that is read is its own affair.
        inner = any(path.startswith(outer) for outer in found)
        form = None if not path or "*" in path or inner else _format_of(held[0][1], own)
        if form is not None and form.unit != "message":
            found[path] = form
    first = next(iter(found.values()), None)
    listed = {path: path.removesuffix("[]").rpartition(".")[2] in ROW_LISTS for path in found}
    paths = [path for path, form in found.items() if form is first and listed[path]]
    paths = paths or [path for path, form in found.items() if form is first][:1]
    return None if first is None else (first, AND.join(paths))


def _format_of(fields: Mapping[str, Any], own: Sequence[Format]) -> Format | None:
    inner = taken_off(fields)
    forms = (*own, *known_formats().values())
    return next((form for form in forms if _recognised(form, inner)), None)


def _recognised(form: Format, fields: Mapping[str, Any]) -> bool:
    try:
        return fits(form.known, form.view(fields))
    except MISFITS:
        return False


def rows_of(example: Example) -> list[RawRow]:
    """Return the rows of the log of an example."""
    read = (json.loads(row) if isinstance(row, str) else row for row in example.log)
    return [RawRow(n, n + 1, fields, "") for n, fields in enumerate(read)]


def _turn_of(row: RawRow) -> dict[str, Any]:
    """Return what an example states of a turn: response, texts of the knowledge, and history."""
    texts = [one["text"] if isinstance(one, dict) else one for one in row.fields["knowledge"]]
    return {**{key: row.fields[key] for key in ("response", "history")}, "knowledge": texts}


def failures(form: Format) -> list[str]:
    """Return why examples of a description do not give the turns that they state, one sentence each."""
    wrong = []
    for number, example in enumerate(form.examples, start=1):
        rows = [*adapted(rows_of(example), form, Overrides(), Limits())]
        given = [_turn_of(row) for row in rows if isinstance(row, RawRow)]
        reasons = [row.reason for row in rows if isinstance(row, UnreadableRow)]
        stated = [dict(turn) for turn in example.turns]
        pairs = zip(stated, given, strict=False)
        cut = [{key: turn.get(key) for key in one} for one, turn in pairs]
        if len(given) != len(stated) or cut != stated or not stated:
            gives, states = (json.dumps(one, ensure_ascii=False) for one in (given, stated))
            wrong.append(f"Example {number} gives {gives}, and states {states}.")
            wrong += [f"  Reject: {reason}" for reason in dict.fromkeys(reasons)]
    return wrong
