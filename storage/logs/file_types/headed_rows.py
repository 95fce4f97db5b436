"""Rows of tables with a header: of comma- or tab-separated logs, and of sheets of spreadsheets.

Sheets (``.xlsx``, ``.xls``, ``.ods``) are read by the library python-calamine.
"""

from __future__ import annotations

import csv
import itertools
import re
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from qsquared.errors import InputError, UsageError, first_line
from qsquared.storage.logs.fields.mapping import header_of
from qsquared.storage.logs.file_types.compression import LogStream, read_lines
from qsquared.storage.logs.file_types.dialects import stated_separator
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, Outcome, ends_early, excerpt, not_utf8

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_NOT_CLOSED = "a quote is opened and not closed"
_OTHERWISE = "Save the sheet as CSV (in Excel: File, Save As, CSV UTF-8) and give that file."
ALL_SHEETS = "*"
"""The name that stands for all sheets: one row that holds the rows of each as a list."""
_BEGINNINGS = (b"PK", b"\xd0\xcf\x11\xe0", b"\x09")
"""The first bytes of a workbook: a ZIP archive, a compound file, or the records of an old one."""
_TOTAL = "The last row of the sheet has the total of others."
_SEARCHED = 30
"""Rows at the top of a sheet among which the header is looked for."""


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


def iterate_xlsx(
    file: Path, path: Path, expected: Sequence[str], sheet: str = ""
) -> Iterator[Outcome]:
    """Yield each row below the header of a sheet; empty rows are passed over.

    A cell that is merged over several rows counts for each of them.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.
        sheet: the name of the sheet; empty: the first one with rows; `ALL_SHEETS`: all as one row, by their names.

    Raises:
        InputError: the library is not installed, or the file or sheet cannot be read.
        UsageError: there is no such sheet.
    """
    held = _sheets(file, path, sheet)
    if sheet == ALL_SHEETS:
        lists = {
            name: [held for _, held, _ in _rows(cells, path, ()) if isinstance(held, dict)]
            for name, cells in held.items()
        }
        yield 1, lists, excerpt(", ".join(lists))
    else:
        yield from _rows([*held.values()][-1] if held else [], path, expected)


def _sheets(file: Path, path: Path, sheet: str) -> dict[str, list[list[Any]]]:
    """Return the cells of all sheets by their names, else of those up to the one that is asked for."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError(
            f"The log {path} is a workbook of a spreadsheet program, for which a library is missing.",
            f"Install it with: pip install 'qsquared[xlsx]'. Or: {_OTHERWISE}",
        ) from error
    held: dict[str, list[list[Any]]] = {}
    try:
        book = CalamineWorkbook.from_path(str(file))
        if sheet not in {"", ALL_SHEETS, *book.sheet_names}:
            named = ", ".join(map(repr, book.sheet_names))
            told = f"The workbook {path} has no sheet {sheet!r}; its sheets are {named}."
            raise UsageError(told, "Name one of them with --sheet, or * for all.")
        for name in book.sheet_names if sheet in {"", ALL_SHEETS} else [sheet]:
            held[name] = _cells(book.get_sheet_by_name(name))
            if not sheet and next(_rows(held[name], path, ()), None):
                break
    except (CalamineError, OSError, ValueError, IndexError) as error:
        with file.open("rb") as handle:
            is_book = handle.read(4).startswith(_BEGINNINGS)
        reason = f"cannot be read as a workbook: {first_line(error).rstrip('.')}"
        told = reason if is_book else "is no workbook, though its name says so"
        raise InputError(f"The log {path} {told}.", _OTHERWISE) from error
    return held


def _cells(sheet: CalamineSheet) -> list[list[Any]]:
    """Return the cells of a sheet; one that is merged over several counts in each of them."""
    cells = [[*map(_value, row)] for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        for row, column in itertools.product(range(top, bottom + 1), range(left, right + 1)):
            if row < len(cells) and column < len(cells[row]):
                cells[row][column] = cells[top][left]
    return cells


def _value(cell: Any) -> Any:
    """Return a cell's value; workbooks hold whole numbers, such as those of conversations, as fractions."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook, none of a file that cannot be read as one."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        return list(CalamineWorkbook.from_path(str(path)).sheet_names)
    except (CalamineError, OSError, ValueError):
        return []


def _rows(cells: list[list[Any]], path: Path, expected: Sequence[str]) -> Iterator[Outcome]:
    names = ([cell for cell in row if isinstance(cell, str)] for row in cells[:_SEARCHED])
    widths = [len({*filter(str.strip, row)}) for row in names]
    if not any(widths):
        return
    # Titles above a table fill fewer cells than its header.
    top = next(n for n, width in enumerate(widths) if width >= max(1, 0.6 * max(widths)))
    header, data = header_of(path, cells[top], expected)
    begin = top if data else top + 1
    below = enumerate(cells[begin:], start=begin + 1)
    rows = [(n, row) for n, row in below if any(map(_fills, row))]
    for line, row in rows:
        named = zip(header, row, strict=False)
        fields = {name: None if cell == "" else cell for name, cell in named}
        total = row is rows[-1][1] and _is_total(row, [above for _, above in rows[:-1]])
        yield line, _TOTAL if total else fields, excerpt(" | ".join(map(str, row)))


def _fills(cell: Any) -> bool:
    return bool(cell != "")


def _is_total(row: Sequence[Any], above: Sequence[Sequence[Any]]) -> bool:
    """Whether a row has a name and numbers, one below texts alone, and nothing in a column that is full above it."""
    name, *numbers = [n for n, cell in enumerate(row) if _fills(cell)] or [0]
    columns = [[*map(str, column)] for column in zip(*above, strict=False)]
    texts = [n for n in numbers if n < len(columns) and not any(map(_is_number, columns[n]))]
    lacking = [n for n, column in enumerate(columns) if not _fills(row[n]) and all(column)]
    named = not _is_number(row[name]) and not str(row[name]).rstrip().endswith(("?", "."))
    return bool(texts and lacking) and named and all(_is_number(row[n]) for n in numbers)


def _is_number(cell: Any) -> bool:
    return re.fullmatch(r"-?[\d.,]*\d\s*%?", str(cell).strip()) is not None
