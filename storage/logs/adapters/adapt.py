"""Rows of another program's log as rows of ours; each comes out as turns or as a reject."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.limits import Limits
from qsquared.storage.logs.rows import RAW_CHARACTERS, RawRow, UnreadableRow, excerpt

_TOO_DEEP = "The row is nested too deeply."

# An empty name: a database of its own on disk that SQLite removes when it is closed.
_TABLES = "create table units (line integer, name text, data text, raw text)"
_GROUPS = """
select name, sum(length(data)), min(line), min(raw) from units group by name order by min(rowid)
"""
_OF_GROUP = "select line, data, raw from units where name = ? order by rowid"


def adapted(
    rows: Iterable[RawRow | UnreadableRow],
    adapter: Adapter,
    overrides: FieldOverrides,
    limits: Limits,
) -> Iterator[RawRow | UnreadableRow]:
    """The turns that a log holds, each as a row with our fields, and its rejects.

    Positions count what comes out; a line is that of the row in the log.
    Rows that belong together wait for each other on disk, so that a log may be larger than memory.

    Args:
        rows: the rows as they stand in the file.
        adapter: what they mean.
        overrides: what a person said about the fields.
        limits: the most that one group may take.
    """
    position = 0
    with closing(sqlite3.connect("")) as waiting:
        waiting.execute(_TABLES)
        for row in rows:
            for outcome in _of_row(row, adapter, overrides, waiting):
                yield _numbered(outcome, position)
                position += 1
        waiting.execute("create index by_name on units (name)")
        for name, size, line, raw in waiting.execute(_GROUPS):
            for outcome in _of_group(waiting, name, size, line, raw, adapter, overrides, limits):
                yield _numbered(outcome, position)
                position += 1


_Outcome = RawRow | UnreadableRow


def _numbered(outcome: _Outcome, position: int) -> _Outcome:
    return replace(outcome, position=position)


def _of_row(
    row: RawRow | UnreadableRow,
    adapter: Adapter,
    overrides: FieldOverrides,
    waiting: sqlite3.Connection,
) -> list[_Outcome]:
    """What comes of a row at once; its units that belong to a group are put aside."""
    if isinstance(row, UnreadableRow):
        return [row]
    try:
        units = adapter.split(row.line, row.fields)
        if isinstance(units, str):
            return [UnreadableRow(0, row.line, units, row.raw)]
        grouped = [
            (unit.line, _storable(unit.group), json.dumps(unit.fields, default=_plain), row.raw)
            for unit in units
            if unit.group is not None
        ]
    except (RecursionError, ValueError):
        return [UnreadableRow(0, row.line, _TOO_DEEP, row.raw)]
    waiting.executemany("insert into units values (?, ?, ?, ?)", grouped)
    alone = [unit for unit in units if unit.group is None]
    return [outcome for unit in alone for outcome in _outcomes(adapter, [unit], overrides, row.raw)]


def _storable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _plain(value: Any) -> Any:
    """Values of tables that JSON has not: times as ISO 8601, all others as their text."""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _of_group(
    waiting: sqlite3.Connection,
    name: str,
    size: int,
    line: int,
    raw: str,
    adapter: Adapter,
    overrides: FieldOverrides,
    limits: Limits,
) -> list[_Outcome]:
    if size > limits.row_bytes:
        return [UnreadableRow(0, line, limits.too_long(f"group {excerpt(name)[:40]!r}"), raw)]
    units = [
        LogUnit(line, json.loads(data), name, raw)
        for line, data, raw in waiting.execute(_OF_GROUP, (name,))
    ]
    return _outcomes(adapter, units, overrides, units[0].raw)


def _outcomes(
    adapter: Adapter, units: Sequence[LogUnit], overrides: FieldOverrides, raw: str
) -> list[_Outcome]:
    try:
        made = adapter.turns(units, overrides)
    except RecursionError:
        return [UnreadableRow(0, units[0].line, _TOO_DEEP, raw)]
    several = len(made) > 1
    return [_outcome(one, raw, number if several else 0) for number, one in enumerate(made, 1)]


def _outcome(one: TurnFound | NoTurn, raw: str, part: int) -> _Outcome:
    if isinstance(one, NoTurn):
        return UnreadableRow(0, one.line, one.reason, raw[:RAW_CHARACTERS])
    return RawRow(0, one.line, one.fields, raw[:RAW_CHARACTERS], part)
