"""The command ``q2 gate``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import visible
from qsquared.errors import GateError, UsageError
from qsquared.gates.alerts import broken_event, send
from qsquared.gates.counts import last_day, shown_as
from qsquared.gates.judging import judge_date
from qsquared.gates.junit import to_junit
from qsquared.gates.rules import read_rules
from qsquared.storage.files.atomic import publish, temporary_path
from qsquared.storage.records.dates.date_records import parse_date, read_date
from qsquared.storage.store import Store

_STYLES = {"passed": "green", "broken": "red", "not judged": "dim"}


def run_gate(
    folder: Path, rules_file: Path, date: str, as_json: Path | None, junit: Path | None, tell: bool
) -> None:
    """Judge a date, show what each gate says, and write the summaries that are asked for.

    Raises:
        GateError: a gate is broken.
        Q2Error: something that the person can act upon.
    """
    rules = read_rules(rules_file)
    store = Store.open(folder)
    day = parse_date(date) if date else last_day(store)
    if day is None:
        raise UsageError(
            "No turn of the store has a date: its logs are of no night, and have no timestamps.",
            "Score them with the nightly deployment (docs/operations.md), or log a timestamp.",
        )
    record = read_date(store, day)
    digests = () if record is None else record.digests
    shown = shown_as(store, rules.score, digests)
    verdict = judge_date(store, rules, day, shown, newest=not date)
    for path, text in ((as_json, json.dumps(verdict, indent=2)), (junit, to_junit(verdict))):
        if path is not None:
            _write(path, text)
    _show(verdict)
    if verdict["outcome"] != "broken":
        return
    if tell and rules.webhook is not None:
        send(rules.webhook, broken_event(verdict, str(folder)))
    raise GateError(verdict["sentence"], f"Which replies: q2 sql, q2 explain --store {folder}")


def _write(path: Path, text: str) -> None:
    temporary = temporary_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text + "\n", encoding="utf-8")
        publish(temporary, path)
    except OSError as error:
        raise UsageError(f"The file {path} cannot be written: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _show(verdict: dict[str, Any]) -> None:
    console = Console()
    told = f"{verdict['date']}, {verdict['metric']} with {verdict['profile']}"
    console.print(Text(visible(told)), highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in verdict["findings"]:
        table.add_row(
            Text(finding["outcome"], _STYLES[finding["outcome"]]),
            Text(visible(finding["gate"])),
            Text(visible(finding["sentence"])),
        )
    console.print(table)
