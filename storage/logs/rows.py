"""Rows of a log, readable or not, as the readers of file formats yield them."""

from dataclasses import dataclass
from typing import Any

RAW_CHARACTERS = 500
BOM = b"\xef\xbb\xbf"
"""The byte order mark that some programs put before UTF-8 text."""

ENDS_EARLY = "The file ends early"
"""The beginning of the reason of the reject that stands for the missing end of a file."""
NOT_WHOLE = "its last row is not whole"


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
    """One row that cannot be read, with the reason as a sentence."""

    position: int
    line: int
    reason: str
    raw: str


def excerpt(data: bytes | str) -> str:
    """Return the first 500 characters of a row, with U+FFFD for bytes that are no text."""
    if isinstance(data, bytes):
        # A character has at most four bytes.
        text = data[: 4 * RAW_CHARACTERS].decode("utf-8", "replace")
        return text.rstrip("\r\n")[:RAW_CHARACTERS]
    return data.rstrip("\r\n")[:RAW_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def ends_early(position: int, line: int, problem: str, raw: bytes | str = "") -> UnreadableRow:
    """Return the reject in place of the rows that a damaged or cut file has lost."""
    return UnreadableRow(position, line, f"{ENDS_EARLY}: {problem}.", excerpt(raw))
