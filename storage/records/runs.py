"""The records of the runs of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.storage.files.damage import DamagedFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from qsquared.storage.store import Store

_FIELDS = ("run_id", "started_at", "profile", "metric", "status", "configuration")


def digests_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Return, by metric, the hash of its part of the run's configuration."""
    return dict(run.get("configurations", {run["metric"]: run["configuration"]}))


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
