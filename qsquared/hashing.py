"""The SHA-256 of a file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
