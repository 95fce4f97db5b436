"""Check a whole store and repair it: ``q2 verify``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption
from qsquared.cli.terminal.sentences import counted, say, show
from qsquared.errors import StoreError
from qsquared.text import count, visible

if TYPE_CHECKING:
    from qsquared.storage.store import Store
    from qsquared.storage.upkeep.verify import Finding, Report

_CHECKING = "checking tables"
_STYLES = {
    **dict.fromkeys(("damaged", "missing", "misfit", "unfinished"), "red"),
    **dict.fromkeys(("leftover", "unknown"), "dim"),
}


@app.command()
def verify(
    store: StoreOption = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    quarantine: Annotated[bool, typer.Option("--quarantine", "--repair")] = False,
    absent: Path | None = None,
) -> None:
    """Check every byte, name and row of a store; say what is wrong, by file.

    Args:
        as_json: Write one JSON object.
        quarantine: Move what is wrong away, so that the next score makes it again.
        absent (FILE): Search all values and bytes of the store for the texts of a file, one a line, instead.

    Note:
        Exit code 0: all is sound; 65: something is wrong.

    Examples:
        q2 verify --quarantine
        q2 score logs/
    """
    from qsquared.storage.files.damage import DamagedFile
    from qsquared.storage.files.places import is_remote
    from qsquared.storage.store import Store
    from qsquared.storage.upkeep import verify as checks

    if not is_remote(store) and not store.is_dir():
        raise StoreError(f"There is no store at {store}.", "Check the path.")
    try:
        opened = Store.open(store)
    except DamagedFile:
        # A damaged store.json is one of the findings.
        opened = Store(store)
    if absent is not None:
        _show_absent(opened, absent)
        return
    began = time.monotonic()
    with counted(_CHECKING) as on_progress:
        report = checks.verify(opened, lambda done, every: on_progress(_CHECKING, done, every))
    if quarantine:
        report = checks.repair(opened, report)
    if as_json:
        sys.stdout.write(json.dumps({"store": str(store), **report.to_json()}, indent=2) + "\n")
    else:
        _show(report, time.monotonic() - began, quarantine)
    if not report.sound:
        raise typer.Exit(DamagedFile.exit_code)


def _show_absent(store: Store, file: Path) -> None:
    """Show where the texts of a file stand in the store, by their lines; not the texts themselves."""
    from qsquared.storage.upkeep.absent import found_words, read_words

    words = read_words(file)
    places = 0
    for path, column, number in found_words(store, words):
        places += 1
        at = f"{path}{f', column {column}' if column else ''}"
        say(f"{at}: the text of line {number}")
    if places:
        raise StoreError(
            f"Texts of {file} stand in {count(places, 'place')} of the store.",
            f"Erase the turns that have them: q2 erase --where SQL --store {store.root}",
        )
    say(f"None of the {count(len(words), 'text')} stands in the store.")


def _show(report: Report, seconds: float, quarantine: bool) -> None:
    for finding in report.findings:
        _show_finding(finding)
    checked = (
        f"{count(report.tables, 'table')} and {count(report.small_files, 'small file')} checked "
        f"in {seconds:.1f} s: "
    )
    wrong = [finding for finding in report.findings if finding.wrong]
    notes = len(report.findings) - len(wrong)
    noted = f" {count(notes, 'note')}." if notes else ""
    if wrong:
        moved = sum(1 for finding in wrong if finding.moved_to)
        after = f" {moved:,} moved to quarantine." if quarantine else ""
        line = f"{checked}{count(len(wrong), 'thing')} wrong.{after}{noted}"
    else:
        line = f"{checked}all is sound.{noted}"
    say(line)


def _show_finding(finding: Finding) -> None:
    path = visible(finding.path) or "the store"
    line = Text.assemble(
        (f"{finding.kind:<9}", _STYLES[finding.kind]), f" {path}: {visible(finding.problem)}"
    )
    show(line, whole=True)
    moved = f"Moved to {finding.moved_to}. " if finding.moved_to else ""
    say(f"          → {moved}{finding.todo}")
