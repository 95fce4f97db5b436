"""Erase turns from a store: a journal first, then tables, judgements, records and leftovers.

The journal names positions and inputs, no words; a kill leaves it, and the next erasure goes on with it.
When all is done it becomes the record of the erasure, with numbers, and the files outside the store that
may hold the words: these are left as they are.
"""

import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared.display import count
from qsquared.errors import StoreError
from qsquared.storage.connection import quote
from qsquared.storage.erasing.choosing import Chosen, files_outside
from qsquared.storage.erasing.rewriting import (
    erase_judgements,
    erase_rows,
    erase_units,
    redact_histories,
)
from qsquared.storage.files.remote_paths import working_folder
from qsquared.storage.files.shard_claims import Claim, ingest_lock, planning_lock
from qsquared.storage.records.date_records import NO_LOG, all_dates, write_date
from qsquared.storage.records.runs import ERASURES, read_run, unfinished_erasures
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

_LOCKS = {"ingest", "plan"}
_LEFTOVERS = (
    "quarantine", "retry", "prefect*", ".spill*", "catalog.duckdb", "evaluated", "**/.*.tmp",
)  # fmt: skip
"""Places that hold words and that nothing needs: damaged files, Prefect's history of its own runs, views,
and the items of evaluations by earlier versions."""
_FIGURES = """
SELECT count(*), count(q2), avg(support), avg(q2) FROM outcomes
WHERE input IN ({inputs}) AND metric = 'q2' AND profile = {profile}
"""


def erase(store: Store, chosen: Chosen, kinds: list[str]) -> dict[str, Any] | None:
    """Erase rows, and finish an erasure that was interrupted; return the record (None: nothing to do).

    Args:
        store: the store.
        chosen: the rows.
        kinds: how they were chosen, for the record.

    Raises:
        StoreError: another process works on the store.
        DamagedFile: a table that has to be rewritten cannot be trusted.
    """
    with _alone_in(store):
        records = [_finish(store, path) for path in unfinished_erasures(store)]
        if chosen.empty:
            return _with_files_of_all(records)
        began = datetime.now(UTC)
        path = store.root / ERASURES / f"{began:%Y%m%dT%H%M%S.%f}.json"
        names = {*chosen.turns, *chosen.rejects, *chosen.whole}
        journal = {
            "status": "begun",
            "at": began.isoformat(timespec="seconds"),
            "by": kinds,
            "turns": chosen.number,
            "pairs": chosen.pairs,
            "redacted": False,
            "outside": list(map(str, files_outside(store, chosen))),
            "inputs": {
                name: {
                    "turns": chosen.turns.get(name, []),
                    "rejects": chosen.rejects.get(name, []),
                    "whole": name in chosen.whole,
                }
                for name in sorted(names)
            },
        }
        store.write_json(path, journal)
        return _with_files_of_all([*records, _finish(store, path)])


def _with_files_of_all(records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the last record with the files outside the store that any of them names."""
    outside = sorted({path for record in records for path in record["outside"]})
    return records[-1] | {"outside": outside} if records else None


def _alone_in(store: Store) -> ExitStack:
    """Keep runs out of a store.

    Raises:
        StoreError: one is at work.
    """
    with ExitStack() as stack:
        stack.enter_context(ingest_lock(store.root))
        stack.enter_context(planning_lock(store.root))
        for path in sorted((store.root / "locks").glob("*.lock")):
            claim = Claim(store.root, path.stem)
            if path.stem not in _LOCKS and claim.owner is not None and not claim.is_abandoned:
                raise StoreError(
                    f"{claim.owner} works on the store {store.root}, and nothing can be erased meanwhile.",
                    "Wait until it is done, or stop it; then run the command again.",
                )
        return stack.pop_all()


def _finish(store: Store, path: Path) -> dict[str, Any]:
    """Carry out the erasure of a journal, and turn the journal into the record."""
    journal = store.read_json(path)
    inputs = journal["inputs"]
    if not journal["redacted"]:
        there = (name for name in inputs if store.table_path("turns", name).exists())
        redact_histories(store, {name: inputs[name]["turns"] for name in there})
        store.write_json(path, journal | {"redacted": True})
    for name, rows in inputs.items():
        erase_rows(store, name, rows["turns"], rows["rejects"], whole=rows["whole"])
    erase_units(store)
    erase_judgements(store)
    whole = {name for name, rows in inputs.items() if rows["whole"]}
    _correct_runs(store, inputs, whole)
    _correct_dates(store, inputs, whole)
    for leftover in _leftovers(store):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink(missing_ok=True)
    done = {name: journal[name] for name in ("at", "by", "turns", "pairs")}
    done["outside"] = journal.get("outside", [])
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    record = done | {"status": "done", "logs": len(inputs), "ended_at": ended}
    store.write_json(path, record)
    return record


def _leftovers(store: Store) -> Iterator[Path]:
    for folder in {store.root, working_folder(store.root)}:
        for pattern in _LEFTOVERS:
            yield from sorted(folder.glob(pattern))


def _correct_runs(store: Store, inputs: Collection[str], whole: set[str]) -> None:
    """Take erased inputs, and reasons that may quote a row, out of the records of runs."""
    for path in store.small_files("runs"):
        run = read_run(store, path)
        named = {log["fingerprint"] for log in run.get("inputs", ())}
        if not named & set(inputs):
            continue
        gone = [log["paths"] for log in run["inputs"] if log["fingerprint"] in whole]
        run["inputs"] = [log for log in run["inputs"] if log["fingerprint"] not in whole]
        run["logs"] = [log for log in run["logs"] if not any(log in paths for paths in gone)]
        left = [name for name in run["selection"]["inputs"] if name not in whole]
        run["selection"] = run["selection"] | {"inputs": left}
        store.write_json(path, run | {"first_reject": None, "unscored": []})


def _correct_dates(store: Store, inputs: Collection[str], whole: set[str]) -> None:
    """Count the figures of the dates of erased turns again, with a note."""
    for record in all_dates(store).values():
        if not set(record.fingerprints) & set(inputs):
            continue
        left = tuple(file for file in record.files if file.fingerprint not in whole)
        names = ", ".join(quote(file.fingerprint) for file in left) or "NULL"
        figures = _FIGURES.format(inputs=names, profile=quote(record.profile))
        with connect(store, figures) as connection:
            ((turns, scored, support, mean),) = connection.execute(figures).fetchall()
        gone = record.turns - turns
        changed = replace(
            record, files=left, turns=turns, scored_turns=scored, mean_support=support,
            mean_q2=mean, status=record.status if left else NO_LOG,
        )  # fmt: skip
        write_date(store, changed.with_note(f"{count(gone, 'turn')} erased") if gone else changed)
