"""Errors of files that are missing or damaged, or that this user may not use, as sentences."""

import errno
import os
import re
from pathlib import Path

from qsquared.errors import DeniedError, DeniedStoreError, StoreError
from qsquared.storage.files.space import causes

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
