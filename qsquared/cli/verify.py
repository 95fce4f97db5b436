"""The command ``q2 verify``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.errors import StoreError
from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.places import is_remote
from qsquared.storage.store import Store
from qsquared.storage.upkeep.repair import repair
from qsquared.storage.upkeep.verify import Finding, Report, verify

_STYLES = {"damaged": "red", "missing": "red", "misfit": "red", "leftover": "dim", "unknown": "dim"}


def run_verify(folder: Path, as_json: bool, quarantine: bool) -> None:
    """Check a store, say what is wrong, and with ``quarantine`` move it away.

    Raises:
        StoreError: there is no store, or it is of another version.
        typer.Exit: something is wrong with the store.
    """
    if not is_remote(folder) and not folder.is_dir():
        raise StoreError(f"There is no store at {folder}.", "Check the path.")
    try:
        store = Store.open(folder)
    except DamagedFile:
        # A damaged store.json is one of the things that this command tells.
        store = Store(folder)
    began = time.monotonic()
    with _progress() as on_progress:
        report = verify(store, on_progress)
    if quarantine:
        report = repair(store, report)
    if as_json:
        sys.stdout.write(json.dumps({"store": str(folder), **report.to_json()}, indent=2) + "\n")
    else:
        _show(Console(), report, time.monotonic() - began, quarantine)
    if not report.sound:
        raise typer.Exit(DamagedFile.exit_code)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, beside what is written; nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("checking tables"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, every: progress.update(task, completed=done, total=every)


def _show(console: Console, report: Report, seconds: float, quarantine: bool) -> None:
    for finding in report.findings:
        _show_finding(console, finding)
    checked = (
        f"{count(report.tables, 'table')} and {count(report.small_files, 'small file')} checked "
        f"in {seconds:.1f} s: "
    )
    wrong = [finding for finding in report.findings if finding.wrong]
    notes = len(report.findings) - len(wrong)
    noted = f" {count(notes, 'note')}." if notes else ""
    if not wrong:
        console.print(f"{checked}all is sound.{noted}", highlight=False, soft_wrap=True)
        return
    moved = sum(1 for finding in wrong if finding.moved_to)
    after = f" {moved:,} moved to quarantine." if quarantine else ""
    line = f"{checked}{count(len(wrong), 'thing')} wrong.{after}{noted}"
    console.print(line, highlight=False, soft_wrap=True)


def _show_finding(console: Console, finding: Finding) -> None:
    where = visible(finding.path) or "the store"
    line = Text.assemble(
        (f"{finding.kind:<9}", _STYLES[finding.kind]), f" {where}: {visible(finding.problem)}"
    )
    console.print(line, soft_wrap=True)
    moved = f"Moved to {visible(finding.moved_to)}. " if finding.moved_to else ""
    console.print(Text(f"          → {moved}{visible(finding.todo)}"), soft_wrap=True)
