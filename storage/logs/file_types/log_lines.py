"""Rows of the logs of servers: a JSON object at the end of a line, or pairs of names and values (logfmt)."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from qsquared.storage.logs.file_types.json_rows import read_object
from qsquared.storage.logs.file_types.streams import read_line
from qsquared.storage.logs.rows import RawRow, UnreadableRow, ends_early, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qsquared.storage.logs.file_types.streams import LogStream

_PAIR = re.compile(r'(?<![\w.@/-])([A-Za-z_][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]\S*|)(?=\s|\Z)')
_LEAST_PAIRS = 2
_LOOKED_AT = 20
_MOST = 0.5
_LONG_LINE = 200
_NOTHING = 'The line ends in no JSON object, and holds no pairs such as question="…".'


def holds_rows(lines: Sequence[bytes]) -> bool:
    """Whether most of the first lines of a text end in a JSON object, or are pairs of names and values."""
    filled = [line for line in islice(lines, _LOOKED_AT) if line.strip()]
    # Short lines tell of requests that bring no text.
    long = [line for line in filled if len(line) > _LONG_LINE]
    found = [isinstance(_row(0, 0, line), RawRow) for line in long or filled]
    return len(found) > 1 and sum(found) > _MOST * len(found)


def iterate_log_lines(stream: LogStream, lines: BinaryIO) -> Iterator[RawRow | UnreadableRow]:
    """Yield a row for each line that is not blank; what stands before its object are fields by their columns."""
    position = number = 0
    while True:
        line, whole = read_line(lines, stream.limits)
        if not line:
            break
        number += 1
        if not line.strip():
            continue
        long = UnreadableRow(position, number, stream.limits.too_long("line"), excerpt(line))
        yield _row(position, number, line) if whole else long
        position += 1
    if stream.problem:
        yield ends_early(position, number + 1, stream.problem)


def _row(position: int, number: int, line: bytes) -> RawRow | UnreadableRow:
    # Braces before the object hold no names in quotes.
    begin = line.find(b'{"')
    row = read_object(position, number, line[begin:]) if begin >= 0 else None
    try:
        text = line.decode("utf-8")
        before = line[: max(begin, 0)].decode("utf-8").strip()
    except UnicodeDecodeError as error:
        reason = f"The line is not valid UTF-8 (byte {error.start + 1} of the line)."
        return UnreadableRow(position, number, reason, excerpt(line))
    if isinstance(row, RawRow):
        parts = before.split("\t") if "\t" in before else before.split()
        named = {f"column {n}": part for n, part in enumerate(parts, start=1)}
        return RawRow(position, number, {**named, **row.fields}, excerpt(line))
    pairs = {match[1]: _value(match[2]) for match in _PAIR.finditer(text)}
    if len(pairs) >= _LEAST_PAIRS:
        return RawRow(position, number, pairs, excerpt(line))
    return UnreadableRow(position, number, _NOTHING, excerpt(line))


def _value(text: str) -> Any:
    r"""Return a value without its quotes, in which \\n and \\" stand as in JSON."""
    if not text.startswith('"'):
        return text
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return text[1:-1]
