"""Read chatbot logs into the store without scoring them: ``q2 ingest``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qsquared.cli.options import (
    DEFAULT_STORE,
    FormatOption,
    LogsArgument,
    MapFileOption,
    MapOption,
    StoreOption,
    app,
)
from qsquared.cli.shortage import shortage_explained
from qsquared.errors import InputError
from qsquared.text import count, shorten, visible

if TYPE_CHECKING:
    from qsquared.storage.logs.reading import Reading

_SHOWN = 5
_LOOKED_AT = 2000
_REASONS = 5
_WIDTH = 160


@app.command(
    epilog="Examples:  q2 ingest traces.jsonl --preview   ·   q2 ingest export/ --map "
    "output.answer=response --preview   ·   q2 ingest chat.jsonl --format openai --map system=knowledge"
)
def ingest(
    logs: LogsArgument,
    store: StoreOption = DEFAULT_STORE,
    mapping: MapOption = None,
    map_file: MapFileOption = None,
    file_format: FormatOption = "",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Read the first N turns only; of a preview: the first N rows."
        ),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview", help="Show how each log would be read, with five turns; write nothing."
        ),
    ] = False,
) -> None:
    """Read chatbot logs into the store, without scoring them; or show what would be read."""
    from qsquared.cli.mapping import stated_mapping
    from qsquared.storage.logs.paths import expand_inputs

    fields, wanted = stated_mapping(mapping or (), map_file, file_format)
    paths = expand_inputs(logs)
    if preview:
        _show_preview(paths, fields, wanted, limit)
        return
    with shortage_explained(store):
        _ingest(paths, store, fields, wanted, limit)


def _ingest(
    paths: list[Path], store: Path, mapping: dict[str, str], wanted: str, limit: int | None
) -> None:
    """Read logs into the store, and show how each was read.

    Raises:
        InputError: a log cannot be read as a whole; all others were.
    """
    from qsquared.storage.records.ingest import ingest_file
    from qsquared.storage.store import Store

    opened = Store.open(store, create=True)
    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("log", "format", "turns", "rejects", ""):
        table.add_column(name, justify="right" if name in {"turns", "rejects"} else "left")
    failed: list[InputError] = []
    with console.status("reading") as status:
        for path in paths:
            status.update(f"reading {visible(path.name)}")
            try:
                read = ingest_file(opened, path, mapping, limit, file_format=wanted)
            except InputError as error:
                failed.append(error)
                continue
            table.add_row(
                Text(visible(str(path))),
                read.format,
                f"{read.turns:,}",
                f"{read.rejects:,}",
                "known already" if read.reused else "",
            )
    console.print(table)
    if failed:
        raise InputError(
            f"{count(len(failed), 'log')} could not be read, all others are. {failed[0].message}",
            failed[0].hint,
        )


def _show_preview(
    paths: list[Path], mapping: dict[str, str], wanted: str, limit: int | None
) -> None:
    """Show how each log would be read, five turns of it, and why rows would be rejects.

    Raises:
        InputError: there is no log that can be read.
    """
    from qsquared.storage.logs.reading import detect_reading

    console = Console()
    failed: list[InputError] = []
    for path in paths:
        try:
            reading = detect_reading(path, mapping, wanted)
            console.print(_preview(path, reading, limit or _LOOKED_AT))
        except InputError as error:
            failed.append(error)
            console.print(Text(visible(f"{path}: {error}\n"), "red"))
    if len(failed) == len(paths):
        raise failed[0]
    console.print("Nothing was written.")


def _preview(path: Path, reading: Reading, most: int) -> Group:
    """Return the first turns of a log, and the counts of turns and rejects in its first rows."""
    from qsquared.storage.logs.reading import First
    from qsquared.storage.logs.rows import UnreadableRow
    from qsquared.storage.logs.turns import to_turn

    turns: list[dict[str, Any]] = []
    reasons: Counter[str] = Counter()
    first_line: dict[str, int] = {}
    statuses: Counter[str] = Counter()
    first = First(most)
    for row in reading.rows(path, first=first):
        turn = (
            row.reason
            if isinstance(row, UnreadableRow)
            else to_turn(row, "", path.name, reading.source, tabular=reading.tabular)
        )
        if isinstance(turn, str):
            reasons[turn] += 1
            first_line.setdefault(turn, row.line)
            continue
        statuses[turn["status"] or "to be scored"] += 1
        if len(turns) < _SHOWN:
            turns.append(turn)
    head = Text(visible(str(path)), "bold")
    head.append(f"\n{_how(reading)}\n", "not bold")
    among = f"in the first {first.seen:,} rows" if first.more else "in all"
    counts = [count(statuses.total(), "turn")]
    counts += [f"{number:,} {_named(status)}" for status, number in statuses.items()]
    head.append(f"{', '.join(counts)}; {count(reasons.total(), 'reject')} {among}", "not bold")
    parts: list[Any] = [head]
    for reason, number in reasons.most_common(_REASONS):
        line = f"  {number:,}: {visible(reason)} (first in line {first_line[reason]:,})"
        parts.append(Text(line, "yellow"))
    parts += [Padding(_turn(turn), (1, 0, 0, 2)) for turn in turns]
    return Group(*parts, Text(""))


def _named(status: str) -> str:
    return {"no_knowledge": "without knowledge", "empty_response": "empty"}.get(status, status)


def _how(reading: Reading) -> str:
    from qsquared.storage.logs.adapters.registry import ADAPTERS

    adapter = ADAPTERS.get(reading.adapter)
    meaning = adapter.convention if adapter else "one turn a row, by the names of its fields"
    mapped = ", ".join(f"{ours} from {theirs}" for theirs, ours in reading.mapping.items())
    return f"format {reading.format}: {meaning}" + (f"; {visible(mapped)}" if mapped else "")


def _turn(turn: Mapping[str, Any]) -> Table:
    from qsquared.storage.logs.passages import SOURCES, passage_name

    shown = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    shown.add_column(style="dim", no_wrap=True)
    shown.add_column(overflow="fold")
    facts = {
        "id": turn["id"],
        "conversation": turn["conversation_id"],
        "time": turn["timestamp"] and turn["timestamp"].isoformat(sep=" ", timespec="seconds"),
        "history": f"{count(len(turn['history']), 'text')}: …{turn['history'][-1]}"
        if turn["history"]
        else None,
    }
    for name, value in facts.items():
        if value is not None:
            shown.add_row(name, Text(shorten(value, _WIDTH)))
    origins = json.loads(turn["metadata"]).get(SOURCES) or []
    for number, passage in enumerate(turn["knowledge"], start=1):
        origin = origins[number - 1] if isinstance(origins, list) and number <= len(origins) else {}
        named = f"[{visible(passage_name(origin))}] " if origin else ""
        shown.add_row(f"knowledge {number}", Text(shorten(named + passage, _WIDTH)))
    if not turn["knowledge"]:
        shown.add_row("knowledge", Text("none, so it would not be scored", "yellow"))
    shown.add_row("response", Text(shorten(turn["response"], _WIDTH), "bold"))
    return shown
