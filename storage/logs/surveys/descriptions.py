"""Say what a description leaves unread of a log: paths that lead nowhere, fields, rows without its signs.

The description is one that a person wrote, or a proposal, which `as_toml` writes as the text of a file.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.display import shorten, visible
from qsquared.storage.logs.fields.field_paths import first_at
from qsquared.storage.logs.fields.reshaped import changed, cut
from qsquared.storage.logs.format_engines.cut_units import units_of
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.recognition import recognise, rows_of
from qsquared.storage.logs.format_engines.units import MISFITS, OUTER
from qsquared.storage.logs.rows import RawRow
from qsquared.storage.logs.surveys.columns.values import columns_of
from qsquared.storage.logs.surveys.proposals import turns_by
from qsquared.storage.logs.surveys.survey import Survey

ROWS = "rows"


def leading_nowhere(form: Format | None, rows: Sequence[RawRow], where: str) -> list[str]:
    """Return a sentence for ``rows`` and each part of a turn whose paths lead to nothing in any of some rows.

    Args:
        form: the description, None if a log is read by none.
        rows: the rows of a file.
        where: the rows as the sentences name them.
    """
    # What a function prepares is not known before it ran.
    if form is None or form.prepare or not rows:
        return []
    try:
        of_rows = [units_of(form, row.line, dict(row.fields)) for row in rows]
        units = [unit for units in of_rows if not isinstance(units, str) for unit in units]
        views = [form.view(cut(unit.fields, form.cut)) for unit in units]
    except MISFITS:
        return []
    entered = not form.rows or any(OUTER in view for view in views)
    lost = [] if entered else [(ROWS, form.rows)]
    # Spans have their attributes beside their own fields.
    for part, paths in form.fields.items() if form.engine != "spans" else ():
        if all(first_at(view, paths) is None for view in views):
            lost.append((f"fields.{part}", paths))
    named = [(key, " or ".join(map(repr, paths))) for key, paths in lost]
    return [f"{key} = {paths} leads to nothing in {where}." for key, paths in named]


def told_of_signs(form: Format, found: Survey) -> str:
    """Return a sentence on which of a log and a description's examples have the signs by which a format is known."""
    logs = {f"example {number}": rows_of(one) for number, one in enumerate(form.examples, start=1)}
    logs = {found.path.name: found.sample, **logs}
    lacking = [name for name, rows in logs.items() if recognise(rows, {}, [form])[0] is not form]
    without = f"No sign (known) fits {', '.join(lacking)}: only --format-file reads such a log so."
    return without if lacking else f"Its signs (known) fit {', '.join(logs)}."


def unread(found: Survey) -> list[str]:
    """Return the fields of prose that the turns do not depend on: with other texts there they stay the same."""
    columns = columns_of([row.fields for row in found.sample])
    prose = [path for path, one in columns.items() if one.is_prose and one.has_sentences]
    turns = _parts_of_turns(found, found.sample)

    def is_unread(path: str) -> bool:
        rows = [replace(row, fields=changed(row.fields, path, _other)) for row in found.sample]
        # Attributes in lists of keys with values stay as they are.
        return rows != found.sample and _parts_of_turns(found, rows) == turns

    return [*filter(is_unread, prose)]


def _parts_of_turns(found: Survey, rows: Sequence[RawRow]) -> list[list[Any]]:
    """Return the reply, the knowledge and the history of each turn of some rows."""
    parts = ("response", "knowledge", "history")
    return [[turn[part] for part in parts] for turn in turns_by(found.reading, rows)]


def _other(value: Any) -> Any:
    """Return another text in place of a field's own; an empty one would count as absent, and the next field be read."""
    return "x" if isinstance(value, str) else value


def in_words(described: Mapping[str, Any], sure: str) -> list[str]:
    """Return sentences that say what a description reads, of which the first one says how sure it is."""
    fields = described["fields"].items()
    rows = "".join(f"rows from {path}; " for path in described.get("rows", ()))
    parts = (f"{part} from {' and '.join(map(visible, paths))}" for part, paths in fields)
    sentences = [f"Its values suggest{sure}: {rows}{'; '.join(parts)}."]
    for event, line in described.get("lines", {}).items():
        sentences.append(f"Records of {event!r}: {shorten(line, 160)}")
    for path, marks in described.get("cut", {}).items():
        shown = ", ".join(repr(shorten(mark, 60)) for mark in marks)
        sentences.append(f"Texts of {visible(path)} are cut at {shown}.")
    if same := described.get("join"):
        sentences.append(f"Rows with the same {', '.join(map(visible, same))} are one turn.")
    for relation in described.get("related", ()):
        rows, key, into, own = (visible(relation[name]) for name in ("rows", "key", "into", "id"))
        sentences.append(f"Of {rows} belong to each of {into} those whose {key} is its {own}.")
    return sentences


def as_toml(stated: Mapping[str, Any], comment: str) -> str:
    """Return a description or a mapping as the text of a TOML file."""
    tables = {key: value for key, value in stated.items() if isinstance(value, dict)}
    plain = {key: value for key, value in stated.items() if key not in tables}
    lines = [f"# {comment}", *_pairs(plain)]
    for key, table in tables.items():
        lines += ["", f"[{key}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _pairs(table: Mapping[str, Any]) -> list[str]:
    """Return the keys of a table with their values."""
    plain = re.compile(r"[A-Za-z0-9_-]+")
    named = ((key if plain.fullmatch(key) else _value(key), value) for key, value in table.items())
    return [f"{key} = {_value(value)}" for key, value in named]


def _value(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_pairs(value))} }}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
