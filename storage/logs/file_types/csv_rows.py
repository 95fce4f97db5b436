"""Rows of a comma- or tab-separated log with a header."""

import csv
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from qsquared.errors import InputError
from qsquared.storage.logs.fields.mapping import header_of
from qsquared.storage.logs.file_types.compression import LogStream, read_lines
from qsquared.storage.logs.file_types.dialects import stated_separator
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, Outcome, ends_early, excerpt, not_utf8

_NOT_CLOSED = "a quote is opened and not closed"


class _Records:
    """The records of a file, each with its first line; the lines of the current one are remembered."""

    def __init__(self, stream: LogStream, lines: BinaryIO) -> None:
        self._lines = read_lines(lines, stream.limits)
        self._limits = stream.limits
        self._again: deque[bytes] = deque()
        self._size = 0
        self.number = 0
        self.taken: list[bytes] = []

    def read(self, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
        """Yield the first line of each record with its fields, or with a text on its error."""
        while True:
            # A new reader for each record, since one that failed keeps half a record.
            reader = csv.reader(self._texts(), delimiter=delimiter, strict=True)
            while True:
                begin = self.number + 1
                self.taken = []
                self._size = 0
                try:
                    record = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    # All but the first line of this record are read again.
                    self._again.extendleft(reversed(self.taken[1:]))
                    self.taken = self.taken[:1]
                    self.number = begin
                    yield begin, str(error)
                    break
                if record:
                    yield begin, record

    def _texts(self) -> Iterator[str]:
        again = ((self._again.popleft(), True) for _ in range(len(self._again)))
        for line, whole in chain(again, self._lines):
            self.number += 1
            self.taken.append(line)
            self._size += len(line)
            if not whole:
                raise csv.Error(self._limits.too_long("line"))
            if self._size > self._limits.row_bytes and len(self.taken) > 1:
                raise csv.Error(_NOT_CLOSED)
            data = line.removeprefix(BOM) if self.number == 1 else line
            # Bytes that are no text survive as surrogates, by which the record is rejected later.
            yield data.decode("utf-8", "surrogateescape")


def iterate_csv(
    stream: LogStream, lines: BinaryIO, path: Path, delimiter: str, expected: Sequence[str]
) -> Iterator[Outcome]:
    """Yield each record after the header; quoted fields may hold line breaks.

    A first record that is data is yielded, too.
    A record whose quoting is broken costs its first line only; reading goes on with the next.

    Raises:
        InputError: the header cannot be read or lacks an ``expected`` column.
    """
    csv.field_size_limit(sys.maxsize)
    source = _Records(stream, lines)
    header: list[str] | None = None
    for begin, record in source.read(delimiter):
        raw = b"".join(source.taken)
        whole = raw.endswith(b"\n")
        problem = None if whole else stream.problem
        values = _read(record, raw)
        if header is None:
            if problem:
                return
            if begin == 1 and stated_separator(raw):
                continue
            if isinstance(values, str):
                raise InputError(
                    f"The header of the log {path} cannot be read. {values}",
                    "The first line must name the columns, in UTF-8.",
                )
            header, data = header_of(path, values, expected)
            if not data:
                continue
        if problem:
            yield begin, ends_early(problem), excerpt(raw)
            return
        if isinstance(values, list) and len(values) != len(header):
            values = f"The row has {len(values)} fields, the header has {len(header)}."
        if isinstance(values, list):
            yield begin, dict(zip(header, values, strict=True)), excerpt(raw)
        else:
            known = whole or values == stream.limits.too_long("line")
            yield begin, values if known else ends_early(NOT_WHOLE), excerpt(raw)


def _read(record: list[str] | str, raw: bytes) -> list[str] | str:
    """Return the fields of a record, or the reason why it cannot be read."""
    if isinstance(record, str):
        problem = _NOT_CLOSED if record == "unexpected end of data" else record
        return problem if problem.startswith("The ") else f"The row is not valid CSV: {problem}."
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8("row", error)
    return record
