"""The records of the runs of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.locks.claims import is_dead_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
