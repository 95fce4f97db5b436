"""Say what a person's description leaves unread of a log: paths that lead nowhere, fields, rows without its signs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.grouping import recognise, rows_of
from qsquared.storage.logs.engines.splitting import units_of
from qsquared.storage.logs.engines.units import MISFITS, OUTER
from qsquared.storage.logs.fields.field_paths import first_at
from qsquared.storage.logs.fields.texts.cells import by_ids, opened
from qsquared.storage.logs.fields.texts.cuts import cut
from qsquared.storage.logs.rows import RawRow
from qsquared.storage.logs.surveys.columns.values import columns
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
    parts = {f"fields.{part}": paths for part, paths in form.fields.items()}
    lost = [key for key, paths in parts.items() if all(first_at(v, paths) is None for v in views)]
    if form.rows and not any(OUTER in view for view in views):
        parts, lost = {ROWS: form.rows, **parts}, [ROWS, *lost]
    return [
        f"{key} = {' or '.join(map(repr, parts[key]))} leads to nothing in {where}." for key in lost
    ]


def told_of_signs(form: Format, found: Survey) -> str:
    """Return whether a log and the examples of a description have the signs by which a format is known."""
    logs = {f"example {number}": rows_of(one) for number, one in enumerate(form.examples, start=1)}
    logs = {found.path.name: found.sample, **logs}
    lacking = [name for name, rows in logs.items() if recognise(rows, {}, [form])[0] is not form]
    without = f"No sign (known) fits {', '.join(lacking)}: only --format-file reads such a log so."
    return without if lacking else f"Its signs (known) fit {', '.join(logs)}."


def unread(found: Survey) -> list[str]:
    """Return the fields with prose without which the first rows give the same replies, knowledge and history."""
    made = columns([row.fields for row in found.sample])
    prose = [path for path, one in made.items() if one.is_prose and one.has_sentences]
    return [path for path in prose if _said(found, path) == _said(found)]


def _said(found: Survey, path: str | None = None) -> list[list[Any]]:
    """Return what is said in the turns of the first rows, without the texts at a path if one is given."""
    rows = found.sample
    if path is not None:
        rows = [replace(row, fields=_without(row.fields, path, "")) for row in rows]
    turns = turns_by(found.reading, rows)
    return [[turn[part] for part in ("response", "knowledge", "history")] for turn in turns]


def _without(held: Any, path: str, at: str) -> Any:
    """Return the value at some place of a row with empty texts at the path of a leaf (`field_paths.leaves`)."""
    if at == path or not path.startswith(at):
        return "" if at == path and isinstance(held, str) else held
    inner = opened(held)
    inner = by_ids(inner) or inner
    if isinstance(inner, Mapping):
        begin = f"{at}." if at else ""
        return {name: _without(one, path, f"{begin}{name}") for name, one in inner.items()}
    return [_without(one, path, f"{at}[]") for one in inner] if isinstance(inner, list) else held
