"""Rows of JSON: objects on a line each, server-sent events (``data: {…}``), one array, or objects over lines.

An array or object is cut into its values by brackets and strings alone, so that the file may be larger than
memory and a value that is broken within costs itself only.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from qsquared.storage.logs.file_types.streams import read_line
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.logs.file_types.streams import LogStream
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
_OPENS = {b"}": b"{", b"]": b"["}
_BLANK = b" \t\r\n," + BOM
_KEPT = 1 << 12
_WHOLE, _LONG, _CUT = "whole", "long", "cut"
_Value = tuple[int, bytes, str]


class _Cutter:
    """The values at the top of an array, or of a file, cut out of a stream of bytes.

    A value or gap begins at ``begin`` in ``data``, in ``line``; there ``top`` brackets are open: one in an array.
    """

    def __init__(self, lines: BinaryIO, limits: Limits) -> None:
        self._lines = lines
        self._bound = limits.row_bytes
        self._data = b""
        self._begin = 0
        self._line = 1
        self._open = bytearray()
        self._top = 0
        self._long: _Value | None = None

    def __iter__(self) -> Iterator[_Value]:
        """Yield the line and bytes of each value; of a long one the beginning, and of a cut one what is there."""
        place = 0
        begun = False
        # A string whose end lies beyond the bound has none.
        while (waiting := len(self._data) - place) <= self._bound and (
            block := self._lines.read(max(_BLOCK, waiting))
        ):
            self._data = self._data[self._begin :] + block
            place -= self._begin
            self._begin = 0
            for token in _TOKEN.finditer(self._data, place):
                if token[0] == b'"':
                    place = token.start()
                    break
                place = token.end()
                yield from self._take(token)
                if not begun and self._open:
                    begun = True
                    if token[0] == b"[":
                        self._top = 1
                        self._move(place)
            else:
                place = len(self._data)
            self._forget(place)
        if self._long is not None:
            yield self._long
        elif len(self._open) == self._top:
            yield from self._scalars(len(self._data))
        if waiting > self._bound or (self._open and self._long is None):
            yield self._line, self._data[self._begin :], _CUT

    def _take(self, token: re.Match[bytes]) -> Iterator[_Value]:
        """Yield the values that end before or with a token."""
        text = token[0]
        if len(self._open) == self._top and text not in _OPENS:
            yield from self._scalars(token.start())
        if text in _OPENS.values():
            self._open += text
            return
        if text in _OPENS and not self._close(_OPENS[text]):
            return
        if len(self._open) < self._top:
            yield from self._scalars(token.start())
            self._top = 0
        elif len(self._open) == self._top:
            yield self._long or (self._line, self._data[self._begin : token.end()], _WHOLE)
            self._long = None
        else:
            return
        self._move(token.end())

    def _close(self, opening: bytes) -> bool:
        """Close the bracket that this one fits, and one that was left open within it.

        A bracket that fits no open one belongs to a broken value and closes nothing.
        """
        depth = len(self._open)
        within = max(depth - self._top, 1)
        place = self._open.rfind(opening, max(depth - min(within, 2), 0))
        if place >= 0:
            del self._open[place:]
        return place >= 0 or depth == 0

    def _forget(self, place: int) -> None:
        """Forget blanks of a gap, and a long value except for its beginning."""
        if len(self._open) == self._top:
            if not self._data[self._begin : place].strip(_BLANK):
                self._move(place)
        elif self._long is None and len(self._data) - self._begin > self._bound:
            self._long = self._line, self._data[self._begin :][:_KEPT], _LONG
        if self._long is not None:
            self._move(place)

    def _move(self, place: int) -> None:
        """Begin a value or gap at a place of the data."""
        self._line += self._data.count(b"\n", self._begin, place)
        self._begin = place

    def _scalars(self, end: int) -> Iterator[_Value]:
        """Yield the values between two objects, arrays or texts; all else there are commas."""
        for piece in self._data[self._begin : end].split(b","):
            if scalar := piece.strip(_BLANK):
                lead = piece.index(scalar)
                yield self._line + piece.count(b"\n", 0, lead), scalar, _WHOLE
            self._line += piece.count(b"\n")
        self._begin = end


def iterate_json_values(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield each object of an array, or each object of a file without an array.

    A value that is no object, is too long, or breaks off at the end of the file is a reject.
    """
    position = 0
    cut: tuple[int, bytes] | None = None
    for line, data, state in _Cutter(lines, stream.limits):
        if state == _CUT:
            cut = line, data
            break
        yield (
            read_object(position, line, data, "value")
            if state == _WHOLE
            else UnreadableRow(position, line, stream.limits.too_long("value"), excerpt(data))
        )
        position += 1
    if cut or stream.problem:
        problem = stream.problem or "a bracket or a quote is opened and not closed"
        line, data = cut or (1, b"")
        yield ends_early(position, line, problem, data)
