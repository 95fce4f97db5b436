"""Records of the runs of a store, of its erasures, and of the files that were written from it.

Each stage that was begun and finished on a shard is recorded, too, in a file for each run: a line is
appended before a stage begins and another after its table is published, so the record of executions
has also the work that was lost when a process was killed.
It is evidence, and nothing is decided by it.

Files with words of turns (reports, exports, forms) lie outside the store, where an erasure can name but
not change them.
The record of an erasure has numbers and no words; one that is not done is its own journal.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared.errors import Q2Error
from qsquared.storage.files.atomic import append_line
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.shard_claims import is_dead_run
from qsquared.storage.keys import digest
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
        run = read_run(store, store.small_file("runs", run["run_id"]))
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
    line = {"stage": stage, "shard": shard, "key": key}
    append_line(path, {"event": "begin"} | line | {"at": _now()})
    yield
    append_line(path, {"event": "end"} | line | {"at": _now()})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


WRITTEN = "written"


def note_written(store: Store, path: Path) -> None:
    """Note that a file with words of turns was written; a store that cannot be written to stays as it is."""
    name = os.path.abspath(path)  # noqa: PTH100 - links stay as given
    record = {"path": name, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    # Nothing can be erased from a store that is read-only here.
    with suppress(OSError, Q2Error):
        store.write_json(store.root / WRITTEN / f"{digest(name)}.json", record)


def written_files(store: Store) -> list[Path]:
    """Return the files that were written and are still there, by path; a damaged record is left out."""
    paths = (Path(record["path"]) for _, record in _sound_records(store, WRITTEN))
    return sorted(path for path in paths if path.is_file())


ERASURES = "erasures"


def unfinished_erasures(store: Store) -> list[Path]:
    """Return the journals of the erasures that were interrupted, oldest first; no damaged one."""
    records = _sound_records(store, ERASURES)
    return [path for path, record in records if record.get("status") != "done"]


def _sound_records(store: Store, folder: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in store.small_files(folder):
        with suppress(DamagedFile):
            yield path, store.read_json(path)
