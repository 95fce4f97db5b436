"""Say what a description leaves unread of a log: paths that lead nowhere, fields, rows without its signs.

It may be one that is proposed, which is written as TOML.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

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
        cuts = (units_of(form, row.line, dict(row.fields)) for row in rows)
        units = [one for held in cuts if not isinstance(held, str) for one in held]
        views = [form.view(cut(one.fields, form.cut)) for one in units]
    except MISFITS:
        return []
    entered = not form.rows or any(OUTER in view for view in views)
    lost = {} if entered else {ROWS: form.rows}
    # Spans have their attributes beside their own fields.
    for part, paths in form.fields.items() if form.engine != "spans" else ():
        if all(first_at(view, paths) is None for view in views):
            lost[f"fields.{part}"] = paths
    named = {key: " or ".join(map(repr, paths)) for key, paths in lost.items()}
    return [f"{key} = {paths} leads to nothing in {where}." for key, paths in named.items()]


def told_of_signs(form: Format, found: Survey) -> str:
    """Return whether a log and the examples of a description have the signs by which a format is known."""
    logs = {f"example {number}": rows_of(one) for number, one in enumerate(form.examples, start=1)}
    logs = {found.path.name: found.sample, **logs}
    lacking = [name for name, rows in logs.items() if recognise(rows, {}, [form])[0] is not form]
    without = f"No sign (known) fits {', '.join(lacking)}: only --format-file reads such a log so."
    return without if lacking else f"Its signs (known) fit {', '.join(logs)}."


def unread(found: Survey) -> list[str]:
    """Return the fields with prose that may be any, and the first rows give the same replies, knowledge and history."""
    made = columns_of([row.fields for row in found.sample])
    prose = [path for path, one in made.items() if one.is_prose and one.has_sentences]
    whole = _said(found, found.sample)

    def is_unread(path: str) -> bool:
        rows = [replace(row, fields=changed(row.fields, path, _other)) for row in found.sample]
        # Attributes in lists of keys with values stay as they are.
        return rows != found.sample and _said(found, rows) == whole

    return [*filter(is_unread, prose)]


def _said(found: Survey, rows: Sequence[RawRow]) -> list[list[Any]]:
    parts = ("response", "knowledge", "history")
    return [[turn[part] for part in parts] for turn in turns_by(found.reading, rows)]


def _other(held: Any) -> Any:
    """Return another text in place of a field's own; an empty one would count as absent, and the next field be read."""
    return "x" if isinstance(held, str) else held


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
    named = ((key if plain.fullmatch(key) else _value(key), held) for key, held in table.items())
    return [f"{key} = {_value(held)}" for key, held in named]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(_pairs(value))} }}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
