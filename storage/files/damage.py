"""What is found wrong with a file of the store."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from qsquared.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

_NOT_THE_FILES_FAULT = {
    errno.EACCES,
    errno.EPERM,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ESTALE,
    errno.EINTR,
}


class DamagedFile(StoreError):  # noqa: N818 - named for what is found
    """A file of the store that is missing or is not what the store wrote there.

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
    """Tell a file that could not be read from one that is damaged.

    Raises:
        StoreError: the error says nothing of the file's content, which may be whole.
    """
    if error.errno in _NOT_THE_FILES_FAULT:
        raise StoreError(
            f"The file {path} cannot be read: {error.strerror or error}.",
            "Nothing was changed. Give this user the right to read the store, or free what the "
            "machine lacks, and run the same command again.",
        ) from error
