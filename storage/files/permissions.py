"""Errors of files and folders that this user may not use, as sentences."""

from __future__ import annotations

import errno
import os
import re

from qsquared.errors import DeniedError
from qsquared.storage.files.space import causes

_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_WORDS = ("Permission denied", "Read-only file system", "Operation not permitted")
_PATH = re.compile(r"""["'](/[^"']+)["']""")


def denied(error: BaseException) -> DeniedError | None:
    """Return an error as one of a lacking permission, if that is its cause."""
    for cause in causes(error):
        reason = next((words for words in _WORDS if words in str(cause)), "")
        if not reason and getattr(cause, "errno", None) not in _DENIED:
            continue
        if not isinstance(cause, OSError) and type(cause).__module__.partition(".")[0] != "_duckdb":
            continue
        found = getattr(cause, "filename", None) or next(iter(_PATH.findall(str(cause))), "")
        place = str(found) or "A file"
        return DeniedError(
            f"{place} may not be used by {_user()}: {reason or os.strerror(cause.errno or 0)}.",  # type: ignore[attr-defined]
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
