"""Rows of a JSON file that is one array, or objects over several lines.

The file is cut into its values by brackets and strings alone, so that it may be larger than memory
and a value that is broken within costs itself only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from qsquared.storage.logs.formats.jsonl_rows import read_object
from qsquared.storage.logs.rows import BOM, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.logs.formats.streams import LogStream
    from qsquared.storage.logs.rows import Limits

_BLOCK = 1 << 16
# The last branch is a string whose end has not been read yet.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|"', re.DOTALL)
_OPENING = (b"{", b"[")
_CLOSING = (b"}", b"]")
_BLANK = b" \t\r\n,"
_KEPT = 1 << 12


class _Cutter:
    """The values at the top of an array, or of a file, cut out of a stream of bytes."""

    def __init__(self, lines: BinaryIO, limits: Limits) -> None:
        self._lines = lines
        self._bound = limits.row_bytes
        self._data = b""
        self._first = True
        self._read_to = 0
        """The end of the tokens of ``_data`` that were read."""
        self._begin = 0
        """The begin of the value, or of the gap between two, in ``_data``."""
        self._line = 1
        self._open = bytearray()
        """The open brackets."""
        self._top = 0
        """The number of open brackets between two values: one in an array."""
        self._begun = False
        self._ended = False
        """Whether the array was closed."""
        self._endless = False
        """Whether a string was too long to find its end."""
        self._long: tuple[int, bytes] | None = None
        """Line and beginning of a value that is too long."""
        self.cut: tuple[int, bytes] | None = None
        """Line and bytes of the value in which the file ends."""

    def __iter__(self) -> Iterator[tuple[int, bytes, bool]]:
        """Yield the line and bytes of each value and True; for a long value its beginning and False."""
        while self._more():
            for token in _TOKEN.finditer(self._data, self._read_to):
                if token[0] == b'"':
                    # Its end is not here yet; it is read again when there is more.
                    self._read_to = token.start()
                    break
                self._read_to = token.end()
                yield from self._take(token)
            else:
                self._read_to = len(self._data)
            self._forget()
        if self._long is not None:
            yield *self._long, False
        elif self._depth == self._top:
            yield from self._gap(len(self._data))
        open_yet = self._depth > self._top or (self._top > 0 and not self._ended)
        if self._endless or (open_yet and self._long is None):
            self.cut = self._line, self._data[self._begin :]

    def _take(self, token: re.Match[bytes]) -> Iterator[tuple[int, bytes, bool]]:
        """Yield the values that end with a token."""
        text = token[0]
        if text in _OPENING:
            if self._depth == self._top:
                yield from self._gap(token.start())
                if not self._begun and text == b"[":
                    self._top = 1
                    self._move(token.end())
                self._begun = True
            self._open += text
            return
        if text in _CLOSING:
            if not self._close(text):
                return
            if self._depth < self._top:
                yield from self._gap(token.start())
                self._move(token.end())
                self._top = 0
                self._ended = True
                return
        elif self._depth == self._top:
            yield from self._gap(token.start())
        if self._depth > self._top:
            return
        if self._long is not None:
            yield *self._long, False
            self._long = None
        else:
            yield self._line, self._data[self._begin : token.end()], True
        self._move(token.end())

    @property
    def _depth(self) -> int:
        return len(self._open)

    def _close(self, text: bytes) -> bool:
        """Close the bracket that this one fits, and one that was left open within it.

        A bracket that fits no open one belongs to a broken value and closes nothing.
        """
        opening = _OPENING[_CLOSING.index(text)]
        depth = self._depth
        if depth == 0:
            return True
        within = depth - self._top if depth > self._top else 1
        for place in range(depth - 1, depth - 1 - min(within, 2), -1):
            if self._open[place : place + 1] == opening:
                del self._open[place:]
                return True
        return False

    def _forget(self) -> None:
        """Forget blanks of a gap, and a long value except for its beginning."""
        if self._depth == self._top:
            if not self._data[self._begin : self._read_to].strip(_BLANK):
                self._move(self._read_to)
        elif self._long is None and len(self._data) - self._begin > self._bound:
            self._long = self._line, self._data[self._begin :][:_KEPT]
        if self._long is not None:
            self._move(self._read_to)

    def _move(self, place: int) -> None:
        """Begin a value or gap at a place of the data, and forget the data before it."""
        self._line += self._data.count(b"\n", self._begin, place)
        self._begin = place

    def _gap(self, end: int) -> Iterator[tuple[int, bytes, bool]]:
        """Yield the values between two objects or arrays; all else there are commas."""
        for piece in self._data[self._begin : end].split(b","):
            lead = len(piece) - len(piece.lstrip())
            line = self._line + piece.count(b"\n", 0, lead)
            if piece.strip():
                yield line, piece.strip(), True
            self._line += piece.count(b"\n")
        self._begin = end

    def _more(self) -> bool:
        """Read on, as much again as is still open, so that a long value is scanned once."""
        self._data = self._data[self._begin :]
        self._read_to -= self._begin
        self._begin = 0
        waiting = len(self._data) - self._read_to
        if waiting > self._bound:
            # The end of the string cannot be found any more.
            self._endless = True
            return False
        block = self._lines.read(max(_BLOCK, waiting, len(BOM) + 1))
        if self._first:
            block = block.removeprefix(BOM)
            self._first = False
        self._data += block
        return bool(block)


def iterate_json_values(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield each object of an array, or each object of a file without an array.

    A value that is no object, is too long, or breaks off at the end of the file is a reject.
    """
    cutter = _Cutter(lines, stream.limits)
    position = 0
    for line, data, whole in cutter:
        yield (
            read_object(position, line, data, "value")
            if whole
            else UnreadableRow(position, line, stream.limits.too_long("value"), excerpt(data))
        )
        position += 1
    if cutter.cut is not None or stream.problem:
        line, data = cutter.cut or (1, b"")
        problem = stream.problem or "a bracket or a quote is opened and not closed"
        yield ends_early(position, line, problem, data)
