"""Rows of a JSON-lines log, also of one that was sent as server-sent events (``data: {…}``)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from qsquared.storage.logs.formats.streams import read_line
from qsquared.storage.logs.rows import BOM, NOT_WHOLE, RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.logs.formats.streams import LogStream

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
