"""Stores that commands open, and files that they write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsquared.errors import UsageError

if TYPE_CHECKING:
    from qsquared.storage.store import Store


def file_to_write(named: str | Path) -> Path:
    """Return the path of a file to write; a default comes as a path already.

    Raises:
        UsageError: the text names a folder, which a path alone would not tell any more.
    """
    if str(named).endswith(("/", os.sep)):
        raise UsageError(f"--out {named} names a folder.", "Name a file in it.")
    return Path(named)


def open_store(root: Path) -> Store:
    """Return the store of a command.

    Raises:
        StoreError: there is none, or it cannot be used.
    """
    from qsquared.storage.store import Store

    return Store.open(root)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write an object as JSON to a file, which is whole or absent."""
    from qsquared.storage.files.atomic import written_whole

    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
