"""Records of erasures, and of the files with words of turns that were written from a store.

Such files (reports, exports, forms) lie outside the store, where an erasure can name but not change them.
The record of an erasure has numbers and no words; one that is not done is its own journal.
"""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from qsquared.errors import Q2Error
from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.keys import digest
from qsquared.storage.store import Store

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
    paths = []
    for path in store.small_files(WRITTEN):
        with suppress(DamagedFile):
            paths.append(Path(store.read_json(path)["path"]))
    return sorted(path for path in paths if path.is_file())


ERASURES = "erasures"


def unfinished_erasures(store: Store) -> list[Path]:
    """Return the journals of the erasures that were interrupted, oldest first; no damaged one."""
    journals = []
    for path in store.small_files(ERASURES):
        with suppress(DamagedFile):
            if store.read_json(path).get("status") != "done":
                journals.append(path)
    return journals
