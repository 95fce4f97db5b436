"""Rows of a comma- or tab-separated log with a header."""

from __future__ import annotations

import csv
import sys
from collections import deque
from typing import TYPE_CHECKING, BinaryIO

from qsquared.errors import InputError
from qsquared.storage.logs.fields.mapping import check_columns
from qsquared.storage.logs.file_types.dialects import stated_separator
from qsquared.storage.logs.file_types.streams import read_line
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from qsquared.storage.logs.file_types.streams import LogStream
    from qsquared.storage.logs.rows import Limits


class _Lines:
    """The lines of a file as text, with those of the current record remembered."""

    def __init__(self, lines: BinaryIO, limits: Limits) -> None:
        self._lines = lines
        self._limits = limits
        self._again: deque[bytes] = deque()
        self._size = 0
        self.number = 0
        self.taken: list[bytes] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line, whole = (
            (self._again.popleft(), True) if self._again else read_line(self._lines, self._limits)
        )
        if not line:
            raise StopIteration
        self.number += 1
        self.taken.append(line)
        self._size += len(line)
        if not whole:
            raise csv.Error(self._limits.too_long("line").removesuffix("."))
        if self._size > self._limits.row_bytes and len(self.taken) > 1:
            raise csv.Error("a quote is opened and not closed")
        if self.number == 1:
            line = line.removeprefix(BOM)
        # Bytes that are no text survive as surrogates, by which the record is rejected later.
        return line.decode("utf-8", "surrogateescape")

    def begin(self) -> None:
        """Forget the lines of the previous record."""
        self.taken = []
        self._size = 0

    def give_back(self) -> None:
        """Read all but the first line of this record again."""
        self._again.extendleft(reversed(self.taken[1:]))
        self.number -= len(self.taken) - 1
        self.taken = self.taken[:1]


def iterate_csv(
    stream: LogStream, lines: BinaryIO, path: Path, delimiter: str, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """Yield each record after the header; quoted fields may hold line breaks.

    A record whose quoting is broken costs its first line only; reading goes on with the next.

    Raises:
        InputError: the header cannot be read or lacks an ``expected`` column.
    """
    csv.field_size_limit(sys.maxsize)
    source = _Lines(lines, stream.limits)
    header: list[str] | None = None
    position = 0
    for begin, outcome in _records(source, delimiter):
        raw = b"".join(source.taken)
        problem = None if raw.endswith(b"\n") else stream.problem
        if header is None:
            if problem is not None:
                return
            if begin == 1 and stated_separator(raw):
                continue
            header = _check_header(path, outcome, raw, expected)
            continue
        if problem is not None:
            yield ends_early(position, begin, problem, raw)
            return
        reason = _problem(outcome, raw, len(header))
        if reason is None and isinstance(outcome, list):
            yield RawRow(position, begin, dict(zip(header, outcome, strict=True)), excerpt(raw))
        elif raw.endswith(b"\n") or reason == stream.limits.too_long("line"):
            yield UnreadableRow(position, begin, reason or "", excerpt(raw))
        else:
            yield ends_early(position, begin, NOT_WHOLE, raw)
        position += 1
    if stream.problem:
        yield ends_early(position, source.number + 1, stream.problem)


def _records(source: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the first line of each record with its fields, or with a text on its error."""
    while True:
        # A new reader for each record, since one that failed keeps half a record.
        reader = csv.reader(source, delimiter=delimiter, strict=True)
        while True:
            source.begin()
            begin = source.number + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                source.give_back()
                yield begin, str(error)
                break
            if record:
                yield begin, record


def _problem(outcome: list[str] | str, raw: bytes, columns: int) -> str | None:
    if isinstance(outcome, str):
        if outcome.startswith("The "):
            return f"{outcome}."
        problem = (
            "a quote is opened and not closed" if outcome == "unexpected end of data" else outcome
        )
        return f"The row is not valid CSV: {problem}."
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"The row is not valid UTF-8 (byte {error.start + 1} of the row)."
    if len(outcome) != columns:
        return f"The row has {len(outcome)} fields, the header has {columns}."
    return None


def _check_header(
    path: Path, outcome: list[str] | str, raw: bytes, expected: Sequence[str]
) -> list[str]:
    problem = _problem(outcome, raw, len(outcome))
    if problem or isinstance(outcome, str):
        raise InputError(
            f"The header of the log {path} cannot be read. {problem}",
            "The first line must name the columns, in UTF-8.",
        )
    # Tables written with their row numbers have a column without a name.
    header = [name.strip() or f"column {i}" for i, name in enumerate(outcome, start=1)]
    check_columns(path, header, expected)
    return header
