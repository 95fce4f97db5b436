"""Records of the runs of a store, and of every stage that was begun and finished on a shard, a file a run.

A line is appended before a stage begins and another after its table is published, so the record of
executions has also the work that was lost when a process was killed.
It is evidence, and nothing is decided by it.
"""

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.locks.claims import is_dead_run
from qsquared.storage.files.places import get, is_remote, put
from qsquared.storage.store import Store

_FIELDS = ("run_id", "started_at", "profile", "metric", "status", "configuration")


def digests_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Return, by metric, the hash of its part of the run's configuration."""
    return dict(run.get("configurations", {run["metric"]: run["configuration"]}))


def mean_support_of(run: Mapping[str, Any]) -> float | None:
    """Return the mean support of the turns of a run; None if none has any, or it is not known."""
    mean: float | None = run.get("measures", {}).get("support", {}).get("mean")
    return mean


def status_of_run(store: Store, run: Mapping[str, Any]) -> str:
    """Return the status of a run; a run that was killed could not write its own.

    Raises:
        DamagedFile: its record is broken.
    """
    if is_dead_run(store.root, run):
        # It may have ended well since its record was read.
        run = read_run(store, store.run_path(run["run_id"]))
        return "killed" if run["status"] == "running" else str(run["status"])
    return str(run["status"])


def read_run(store: Store, path: Path) -> dict[str, Any]:
    """Read the record of a run.

    Raises:
        DamagedFile: it is missing, broken, or that of another run.
    """
    record = store.read_json(path)
    if lacking := [name for name in _FIELDS if not isinstance(record.get(name), str)]:
        raise DamagedFile(path, f"it lacks the fields {', '.join(lacking)}")
    if record["run_id"] != path.stem:
        raise DamagedFile(path, f"it is the record of the run {record['run_id']}")
    return record


FOLDER = "executions"
"""The folder of the records in a store: ``<run>.jsonl``, or a line each as ``<run>~….jsonl``."""

_run: ContextVar[str] = ContextVar("run")


@dataclass(frozen=True, slots=True)
class Execution:
    """One line of the record; ``event`` is ``begin`` or ``end``, ``at`` ISO 8601 in UTC."""

    run_id: str
    event: str
    stage: str
    shard: str
    key: str
    at: str


@contextmanager
def recorded_as(run_id: str) -> Iterator[None]:
    """Add the stages within to the record of this run."""
    token = _run.set(run_id)
    try:
        yield
    finally:
        _run.reset(token)


def current_run() -> str:
    """Return the run whose stages are recorded; empty outside of one."""
    return _run.get("")


@contextmanager
def recorded(store: Store, stage: str, shard: str, key: str) -> Iterator[None]:
    """Record that a stage runs on a shard; ``key`` is its content key.

    A stage that fails or is interrupted has no second line.
    """
    path = store.root / FOLDER / f"{_run.get(f'process-{os.getpid()}')}.jsonl"
    with _record(path) as append:
        append(_line("begin", stage, shard, key))
        yield
        append(_line("end", stage, shard, key))


@contextmanager
def _record(path: Path) -> Iterator[Callable[[bytes], object]]:
    """Give a function that appends a line; in a remote store each line is an object of its own."""
    if is_remote(path):
        yield lambda line: put(line, path.with_name(f"{path.stem}~{secrets.token_hex(6)}.jsonl"))
        return
    path.parent.mkdir(exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        # One call, so that a kill leaves the line or no line.
        yield lambda line: os.write(handle, line)
    finally:
        os.close(handle)


def _line(event: str, stage: str, shard: str, key: str) -> bytes:
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    line = {"event": event, "stage": stage, "shard": shard, "key": key, "at": at}
    return json.dumps(line).encode("ascii") + b"\n"


def read_executions(store: Store) -> list[Execution]:
    """Return all lines of all runs, run by run and by time; a line that a full disk cut short is left out."""
    found = []
    for path in sorted((store.root / FOLDER).glob("[!.]*.jsonl")):
        run_id = path.stem.partition("~")[0]
        for line in get(path).splitlines():
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
