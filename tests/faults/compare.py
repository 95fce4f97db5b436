"""Compare two stores: byte for byte, and row for row."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.storage.store import Store

TABLES = ("turns", "rejects", "pairs", "stages")


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference between a store and the one that it should equal."""

    rows: int
    rows_lost: int
    rows_differing: int
    files: int
    files_differing: int

    @property
    def none(self) -> bool:
        """Whether the stores hold the same."""
        return not (self.rows_lost or self.rows_differing or self.files_differing)


def _tables(store: Path) -> dict[Path, Path]:
    return {
        path.relative_to(store): path
        for table in TABLES
        for path in sorted((store / table).rglob("[!.]*.parquet"))
    }


def _rows(tables: dict[Path, Path]) -> Counter[tuple[str, str]]:
    """(folder, row) → how often; floats by their bits."""
    rows: Counter[tuple[str, str]] = Counter()
    for name, path in tables.items():
        folder = name.parent.as_posix()
        # The rows of a file that cannot be read are lost.
        with contextlib.suppress(pa.ArrowInvalid):
            rows.update((folder, repr(row)) for row in pq.read_table(path).to_pylist())
    return rows


def compare_stores(expected: Path, found: Path) -> Difference:
    """Compare every table of a store with those of one that was never interrupted.

    A row is lost where the expected store has it and the other has not, and differing where only
    the other has it.
    """
    here, there = _tables(expected), _tables(found)
    mine, theirs = _rows(here), _rows(there)
    unequal = sum(
        name not in here or name not in there or here[name].read_bytes() != there[name].read_bytes()
        for name in here.keys() | there.keys()
    )
    return Difference(
        rows=mine.total(),
        rows_lost=(mine - theirs).total(),
        rows_differing=(theirs - mine).total(),
        files=len(here),
        files_differing=unequal,
    )


def leftovers(store: Path) -> list[str]:
    """Return the half-written files, claims and damaged files that a completed run left."""
    hidden = (path for path in store.rglob(".*.tmp") if "prefect" not in path.parts[-3:])
    visible = (path for folder in ("locks", "quarantine") for path in (store / folder).glob("*"))
    return sorted(str(path.relative_to(store)) for path in (*hidden, *visible))


@dataclass(frozen=True, slots=True)
class Execution:
    """One line of the record; ``event`` is ``begin`` or ``end``, ``at`` ISO 8601 in UTC."""

    run_id: str
    event: str
    stage: str
    shard: str
    key: str
    at: str


def read_executions(store: Store) -> list[Execution]:
    """Return all lines of all runs, run by run and by time; a line that a full disk cut short is left out."""
    found = []
    for path in sorted((store.root / "executions").glob("[!.]*.jsonl")):
        run_id = path.stem.partition("~")[0]
        for line in path.read_bytes().splitlines():
            try:
                value = json.loads(line)
                found.append(Execution(run_id, **value))
            except (ValueError, TypeError):
                continue
    return sorted(found, key=lambda line: (line.run_id, line.at))


def repeated(executions: list[Execution]) -> dict[tuple[str, str], int]:
    """Count how often each (stage, shard) was begun again; one begun once is left out."""
    begun = Counter(
        (line.key, line.stage, line.shard) for line in executions if line.event == "begin"
    )
    return {(stage, shard): times - 1 for (_, stage, shard), times in begun.items() if times > 1}


def lost_work(executions: list[Execution]) -> dict[str, int]:
    """Run → how many stages it began and did not finish."""
    open_stages: Counter[str] = Counter()
    for line in executions:
        open_stages[line.run_id] += 1 if line.event == "begin" else -1
    return {run: count for run, count in open_stages.items() if count}


def finished_twice(executions: list[Execution]) -> list[str]:
    """The stages of a shard that were finished more than once, as ``stage shard``."""
    ends = Counter((line.key, line.stage, line.shard) for line in executions if line.event == "end")
    return sorted(f"{stage} {shard}" for (_, stage, shard), times in ends.items() if times > 1)


def run_statuses(store: Path) -> dict[str, str]:
    """Run → status."""
    return {
        path.stem: json.loads(path.read_text())["status"]
        for path in sorted((store / "runs").glob("[!.]*.json"))
    }
