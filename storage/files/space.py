"""Recognise a full disk among other errors.

The file that did not fit may be a table of the store, DuckDB's, or a record of Prefect, which runs
in a process of its own and only reports a failed request; then the free space decides.
"""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from qsquared.errors import LostWorkerError, NoSpaceError, Q2Error, StoreError
from qsquared.storage.files.places import working_folder

_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_WORDS = (
    "no space left on device",
    "database or disk is full",
    "disk quota exceeded",
    "file too large",
)
_FULL_BYTES = 1 << 20
"""Free bytes below which an error of unknown kind is attributed to the disk."""

ROOM_HINT = (
    "Make room, or move the store, and run the same command again: it goes on where it stopped."
)


def no_space(error: BaseException, folder: Path, needed: int | None = None) -> NoSpaceError | None:
    """Return an error that comes from a full disk (or a limit on file sizes) as a sentence.

    Args:
        error: the error that was raised; its causes count too.
        folder: the folder that was written to, such as the store.
        needed: about how many bytes are still to be written, if that is known.
    """
    for cause in causes(error):
        if isinstance(cause, NoSpaceError):
            return cause
        if is_about_room(cause):
            return NoSpaceError(_sentence(_file_of(cause), folder, needed), ROOM_HINT)
    explained = isinstance(error, Q2Error) and type(error) not in {StoreError, LostWorkerError}
    free = _free(folder)
    if not explained and free is not None and free < _FULL_BYTES:
        return NoSpaceError(_sentence("", folder, needed), ROOM_HINT)
    return None


def fullest(folders: Iterable[Path]) -> Path:
    """Return the folder with the least free space."""
    return min(folders, key=lambda folder: _free(folder) or 0)


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and the errors that it was raised from or while handling, latest first."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting += [current.__context__, current.__cause__]
        if isinstance(current, BaseExceptionGroup):
            waiting += current.exceptions


def is_about_room(error: BaseException) -> bool:
    """Whether an error itself says that a disk or a quota is full, or a file too large."""
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return True
    if isinstance(error, Q2Error):
        return False  # It may quote a log.
    message = str(error).lower()
    return any(words in message for words in _WORDS)


def _file_of(error: BaseException) -> str:
    name = error.filename if isinstance(error, OSError) else None
    return os.fsdecode(name) if isinstance(name, (str, bytes)) else ""


def _sentence(file: str, folder: Path, needed: int | None) -> str:
    free = _free(folder)
    where = "a file, or the output," if free and free > _FULL_BYTES else folder
    problem = f"{file} could not be written" if file else f"{where} could not be written to"
    left = "" if free is None else f" There are {_size(free)} free at {folder}"
    more = "" if needed is None else f", and what is left to do needs about {_size(needed)}"
    return f"The disk is full: {problem}.{left}{more}{'.' if left else ''}"


def _free(folder: Path) -> int | None:
    """Return the free bytes of the disk of a folder, which need not exist yet."""
    here = working_folder(folder).absolute()
    for parent in (here, *here.parents):
        try:
            return shutil.disk_usage(parent).free
        except OSError:
            continue
    return None


def _size(size: int) -> str:
    if size < 100_000:
        return f"{size / 1e3:.1f} kB"
    return f"{size / 1e6:.1f} MB" if size < 100_000_000 else f"{size / 1e9:.1f} GB"
