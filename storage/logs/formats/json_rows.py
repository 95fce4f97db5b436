"""Rows of JSON: objects on a line each, server-sent events (``data: {…}``), one array, or objects over lines.

An array or object is cut into its values by brackets and strings alone, so that the file may be larger than
memory and a value that is broken within costs itself only.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from qsquared.storage.logs.formats.streams import read_line
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.logs.formats.streams import LogStream
    from qsquared.storage.logs.rows import Limits

_KINDS = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
SENT = (b"data:", b"event:", b": ")
"""The beginnings of a stream of server-sent events, as models' interfaces answer."""
_SENT_BESIDE = (b"event:", b"id:", b"retry:", b":")
_END_OF_STREAM = b"[DONE]"
_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(".") for byte in range(256))


def iterate_jsonl(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield each line that is not blank; a compressed log that is cut short ends with a reject."""
    position = 0
    number = 0
    sent: bool | None = None
    while True:
        line, whole = read_line(lines, stream.limits)
        if not line:
            break
        number += 1
        data = line.removeprefix(BOM) if number == 1 else line
        if not data.strip() and whole:
            continue
        sent = data.startswith(SENT) if sent is None else sent
        if sent and whole:
            data = _sent_data(data)
            if not data:
                continue
        row = (
            read_object(position, number, data)
            if whole
            else UnreadableRow(position, number, stream.limits.too_long("line"), excerpt(data))
        )
        cut = stream.problem or (NOT_WHOLE if whole and data.startswith(b"{") else "")
        if cut and isinstance(row, UnreadableRow) and not line.endswith(b"\n"):
            # One reject stands for the cut line and the end of the file.
            yield ends_early(position, number, cut, data)
            return
        yield row
        position += 1
    if stream.problem:
        yield ends_early(position, number + 1, stream.problem)


def _sent_data(line: bytes) -> bytes:
    """Return the data in a line of server-sent events, empty if it holds none."""
    data = line.removeprefix(b"data:").strip()
    return b"" if line.startswith(_SENT_BESIDE) or data == _END_OF_STREAM else data


def read_object(
    position: int, number: int, data: bytes, what: str = "line"
) -> RawRow | UnreadableRow:
    """Read a row from the bytes of one JSON object; a reject if they are no object.

    Args:
        position: ordinal of the row.
        number: line in which it begins.
        data: its bytes.
        what: the noun for them in a reason.
    """
    raw = excerpt(data)
    try:
        value = _loaded(data)
    except UnicodeDecodeError as error:
        reason = f"The {what} is not valid UTF-8 (byte {error.start + 1} of the {what})."
    except json.JSONDecodeError as error:
        reason = f"The {what} is not valid JSON: {error.msg} at character {error.pos + 1}."
    except RecursionError:
        reason = f"The {what} is JSON nested too deeply."
    except ValueError as error:
        reason = f"The {what} is not readable JSON: {error}."
    else:
        if isinstance(value, dict):
            return RawRow(position, number, value, raw)
        reason = f"The {what} is {_KINDS.get(type(value), 'null')}, not a JSON object."
    return UnreadableRow(position, number, reason, raw)


def _loaded(data: bytes) -> Any:
    """Return a JSON value; the fast reader refuses what only the other one reads or explains."""
    try:
        # orjson reads whole numbers of 20 digits as floats; of 18 digits at least two are looked at.
        if b"00" not in data[::9].translate(_DIGITS):
            return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    return json.loads(data.decode("utf-8"))


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
