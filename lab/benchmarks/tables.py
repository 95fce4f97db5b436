"""Tables of figures on the terminal, and in a page between two marker comments."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lab.benchmarks.machine import describe_machine
from qsquared.errors import UsageError

Rows = Sequence[Sequence[str]]
"""Rows of texts; the first is the head."""


def markdown_table(rows: Rows, rule: str = "---") -> str:
    """Return a table as Markdown; ``rule`` aligns the columns after the first."""
    lines = [rows[0], ["---", *[rule] * (len(rows[0]) - 1)], *rows[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def print_table(console: Console, rows: Rows, title: str | None = None) -> None:
    """Print a table; without a title its figures are aligned to the right."""
    table = Table(*rows[0], title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "left" if title else "right"
    for row in rows[1:]:
        table.add_row(*row)
    console.print(table)


def marker_comments(name: str) -> tuple[str, str]:
    """Return the comments before and after the figures of a name."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def split_page(path: Path, name: str) -> tuple[str, str]:
    """Return the text of a page up to its first marker comment, and that from the second on.

    Raises:
        UsageError: the page is not there or lacks the markers.
    """
    begin, end = marker_comments(name)
    hint = f"Name a page that has the lines {begin} and {end}."
    if not path.is_file():
        raise UsageError(f"There is no page {path}.", hint)
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise UsageError(f"{path} lacks a marker comment for the figures.", hint)
    return before + begin, end + after


def write_between(path: Path, name: str, text: str) -> None:
    """Put a text between the two marker comments of a page; the rest of it stays.

    Raises:
        UsageError: the page is not there or lacks the markers.
    """
    before, after = split_page(path, name)
    path.write_text(f"{before}\n{text}\n{after}", encoding="utf-8")


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
