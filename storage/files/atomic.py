"""Write files whole or not at all: beside their place, synced, then renamed.

A remote store has no rename; an object is put into its place as a whole.
"""

import errno
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from qsquared.errors import DeniedError, NoSpaceError, Q2Error, UsageError
from qsquared.storage.files.file_errors import ROOM_HINT, is_about_room, is_denial
from qsquared.storage.files.processes import HOST, PROCESS, may_be_running
from qsquared.storage.files.remote_paths import (
    download,
    is_remote,
    make_folder,
    move,
    put,
    remote_work_root,
    upload,
)

_OLD_SECONDS = 24 * 3600


_TEMPORARY = re.compile(
    r"^\..+\.(?P<host>[A-Za-z0-9]+)-(?P<pid>\d+)-(?P<process>[0-9a-f]{4})[0-9a-f]{4}\.tmp$"
)


def temporary_path(path: Path) -> Path:
    """Return a new hidden name beside ``path`` that names the process and the host that write it.

    For a path in a remote store it is on this machine.
    """
    if is_remote(path):
        folder = remote_work_root()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / path.name
    owner = f"{HOST}-{os.getpid()}-{PROCESS}"
    return path.with_name(f".{path.name}.{owner}{secrets.token_hex(2)}.tmp")


def publish(temporary: Path, path: Path) -> None:
    """Sync ``temporary`` to disk and rename it to ``path``, so that a crash leaves old or new.

    Raises:
        UnreachableError: ``path`` is in a remote store that cannot be reached.
    """
    if is_remote(path):
        upload(temporary, path)
        return
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the file written there replaces ``path`` when all went well."""
    temporary = temporary_path(path)
    try:
        yield temporary
        publish(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def written_whole(
    path: Path,
    kind: str = "file",
    hint: str = "",
    errors: tuple[type[Exception], ...] = (OSError,),
) -> Iterator[Path]:
    """Yield a path to write a file that a person asked for; it then appears at ``path`` as a whole.

    Folders that are missing are made.

    Args:
        path: the place of the file.
        kind: the noun of the error's sentence.
        hint: advice for a place that cannot be written to.
        errors: the errors by which writing fails.

    Raises:
        UsageError: the file cannot be written; an older file at ``path`` is kept.
        DeniedError: this user may not write there.
        NoSpaceError: the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(path) as temporary:
            yield temporary
    except errors as error:
        raise cannot_write(f"{kind} {path}", error, hint) from error


def cannot_write(what: str, error: Exception, hint: str = "") -> Q2Error:
    """Return the error of a file that a person asked for and that cannot be written."""
    if is_about_room(error):
        return NoSpaceError(f"The disk is full: the {what} cannot be written.", ROOM_HINT)
    # The name in the system's own message is that of a file which nobody asked for.
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    message = f"The {what} cannot be written: {reason.rstrip('.')}."
    if is_denial(error):
        return DeniedError(
            message, hint or "Choose another place, or have its owner let you write."
        )
    return UsageError(message, hint)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def local_copy(path: Path) -> Iterator[Path]:
    """Yield the file itself or, if it is in a remote store, a temporary copy on this machine.

    Raises:
        FileNotFoundError: it is not there.
        UnreachableError: the store cannot be reached.
    """
    if not is_remote(path):
        yield path
        return
    copy = temporary_path(path)
    try:
        download(path, copy)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def move_within(path: Path, target: Path) -> None:
    """Rename a file within a store, durably; the new folder is made.

    Raises:
        FileNotFoundError: it is not there.
    """
    if is_remote(path):
        move(path, target)
        return
    make_folder(target.parent)
    path.replace(target)
    sync_folder(path.parent)
    sync_folder(target.parent)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value atomically; a missing folder is made."""
    text = json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    write_bytes(path, text.encode("ascii"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file of a store atomically; a missing folder is made."""
    if is_remote(path):
        put(data, path)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(path) as temporary:
        temporary.write_bytes(data)


def append_line(path: Path, value: Any, *, sync: bool = False) -> None:
    """Append a JSON value as a line; a kill leaves the line or no line.

    In a remote store each line is an object of its own, ``<name>~….jsonl``.

    Raises:
        OSError: the disk took a part of the line only, which readers pass over.
    """
    line = json.dumps(value).encode("ascii") + b"\n"
    if is_remote(path):
        put(line, path.with_name(f"{path.stem}~{secrets.token_hex(6)}.jsonl"))
        return
    path.parent.mkdir(exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        if os.write(handle, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        if sync:
            os.fdatasync(handle)
    finally:
        os.close(handle)


def remove_stale_temporaries(folder: Path) -> int:
    """Remove the half-written files of dead processes under ``folder``; return their number.

    The temporaries of a remote store are on this machine.
    """
    stale = stale_temporaries(remote_work_root() if is_remote(folder) else folder)
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)


def stale_temporaries(folder: Path) -> list[Path]:
    """Return the half-written files of dead processes under a folder of this machine, by path.

    A file of this host is dead when its process is gone, any other when nobody wrote to it for a day.
    """
    return sorted(filter(_is_stale, folder.rglob(".*.tmp")))


def _is_stale(path: Path) -> bool:
    match = _TEMPORARY.match(path.name)
    if match is None:
        return False
    try:
        silent = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return False
    return not may_be_running(
        int(match["pid"]),
        here=match["host"] == HOST,
        process=match["process"],
        silent=silent,
        patience=_OLD_SECONDS,
    )
