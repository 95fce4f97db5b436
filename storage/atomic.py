"""Files that are either whole or not there: written beside their place, synced, renamed."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import time
from typing import TYPE_CHECKING, Any

from qsquared.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

_HOST = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:32] or "host"
_TEMPORARY = re.compile(r"^\..+\.(?P<host>[A-Za-z0-9]+)-(?P<pid>\d+)-[0-9a-f]{8}\.tmp$")
_FOREIGN_AGE_SECONDS = 24 * 3600


def temporary_path(path: Path) -> Path:
    """A new hidden name beside ``path`` that tells which process on which host writes it."""
    return path.with_name(f".{path.name}.{_HOST}-{os.getpid()}-{secrets.token_hex(4)}.tmp")


def publish(temporary: Path, path: Path) -> None:
    """Sync ``temporary`` to disk and rename it to ``path``, so that a crash leaves old or new."""
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value atomically; the folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_path(path)
    try:
        temporary.write_text(
            json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n", encoding="ascii"
        )
        publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        StoreError: the file is missing, cannot be read, or is no JSON object.
    """
    hint = "Move it away and run the command that wrote it again."
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise StoreError(f"The file {path} is missing.", hint) from error
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"The file {path} cannot be read: {error}.", hint) from error
    if not isinstance(value, dict):
        raise StoreError(f"The file {path} does not hold a JSON object.", hint)
    return value


def remove_stale_temporaries(folder: Path) -> int:
    """Remove what dead processes left half-written under ``folder``; gives how many files.

    Files of this host go when their process is gone, those of another host after a day.
    """
    removed = 0
    for path in folder.rglob(".*.tmp"):
        match = _TEMPORARY.match(path.name)
        if match and _is_stale(path, match["host"], int(match["pid"])):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _is_stale(path: Path, host: str, pid: int) -> bool:
    if host != _HOST:
        try:
            return time.time() - path.stat().st_mtime > _FOREIGN_AGE_SECONDS
        except FileNotFoundError:
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False
