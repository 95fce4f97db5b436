"""Rows of a log, readable or not, as the readers of file formats yield them, and their limits."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qsquared.errors import InputError, UsageError

RAW_CHARACTERS = 500
BOM = b"\xef\xbb\xbf"
"""The byte order mark that some programs put before UTF-8 text."""

ENDS_EARLY = "The file ends early"
"""The beginning of the reason of the reject that stands for the missing end of a file."""
NOT_WHOLE = "its last row is not whole"


@dataclass(slots=True)  # frozen ones take six times as long to make
class RawRow:
    """A readable row; ``raw`` is its beginning as text.

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
    """A row that cannot be read, with the reason as a sentence."""

    position: int
    line: int
    reason: str
    raw: str


Row = RawRow | UnreadableRow


def excerpt(data: bytes | str) -> str:
    """Return the first 500 characters of a row, with U+FFFD for bytes that are no text."""
    # A character has at most four bytes.
    text = data if isinstance(data, str) else data[: 4 * RAW_CHARACTERS].decode("utf-8", "replace")
    begin = text.rstrip("\r\n")[:RAW_CHARACTERS]
    return begin if begin.isascii() else begin.encode("utf-8", "replace").decode("utf-8")


Outcome = tuple[int, dict[str, Any] | str, str]
"""The line of a row, its fields or the reason why it cannot be read, and its beginning as text."""


def numbered(outcomes: Iterable[Outcome]) -> Iterator[Row]:
    """Yield the outcomes of reading a file as rows, counted from 0."""
    for position, (line, found, raw) in enumerate(outcomes):
        if isinstance(found, str):
            yield UnreadableRow(position, line, found, raw)
        else:
            yield RawRow(position, line, found, raw)


def ends_early(problem: str) -> str:
    """Return the reason of the reject in place of the rows that a damaged or cut file has lost."""
    return f"{ENDS_EARLY}: {problem}."


def not_utf8(what: str, error: UnicodeDecodeError) -> str:
    """Return the reason of a reject whose ``what`` (line, row) is no UTF-8."""
    return f"The {what} is not valid UTF-8 (byte {error.start + 1} of the {what})."


ROW = "Q2_MAX_ROW_MB"
EXPANSION = "Q2_MAX_EXPANSION"
DEFAULT_ROW_MB = 64
DEFAULT_EXPANSION = 250
FREE_BYTES = 256 << 20
"""The size that any log may unpack to."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one log: bytes of a row, and how many times its size it may unpack to.

    No file can take all memory or disk of the machine.
    Each limit is far above what chatbots log; an environment variable sets another.

    | variable | default | meaning |
    |---|---|---|
    | ``Q2_MAX_ROW_MB`` | 64 | a longer row (line, record, Parquet row) becomes a reject |
    | ``Q2_MAX_EXPANSION`` | 250 | a packed log that unpacks to more than so many times its size is refused |

    A log that unpacks to less than 256 MB is never refused for its expansion.
    """

    row_bytes: int = DEFAULT_ROW_MB << 20
    expansion: int = DEFAULT_EXPANSION

    def too_long(self, what: str) -> str:
        """Return the reason of a reject whose ``what`` (line, row) is too long."""
        return f"The {what} is longer than {self.row_bytes >> 20} MB ({ROW} sets the bound)."

    def check_expansion(self, path: Path, packed: int, unpacked: int) -> None:
        """Refuse a log that unpacks from ``packed`` bytes to more than it may.

        Raises:
            InputError: ``unpacked`` bytes are beyond the limit.
        """
        if unpacked > max(FREE_BYTES, self.expansion * packed):
            raise InputError(
                f"The log {path} has {packed:,} bytes and unpacks to more than {self.expansion} "
                "times as much.",
                f"If it is no decompression bomb, unpack it first, or set {EXPANSION} higher.",
            )


def read_limits() -> Limits:
    """Return the limits that the environment sets, else the defaults.

    Raises:
        UsageError: a variable is no positive whole number.
    """
    return Limits(_number(ROW, DEFAULT_ROW_MB) << 20, _number(EXPANSION, DEFAULT_EXPANSION))


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"{name} is {text!r}.", "Set a whole number from 1 up.")
    return int(text)
