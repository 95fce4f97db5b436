"""Check, clean and empty a store: ``q2 verify``, ``q2 gc`` and ``q2 erase``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from qsquared.cli.help_pages import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.cli.terminal.printing import counted, say, show, table_of
from qsquared.display import count, size, visible
from qsquared.errors import StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qsquared.storage.store import Store
    from qsquared.storage.upkeep.garbage_collection import RemovalPlan
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
        Exit code 0: all is sound; 65: something is wrong; 1: a text of the file was found.

    Examples:
        q2 verify --quarantine
        q2 score logs/
    """
    from qsquared.storage.files.file_errors import DamagedFile
    from qsquared.storage.files.remote_paths import is_remote
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
        _show_findings(report, time.monotonic() - began, quarantine)
    if not report.sound:
        raise typer.Exit(DamagedFile.exit_code)


def _show_absent(store: Store, file: Path) -> None:
    """Show where the texts of a file stand in the store, by their lines; not the texts themselves."""
    from qsquared.storage.upkeep.word_search import found_words, read_words

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


def _show_findings(report: Report, seconds: float, quarantine: bool) -> None:
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


@app.command()
def gc(
    store: StoreOption = DEFAULT_STORE,
    days: Annotated[float, typer.Option(min=0)] = 30,
    delete: bool = False,
    pin: list[str] | None = None,
    unpin: list[str] | None = None,
    forget: list[str] | None = None,
) -> None:
    """Say which stages' tables no kept configuration reaches, and how much they take.

    Kept are the configurations that SQL shows, those used lately or now, and pinned ones.
    Turns, pairs, runs and dates always stay.

    Args:
        days (N): Keep what a run used in the last N days.
        delete: Remove it; without this it is only told.
        pin (DIGEST): Keep this configuration for ever; repeat.
        unpin (DIGEST): Let go of a pinned one; repeat.
        forget (DIGEST): Do not keep this one, though SQL shows it; repeat.

    Examples:
        q2 gc
        q2 gc --days 90 --delete
        q2 gc --pin 1f0c88d2
        q2 gc --forget 1f0c88d2 --delete
    """
    from qsquared.storage.records.indexes.store_index import open_index
    from qsquared.storage.upkeep import garbage_collection

    opened = open_store(store)
    for digest in pin or []:
        garbage_collection.pin(opened, digest, keep=True)
    for digest in unpin or []:
        garbage_collection.pin(opened, digest, keep=False)
    index = open_index(opened)
    forgotten = {garbage_collection.resolve(index, digest) for digest in forget or []}
    plan = garbage_collection.plan_collection(index, days, forgotten)
    _show_uses(plan)
    if not plan.files:
        say("\nThere is nothing to remove.")
    elif not delete:
        removable = f"{count(len(plan.files), 'table')}, {size(plan.size)}"
        say(f"\nWould remove {removable}. To do it: add --delete")
    else:
        done = garbage_collection.collect(opened, plan, days, forgotten)
        say(f"\nRemoved {count(done.tables, 'table')}, {size(done.size)}.")
        if done.in_use:
            say(f"{count(len(done.in_use), 'shard')} in use left as they are.")


def _show_uses(plan: RemovalPlan) -> None:
    columns = (
        "metric", "profile", "configuration", "last used", "kept because", "tables to remove", "size",
    )  # fmt: skip
    rows = (
        (
            use.configuration["metric"],
            use.configuration["profile"],
            use.configuration["digest"][:8],
            use.configuration["last_used"][:10] or "never",
            use.kept or Text("not kept", "yellow"),
            use.tables or None,
            size(use.size) if use.tables else None,
        )
        for use in plan.uses
    )
    show(table_of(columns, rows, right=("size",)))
    if plan.strays:
        say(f"{count(plan.strays, 'table')} of no configuration, or of pairs that went.")


@app.command()
def erase(
    store: StoreOption = DEFAULT_STORE,
    log: list[str] | None = None,
    turn: Annotated[list[str] | None, typer.Option("--id")] = None,
    conversation: list[str] | None = None,
    where: str = "",
    older_than: str = "",
    yes: bool = False,
) -> None:
    """Erase turns, with all that was made of them, from every table, label, record and leftover.

    What other turns share stays.
    Logs, and reports, exports and forms outside the store, are left as they are; those that may hold
    what is erased are named.

    Args:
        log (PATH): All rows of this log, and replaced contents of logs; repeat.
        turn (ID): The turn of this id; repeat.
        conversation (ID): All turns of this one; repeat.
        where (SQL): Turns that fulfil a condition, such as "metadata->>'user' = 'u17'".
        older_than (DAYS): Turns given longer ago than so many days, as 90d.
        yes: Erase them; else they are counted.

    Note:
        Without --yes nothing is changed. Killed at any moment, q2 erase --yes goes on.

    Examples:
        q2 erase --conversation c1234
        q2 erase --log logs/wrong.jsonl --yes
        q2 erase --older-than 90d --yes
        q2 verify --absent words.txt
    """
    from qsquared.storage.erasing.choosing import ErasureRequest, choose, days_of, files_outside
    from qsquared.storage.erasing.erase import erase as erase_rows
    from qsquared.storage.logs.paths import log_is_there
    from qsquared.storage.records.runs import unfinished_erasures
    from qsquared.storage.upkeep.garbage_collection import unknown_files

    opened = open_store(store)
    request = ErasureRequest(
        tuple(log or ()), tuple(turn or ()), tuple(conversation or ()), where, days_of(older_than)
    )
    unfinished = unfinished_erasures(opened)
    if not request.kinds and not unfinished:
        raise UsageError(
            "Nothing to erase is named.",
            "Give --log, --id, --conversation, --where or --older-than.",
        )
    if yes and unfinished:
        say("An erasure that was interrupted is finished first.")
    chosen = choose(opened, request)
    say(*(f"{turns:>8,}  {source}" for source, turns in chosen.sources.items()))
    erased = (
        f"{count(chosen.number, 'turn')}, {count(sum(map(len, chosen.rejects.values())), 'reject')} "
        f"and {count(chosen.pairs, 'distinct pair')} that no other turn gave"
    )
    for path in unknown_files(opened):
        say(f"not the store's, so left as it is: {path}", style="yellow")
    if not yes:
        if unfinished:
            say("An erasure was interrupted; --yes finishes it.", style="yellow")
        nothing = not (chosen.number or any(chosen.rejects.values()) or chosen.whole or unfinished)
        _name_outside(map(str, files_outside(opened, chosen)))
        todo = "Nothing fits." if nothing else "To do it: add --yes"
        say(f"Would erase {erased}. {todo}")
        return
    for named in filter(log_is_there, request.logs):
        say(f"{named} is still there: scored again, it comes back.", style="yellow")
    record = erase_rows(opened, chosen, request.kinds)
    say(f"Erased {erased}.")
    _name_outside(record["outside"] if record else ())


def _name_outside(files: Iterable[str]) -> None:
    """Name the reports, exports and forms that hold what is erased."""
    for path in files:
        text = f"{path} was written from the store and may hold them: make it anew, or delete it."
        say(text, style="yellow")
