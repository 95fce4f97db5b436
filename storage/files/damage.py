"""Errors of files of the store that are missing or damaged."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from qsquared.errors import DeniedStoreError, StoreError
from qsquared.storage.files.permissions import is_denial

if TYPE_CHECKING:
    from pathlib import Path

_ENVIRONMENT_ERRORS = {
    errno.EACCES,
    errno.EPERM,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ESTALE,
    errno.EINTR,
}


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


def refuse_if_unreadable(path: Path, error: OSError) -> None:
    """Raise an error for a file that could not be read and may be sound.

    Raises:
        StoreError: the error has another cause than the file's content.
    """
    if error.errno in _ENVIRONMENT_ERRORS:
        raise (DeniedStoreError if is_denial(error) else StoreError)(
            f"The file {path} cannot be read: {error.strerror or error}.",
            "Nothing was changed. Give this user the right to read the store, or free what the "
            "machine lacks, and run the same command again.",
        ) from error
