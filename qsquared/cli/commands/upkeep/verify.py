"""Check a whole store and repair it: ``q2 verify``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.application import app, examples, flag, takes
from qsquared.cli.options import DEFAULT_STORE, StoreOption
from qsquared.cli.terminal.sentences import counted, say
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


@app.command(
    epilog=examples(
        "q2 verify --quarantine",
        "q2 score logs/",
        note="Exit code 0: all is sound; 65: something is wrong.",
    )
)
def verify(
    store: StoreOption = DEFAULT_STORE,
    as_json: Annotated[bool, flag("Write one JSON object.", "--json")] = False,
    quarantine: Annotated[
        bool,
        flag(
            "Move what is wrong away, so that the next score makes it again.",
            "--quarantine",
            "--repair",
        ),
    ] = False,
    absent: Annotated[
        Path | None,
        takes(
            "FILE",
            "Search all values and bytes of the store for the texts of a file, one a line, instead.",
        ),
    ] = None,
) -> None:
    """Check every byte, name and row of a store; say what is wrong, by file."""
    from qsquared.storage.files.damage import DamagedFile
    from qsquared.storage.files.places import is_remote
    from qsquared.storage.store import Store
    from qsquared.storage.upkeep import repair
    from qsquared.storage.upkeep import verify as checks

    if not is_remote(store) and not store.is_dir():
        raise StoreError(f"There is no store at {store}.", "Check the path.")
    try:
        opened = Store.open(store)
    except DamagedFile:
        # A damaged store.json is one of the findings.
        opened = Store(store)
    if absent is not None:
        _show_absent(Console(), opened, absent)
        return
    began = time.monotonic()
    with counted(_CHECKING) as told:
        report = checks.verify(opened, lambda done, every: told(_CHECKING, done, every))
    if quarantine:
        report = repair.repair(opened, report)
    if as_json:
        sys.stdout.write(json.dumps({"store": str(store), **report.to_json()}, indent=2) + "\n")
    else:
        _show(Console(), report, time.monotonic() - began, quarantine)
    if not report.sound:
        raise typer.Exit(DamagedFile.exit_code)


def _show_absent(console: Console, store: Store, file: Path) -> None:
    """Show where the texts of a file stand in the store, by their lines; not the texts themselves."""
    from qsquared.storage.upkeep.absent import found_words, read_words

    words = read_words(file)
    places = 0
    for path, column, number in found_words(store, words):
        places += 1
        at = f"{path}{f', column {column}' if column else ''}"
        say(console, f"{at}: the text of line {number}")
    if places:
        raise StoreError(
            f"Texts of {file} stand in {count(places, 'place')} of the store.",
            f"Erase the turns that have them: q2 erase --where SQL --store {store.root}",
        )
    say(console, f"None of the {count(len(words), 'text')} stands in the store.")


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
    if wrong:
        moved = sum(1 for finding in wrong if finding.moved_to)
        after = f" {moved:,} moved to quarantine." if quarantine else ""
        line = f"{checked}{count(len(wrong), 'thing')} wrong.{after}{noted}"
    else:
        line = f"{checked}all is sound.{noted}"
    say(console, line)


def _show_finding(console: Console, finding: Finding) -> None:
    path = visible(finding.path) or "the store"
    line = Text.assemble(
        (f"{finding.kind:<9}", _STYLES[finding.kind]), f" {path}: {visible(finding.problem)}"
    )
    console.print(line, soft_wrap=True)
    moved = f"Moved to {finding.moved_to}. " if finding.moved_to else ""
    say(console, f"          → {moved}{finding.todo}")
