"""What a log reader gives: rows as they stand in the log, readable or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RAW_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class RawRow:
    """One readable row; ``raw`` is its beginning as text.

    ``position`` counts rows from 0, unreadable ones too; ``line`` counts lines from 1.
    ``part`` numbers the turns of a row that holds several, from 1; it is 0 where there is one.
    """

    position: int
    line: int
    fields: dict[str, Any]
    raw: str
    part: int = 0


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """One row that cannot be read, and why, as a sentence."""

    position: int
    line: int
    reason: str
    raw: str


def excerpt(data: bytes | str) -> str:
    """The first 500 characters of a row, with U+FFFD for what is no text."""
    if isinstance(data, bytes):
        # A character has at most four bytes.
        data = data[: 4 * RAW_CHARACTERS].decode("utf-8", "replace")
    return data.rstrip("\r\n")[:RAW_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
