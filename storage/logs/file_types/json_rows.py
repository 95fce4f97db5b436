"""Rows of JSON: objects on a line each, server-sent events (``data: {…}``), one array, or objects over lines.

An array or object is cut into its values by brackets and strings alone, so that the file may be larger than
memory and a value that is broken within costs itself only.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from qsquared.storage.logs.file_types.compression import LogStream, read_lines
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, Outcome, ends_early, excerpt, not_utf8

_KINDS = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
SENT = (b"data:", b"event:", b": ")
"""The beginnings of a stream of server-sent events, as models' interfaces answer."""
_SENT_BESIDE = (b"event:", b"id:", b"retry:", b":")
_END_OF_STREAM = b"[DONE]"
_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(".") for byte in range(256))


def iterate_jsonl(stream: LogStream, lines: BinaryIO) -> Iterator[Outcome]:
    """Yield each line that is not blank."""
    sent: bool | None = None
    for number, (line, whole) in enumerate(read_lines(lines, stream.limits), start=1):
        data = line.removeprefix(BOM) if number == 1 else line
        if not data.strip() and whole:
            continue
        sent = data.startswith(SENT) if sent is None else sent
        if sent and whole and not (data := _sent_data(data)):
            continue
        found = read_object(data) if whole else stream.limits.too_long("line")
        cut = stream.problem or (NOT_WHOLE if whole and data.startswith(b"{") else "")
        if cut and isinstance(found, str) and not line.endswith(b"\n"):
            # One reject stands for the cut line and the end of the file.
            yield number, ends_early(cut), excerpt(data)
            return
        yield number, found, excerpt(data)


def _sent_data(line: bytes) -> bytes:
    """Return the data in a line of server-sent events, empty if it holds none."""
    data = line.removeprefix(b"data:").strip()
    return b"" if line.startswith(_SENT_BESIDE) or data == _END_OF_STREAM else data


def read_object(data: bytes, what: str = "line") -> dict[str, Any] | str:
    """Return the fields in the bytes of one JSON object, or the reason why they are none.

    Args:
        data: the bytes.
        what: the noun for them in a reason.
    """
    try:
        value = _loaded(data)
    except UnicodeDecodeError as error:
        return not_utf8(what, error)
    except json.JSONDecodeError as error:
        return f"The {what} is not valid JSON: {error.msg} at character {error.pos + 1}."
    except RecursionError:
        return f"The {what} is JSON nested too deeply."
    except ValueError as error:
        return f"The {what} is not readable JSON: {error}."
    if isinstance(value, dict):
        return value
    return f"The {what} is {_KINDS.get(type(value), 'null')}, not a JSON object."


def _loaded(data: bytes) -> Any:
    """Return a JSON value; the fast reader refuses what only the other one reads or explains."""
    try:
        # orjson reads whole numbers of 20 digits as floats; of 18 digits at least three are looked at.
        if b"000" not in data[::6].translate(_DIGITS):
            return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    return json.loads(data.decode("utf-8"))


_BLOCK = 1 << 16
# The last branch is a string whose end has not been read yet.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|"', re.DOTALL)
_OPENS = {b"}": b"{", b"]": b"["}
_BLANK = b" \t\r\n," + BOM


class JsonValues:
    """The objects at the top of an array, or of a file, cut out of a stream of bytes.

    A value that is no object, is too long, or breaks off at the end of the file is a reject.
    A value or gap begins at ``begin`` in ``data``, in ``line``; there ``top`` brackets are open: one in an array.
    """

    def __init__(self, stream: LogStream, lines: BinaryIO) -> None:
        self._stream = stream
        self._lines = lines
        self._bound = stream.limits.row_bytes
        self._data = b""
        self._begin = 0
        self._line = 1
        self._open = bytearray()
        self._top = 0
        self._long: Outcome | None = None

    def __iter__(self) -> Iterator[Outcome]:
        """Yield each value, of a long one the beginning, and of a cut one what is there."""
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
            problem = self._stream.problem or "a bracket or a quote is opened and not closed"
            yield self._line, ends_early(problem), excerpt(self._data[self._begin :])

    def _take(self, token: re.Match[bytes]) -> Iterator[Outcome]:
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
            yield self._long or self._value(self._data[self._begin : token.end()])
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
            raw = excerpt(self._data[self._begin :])
            self._long = self._line, self._stream.limits.too_long("value"), raw
        if self._long is not None:
            self._move(place)

    def _move(self, place: int) -> None:
        """Begin a value or gap at a place of the data."""
        self._line += self._data.count(b"\n", self._begin, place)
        self._begin = place

    def _scalars(self, end: int) -> Iterator[Outcome]:
        """Yield the values between two objects, arrays or texts; all else there are commas."""
        for piece in self._data[self._begin : end].split(b","):
            if scalar := piece.strip(_BLANK):
                lead = piece.index(scalar)
                yield self._value(scalar, piece.count(b"\n", 0, lead))
            self._line += piece.count(b"\n")
        self._begin = end

    def _value(self, data: bytes, lines: int = 0) -> Outcome:
        return self._line + lines, read_object(data, "value"), excerpt(data)
