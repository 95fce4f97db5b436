"""Rows of the logs of servers: a JSON object at the end of a line, or pairs of names and values (logfmt)."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

from qsquared.storage.logs.file_types.json_rows import read_object
from qsquared.storage.logs.file_types.streams import LogStream, read_lines
from qsquared.storage.logs.rows import Outcome, excerpt, not_utf8

_PAIR = re.compile(r'(?<![\w.@/-])([A-Za-z_][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]\S*|)(?=\s|\Z)')
_LEAST_PAIRS = 2
_MOST_COLUMNS = 30
_LOOKED_AT = 20
_MOST = 0.5
_LONG_LINE = 200
_NOTHING = 'The line ends in no JSON object, and holds no pairs such as question="…".'


def holds_rows(lines: Sequence[bytes]) -> bool:
    """Whether most of the first lines of a text end in a JSON object, or are pairs of names and values."""
    filled = [line for line in islice(lines, _LOOKED_AT) if line.strip()]
    # Short lines tell of requests that bring no text.
    long = [line for line in filled if len(line) > _LONG_LINE]
    found = [isinstance(_fields(line), dict) for line in long or filled]
    return len(found) > 1 and sum(found) > _MOST * len(found)


def iterate_log_lines(stream: LogStream, lines: BinaryIO) -> Iterator[Outcome]:
    """Yield a row for each line that is not blank; what stands before its object are pairs, or fields by columns."""
    for number, (line, whole) in enumerate(read_lines(lines, stream.limits), start=1):
        if line.strip():
            found = _fields(line) if whole else stream.limits.too_long("line")
            yield number, found, excerpt(line)


def _fields(line: bytes) -> dict[str, Any] | str:
    """Return the fields in a line, or the reason why it has none."""
    # Braces before the object hold no names in quotes.
    begin = line.find(b'{"')
    held = read_object(line[begin:]) if begin >= 0 else None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8("line", error)
    if isinstance(held, dict):
        before = line[:begin].decode("utf-8").rstrip()
        # The name of the object itself tells nothing.
        named = before.rsplit(None, 1)[-1] if before.endswith("=") else ""
        before = before.removesuffix(named)
        return _words(before) | _pairs(before) | held
    pairs = _pairs(text)
    return _words(text) | pairs if len(pairs) >= _LEAST_PAIRS else _NOTHING


def _words(text: str) -> dict[str, Any]:
    """Return the words of a line beside its pairs by their columns, such as the name of an event."""
    parts = text.split("\t") if "\t" in text else _PAIR.sub(" ", text).split()
    told = [part for part in parts if "=" not in part and any(map(str.isalnum, part))]
    return {f"column {n}": part for n, part in enumerate(told[:_MOST_COLUMNS], start=1)}


def _pairs(text: str) -> dict[str, Any]:
    return {match[1]: _value(match[2]) for match in _PAIR.finditer(text)}


def _value(text: str) -> Any:
    r"""Return a value without its quotes, in which \\n and \\" stand as in JSON."""
    if not text.startswith('"'):
        return text.removesuffix("]") if "[" not in text else text
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return text[1:-1]
