"""Records of erasures, which have numbers and no words; one that is not done is its own journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsquared.storage.files.damage import DamagedFile

if TYPE_CHECKING:
    from pathlib import Path

    from qsquared.storage.store import Store

ERASURES = "erasures"


def unfinished_erasures(store: Store) -> list[Path]:
    """Return the journals of the erasures that were interrupted, oldest first; no damaged one."""
    found = []
    for path in store.small_files(ERASURES):
        try:
            if store.read_json(path).get("status") != "done":
                found.append(path)
        except DamagedFile:
            continue
    return found
