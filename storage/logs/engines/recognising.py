"""Recognise the format of a log by its first rows, and try the examples of a description."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from qsquared.storage.logs.engines.formats import Format, known_formats
from qsquared.storage.logs.engines.grouping import adapted
from qsquared.storage.logs.engines.units import MISFITS, Overrides
from qsquared.storage.logs.engines.wrappings import taken_off
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.mapping import sources
from qsquared.storage.logs.fields.objects import levels
from qsquared.storage.logs.rows import Limits, RawRow, UnreadableRow

FLAT = "flat"
"""The format of rows that are turns, whose columns are named or mapped."""
ROWS_LOOKED_AT = 20


def recognise(
    rows: Iterable[RawRow | UnreadableRow], mapping: Mapping[str, str], own: Sequence[Format] = ()
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
        if not mapping and (found := _within(fields, own)):
            return found
    return None, ""


def _within(fields: Mapping[str, Any], own: Sequence[Format]) -> tuple[Format, str] | None:
    """Return the format of the objects in a list within a row, with its path; single messages are no rows."""
    for path, held in levels([fields]).items():
        form = _format_of(held[0][1], own) if path and "*" not in path else None
        if form is not None and form.unit != "message":
            return form, path
    return None


def _format_of(fields: Mapping[str, Any], own: Sequence[Format]) -> Format | None:
    inner = taken_off(fields)
    forms = (*own, *known_formats().values())
    return next((form for form in forms if _recognised(form, inner)), None)


def _recognised(form: Format, fields: Mapping[str, Any]) -> bool:
    try:
        return form.recognises(fields)
    except MISFITS:
        return False


def turns_of_example(form: Format, rows: list[Any]) -> list[dict[str, Any]]:
    """Return the turns of the rows of an example: response, texts of the knowledge, and history."""
    raw = [
        RawRow(n, n + 1, json.loads(row) if isinstance(row, str) else row, "")
        for n, row in enumerate(rows)
    ]
    found = [
        one.fields for one in adapted(raw, form, Overrides(), Limits()) if isinstance(one, RawRow)
    ]
    return [
        {
            "response": one["response"],
            "knowledge": [p["text"] if isinstance(p, dict) else p for p in one["knowledge"]],
            "history": one["history"],
        }
        for one in found
    ]


def failures(form: Format) -> list[str]:
    """Return why examples of a description do not give the turns that they state, one sentence each."""
    wrong = []
    for number, example in enumerate(form.examples, start=1):
        given = turns_of_example(form, list(example.get("log", ())))
        stated = list(example.get("turns", ()))
        cut = [
            {key: turn.get(key) for key in one} for one, turn in zip(stated, given, strict=False)
        ]
        if len(given) != len(stated) or cut != stated or not stated:
            wrong.append(f"Example {number} gives {json.dumps(given, ensure_ascii=False)}.")
    return wrong
