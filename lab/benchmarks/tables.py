"""Figures as a table on the terminal, and as runs in a JSON file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lab.benchmarks.machine import describe_machine


def print_table(console: Console, rows: Sequence[Sequence[str]], title: str) -> None:
    """Print a table of texts below its title; the first row is the head."""
    table = Table(*rows[0], title=title, title_justify="left")
    for row in rows[1:]:
        table.add_row(*row)
    console.print(table)


def add_run(path: Path, run: Mapping[str, Any]) -> None:
    """Add a run and its machine to a JSON list; a missing file is begun."""
    path.parent.mkdir(parents=True, exist_ok=True)
    runs = [*read_runs(path), {**run, "machine": describe_machine()}]
    path.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")


def read_runs(path: Path) -> list[dict[str, Any]]:
    """Read the runs in a file, in order; none where there is no file."""
    if not path.is_file():
        return []
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return runs
