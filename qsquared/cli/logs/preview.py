"""The preview of a log: its first turns as a person reads them, and its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qsquared.cli.terminal.sentences import Cell, facts_of, show, table_of
from qsquared.text import count, shorten, visible

if TYPE_CHECKING:
    from qsquared.errors import UnusableLogError
    from qsquared.storage.logs.surveys.survey import Survey

_REASONS = 5
_WIDTH = 160
_HISTORY = 2
_FIELDS = 30


def show_preview(survey: Survey, problem: UnusableLogError | None) -> None:
    """Print a log's counts, rejects, fields and first turns, and the advice if it would be misread."""
    from qsquared.storage.logs.surveys.complaints import how_read, ignored, summary, warning

    reading = survey.reading
    head = Text(visible(str(survey.path)), "bold")
    mapped = ", ".join(f"{ours} from {theirs}" for theirs, ours in reading.mapping.items())
    head.append(f"\n{visible(how_read(survey).removeprefix('read as '))}", "not bold")
    head.append(f"; {visible(mapped)}\n" if mapped else "\n", "not bold")
    head.append(visible(summary(survey)), "not bold")
    parts: list[Any] = [head]
    for reason, number in survey.reasons.most_common(_REASONS):
        line = survey.first_line[reason]
        parts.append(Text(f"  {number:,}: {visible(reason)} (first in line {line:,})", "yellow"))
    parts += [Padding(_turn(turn), (1, 0, 0, 2)) for turn in survey.shown]
    if survey.shown and survey.examples:
        parts.append(Padding(_fields(survey), (1, 0, 0, 2)))
    if problem is None:
        cautions = filter(None, (ignored(survey), warning(survey)))
        parts += [Text(f"\n{visible(caution)}", "yellow") for caution in cautions]
    show(Group(*parts, Text("")))
    if problem is not None:  # its commands are to be pasted, so nothing breaks their lines
        text = f"{visible(problem.message)}\n{visible(problem.hint)}".rstrip()
        show(Text(f"{text}\n", "red"), whole=True)


def _fields(survey: Survey) -> Table:
    """Return the fields of the log, each with an example, and those whose texts are not used."""
    rows = (
        (path, Text("not used" if path in survey.unused else "", "yellow"), shorten(example, 60))
        for path, example in list(survey.examples.items())[:_FIELDS]
    )
    return table_of(("field", "", "example"), rows)


def _turn(turn: Mapping[str, Any]) -> Table:
    """Return one turn: who said what, and each passage by its number."""
    from qsquared.storage.logs.fields.passages import SOURCES, passage_name

    rows: list[tuple[str, Cell]] = [
        ("id", turn["id"]),
        ("conversation", turn["conversation_id"]),
        ("time", turn["timestamp"] and turn["timestamp"].isoformat(sep=" ", timespec="seconds")),
    ]
    rows = [(name, shorten(str(value), _WIDTH)) for name, value in rows if value is not None]
    history = turn["history"]
    for number, text in enumerate(history[-_HISTORY:]):
        name = "" if number else f"history ({count(len(history), 'text')})"
        rows.append((name, shorten(text, _WIDTH)))
    origins = json.loads(turn["metadata"]).get(SOURCES) or []
    for number, passage in enumerate(turn["knowledge"], start=1):
        origin = origins[number - 1] if isinstance(origins, list) and number <= len(origins) else {}
        named = f"[{passage_name(origin)}] " if isinstance(origin, dict) and origin else ""
        rows.append((f"knowledge {number}", shorten(named + passage, _WIDTH)))
    if not turn["knowledge"]:
        rows.append(("knowledge", Text("none, so it would not be scored", "yellow")))
    rows.append(("response", Text(shorten(turn["response"], _WIDTH), "bold")))
    return facts_of(rows)
