"""Errors of files as sentences: damaged, not to be used by this user, on a full disk, or not reached.

The file that did not fit may be a table of the store, DuckDB's, or a record of Prefect, which runs
in a process of its own and only reports a failed request; then the free space decides.
"""

import errno
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from qsquared.display import size
from qsquared.errors import (
    DeniedError,
    DeniedStoreError,
    NoSpaceError,
    Q2Error,
    StoreError,
    UnreachableError,
)
from qsquared.storage.files.remote_paths import not_reached, working_folder

_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_WORDS = (
    "no space left on device",
    "database or disk is full",
    "disk quota exceeded",
    "file too large",
)
_CLIENTS = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "adlfs", "azure"}
"""Packages whose errors come from a server."""
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
    explained = isinstance(error, Q2Error) and type(error) is not StoreError
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
    left = "" if free is None else f" There are {size(free)} free at {folder}"
    more = "" if needed is None else f", and what is left to do needs about {size(needed)}"
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


_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_PHRASES = ("Permission denied", "Read-only file system", "Operation not permitted")
_PATH = re.compile(r"""["'](/[^"']+)["']""")


def denied(error: BaseException) -> DeniedError | None:
    """Return an error as one of a lacking permission, if that is its cause."""
    for cause in causes(error):
        reason = next((phrase for phrase in _PHRASES if phrase in str(cause)), "")
        number = getattr(cause, "errno", None)
        if not reason and number not in _DENIED:
            continue
        if not isinstance(cause, OSError) and type(cause).__module__.partition(".")[0] != "_duckdb":
            continue
        path = getattr(cause, "filename", None) or next(iter(_PATH.findall(str(cause))), "")
        return DeniedError(
            f"{str(path) or 'A file'} may not be used by {_user()}: {reason or os.strerror(number or 0)}.",
            "Run the command as the owner, have the owner give you the right to read and write there "
            "(chmod, chown), or name another file or folder. The same command then goes on where it "
            "stopped.",
        )
    return None


def unreachable(error: BaseException) -> UnreachableError | None:
    """Return an error as that of a remote store, if a client library raised it or its cause."""
    for cause in causes(error):
        if type(cause).__module__.partition(".")[0] in _CLIENTS:
            return not_reached("The store", cause)
    return None


def is_denial(error: BaseException) -> bool:
    """Whether an error itself says that this user may not do something."""
    return isinstance(error, OSError) and error.errno in _DENIED


def _user() -> str:
    name = os.environ.get("USER") or os.environ.get("LOGNAME")
    return f"the user {name}" if name else "this user"


_SHORTAGES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.EINTR}


class DamagedFile(StoreError):  # noqa: N818 - named for what is found
    """A file of the store is missing or differs from the file that the store wrote.

    ``path`` is the file, ``reason`` the rest of the sentence that begins with "It cannot be used".
    """

    exit_code = 65

    def __init__(self, path: Path, reason: str, hint: str = "") -> None:
        kind = "table" if path.suffix == ".parquet" else "file"
        super().__init__(
            f"The {kind} {path} cannot be used: {reason}.",
            hint
            or "Score the logs again with the same q2 score command: it puts aside what is damaged "
            "and makes only that again. For all that is wrong: q2 verify",
        )
        self.path = path
        self.reason = reason


def refuse_if_unreadable(path: Path, error: Exception) -> None:
    """Raise an error for a file that could not be read and may be sound.

    Raises:
        StoreError: the error has another cause than the file's content.
    """
    if isinstance(error, OSError) and error.errno in _DENIED | _SHORTAGES:
        raise (DeniedStoreError if is_denial(error) else StoreError)(
            f"The file {path} cannot be read: {error.strerror or error}.",
            "Nothing was changed. Give this user the right to read the store, or free what the "
            "machine lacks, and run the same command again.",
        ) from error
