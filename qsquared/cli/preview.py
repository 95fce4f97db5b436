"""The preview of a log: its first turns as a person reads them, and the mapping that reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qsquared.cli.terminal import Cell, facts_of
from qsquared.text import count, shorten, visible

if TYPE_CHECKING:
    from qsquared.errors import UnusableLogError
    from qsquared.storage.logs.surveys.survey import Survey

_REASONS = 5
_WIDTH = 160
_HISTORY = 2
_FIELDS = 30
_LEAST_CUT = 15
_TEXTS = ("response", "knowledge", "history")
_NAMES = ("id", "conversation_id", "timestamp")
_INDEX = re.compile(r"\[(?:\d+|\*)\]|\.\d+(?=[.\[]|$)")
"""The place of an item in a path, which the fields of a survey leave out."""


def show_preview(console: Console, found: Survey, problem: UnusableLogError | None) -> None:
    """Print a log's counts, rejects, fields and first turns, and the advice if it would be misread."""
    from qsquared.storage.logs.surveys.complaints import how_read, summary, warning

    reading = found.reading
    head = Text(visible(str(found.path)), "bold")
    mapped = ", ".join(f"{ours} from {theirs}" for theirs, ours in reading.mapping.items())
    head.append(f"\n{visible(how_read(found).removeprefix('read as '))}", "not bold")
    head.append(f"; {visible(mapped)}\n" if mapped else "\n", "not bold")
    head.append(visible(summary(found)), "not bold")
    parts: list[Any] = [head]
    for reason, number in found.reasons.most_common(_REASONS):
        line = found.first_line[reason]
        parts.append(Text(f"  {number:,}: {visible(reason)} (first in line {line:,})", "yellow"))
    parts += [Padding(_turn(turn), (1, 0, 0, 2)) for turn in found.shown]
    if found.shown and found.examples:
        parts.append(Padding(_fields(found), (1, 0, 0, 2)))
    told = warning(found)
    if problem is None and told is not None:
        parts.append(Text(f"\n{visible(told)}", "yellow"))
    console.print(Group(*parts, Text("")))
    if problem is not None:  # its commands are to be pasted, so nothing breaks their lines
        text = f"{visible(problem.message)}\n{visible(problem.hint)}".rstrip()
        console.print(Text(f"{text}\n", "red"), soft_wrap=True)


def _fields(found: Survey) -> Table:
    """Return the fields of the log, each with an example and its part in the turns."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    values = _first_values(found)
    for path, example in list(found.examples.items())[:_FIELDS]:
        table.add_row(Text(visible(path)), _part(found, path, values), Text(shorten(example, 60)))
    return table


def _first_values(found: Survey) -> dict[str, Any]:
    """Return the fields of the log with the value of each that is its example."""
    from qsquared.storage.logs.fields.field_paths import leaves
    from qsquared.storage.logs.fields.values import is_missing

    values: dict[str, Any] = {}
    for row in found.sample:
        for path, value in leaves(row.fields):
            if not is_missing(value):
                values.setdefault(path, value)
    return values


def _part(found: Survey, path: str, values: Mapping[str, Any]) -> Text:
    """Return the part that a field has in the turns shown."""
    if path in found.unused:
        return Text("not used", "yellow")
    return Text(f"→ {', '.join(_destinations(found, path, values)) or 'metadata'}")


def _destinations(found: Survey, path: str, values: Mapping[str, Any]) -> list[str]:
    """Return our fields that a field of the log is read as; none for metadata.

    Names decide where the log is read by names; elsewhere equal values do, where they are no chance.
    """
    from qsquared.storage.logs.engines.grouping import FLAT
    from qsquared.storage.logs.fields.mapping import AND, FIELDS

    reading, value = found.reading, values[path]
    flat = reading.adapter == FLAT
    named = reading.source if flat else {ours: theirs for theirs, ours in reading.mapping.items()}
    for ours, theirs in ((ours, one) for ours, paths in named.items() for one in paths.split(AND)):
        whole = _INDEX.sub("[]", theirs)
        if path in {theirs, whole, f"{whole}[]"}:
            return [ours] if any(turn[ours] not in (None, []) for turn in found.shown) else []
        if path.startswith((f"{whole}.", f"{whole}[]")):
            return [ours] if _became(found, ours, value) else []
    if flat:
        return []
    own = path.removesuffix("[]").rsplit(".", 1)[-1]
    if own in FIELDS and _became(found, own, value):
        return [own]
    return _by_value(found, value, values) if isinstance(value, str) else []


def _by_value(found: Survey, value: str, values: Mapping[str, Any]) -> list[str]:
    """Return our fields that hold a text; of an id or a time, only one that no other field can be."""
    if texts := [name for name in _TEXTS if _became(found, name, value)]:
        return texts
    names = [name for name in _NAMES if _became(found, name, value)]
    alone = list(values.values()).count(value) == 1
    return names if len(names) == 1 and alone else []


def _became(found: Survey, name: str, value: Any) -> bool:
    """Whether a part of some turn shown holds the value of a field."""
    if name in _TEXTS:
        return any(_holds(turn[name], str(value)) for turn in found.shown)
    if name == "timestamp":
        from qsquared.storage.logs.fields.times import moment_of

        moment = moment_of(value, found.reading.options.time_form)
        return moment is not None and any(turn[name] == moment for turn in found.shown)
    return any(
        turn[name] is not None and str(turn[name]) == str(value).strip() for turn in found.shown
    )


def _holds(held: Any, example: str) -> bool:
    """Whether a part of a turn holds a field's text, or was cut out of it, as the passages of a prompt."""
    example = example.strip()
    texts = [text for text in (held if isinstance(held, list) else [held]) if isinstance(text, str)]
    return bool(example) and any(
        example == text.strip()
        or (len(example) >= _LEAST_CUT and example in text)
        or (len(text) >= _LEAST_CUT and text in example)
        for text in texts
    )


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
    for number, said in enumerate(history[-_HISTORY:]):
        name = "" if number else f"history ({count(len(history), 'text')})"
        rows.append((name, shorten(said, _WIDTH)))
    origins = json.loads(turn["metadata"]).get(SOURCES) or []
    for number, passage in enumerate(turn["knowledge"], start=1):
        origin = origins[number - 1] if isinstance(origins, list) and number <= len(origins) else {}
        named = f"[{passage_name(origin)}] " if isinstance(origin, dict) and origin else ""
        rows.append((f"knowledge {number}", shorten(named + passage, _WIDTH)))
    if not turn["knowledge"]:
        rows.append(("knowledge", Text("none, so it would not be scored", "yellow")))
    rows.append(("response", Text(shorten(turn["response"], _WIDTH), "bold")))
    return facts_of(rows)
