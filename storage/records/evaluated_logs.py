"""Logs that `q2 evaluate` writes into a store, each named by the hash of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.places import get
from qsquared.storage.keys import digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qsquared.storage.store import Store

FOLDER = "evaluated"


def evaluated_log_path(store: Store, lines: Sequence[str]) -> Path:
    """Return the path of the log that has these lines, without their ends."""
    return store.root / FOLDER / f"{digest(list(lines))}.jsonl"


def evaluated_logs(store: Store) -> list[Path]:
    """Return the paths of all logs that were evaluated, by name."""
    return sorted((store.root / FOLDER).glob("[!.]*.jsonl"))


def check_evaluated_log(path: Path) -> None:
    """Check that a log has the lines that it is named by.

    Raises:
        DamagedFile: it has others.
    """
    lines = get(path).decode("utf-8", errors="replace").split("\n")
    if lines[-1] or digest(lines[:-1]) != path.stem:
        raise DamagedFile(path, "its lines do not have the hash that it is named by")
