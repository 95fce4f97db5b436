"""Requests and responses in a text, as programs log what they send over HTTP and what comes back.

Their bodies are JSON on one line or over several, or a stream of server-sent events, among lines of headers, as in
transcripts (``POST /chat HTTP/1.1``), logs of clients (``HTTP request: … body: {``) and commands (``curl … -d '{…}'``).
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from qsquared.storage.logs.fields.embedded_values import OF_STREAM, SENT, sent_events
from qsquared.storage.logs.rows import Limits, Outcome, excerpt

_SENDS = re.compile(
    r"\b(?:POST|PUT) +(?:https?://|/)\S|(?<![\w-])request(?![\w-])[^\n]{0,20}:|\bcurl\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\bHTTP/[\d.]+ +\d{3}\b|(?<![\w-])response(?![\w-])[^\n]{0,20}:|\bstatus(?: code)?: *\d{3}\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r'\{\s*"')
_LAST = re.compile(r"\{\s*\Z")
_INSIDE = re.compile(r'[\s"{}\[\]]|\Z')
"""The beginning of a line of an object that was printed over several lines."""
_CLOSES = re.compile(r"""\s*['"]?\s*\Z""")
LOOKED_AT, _LEAST = 2000, 2
"""The lines by which a text is known, and how many responses they have at least."""
_MOST_TRIED = 20
"""The places in a line, and the lines that may end an object, at which one is looked for."""
_MOST_BEFORE, _MOST_OF_LINE = 50, 1000
"""The lines before an object, and the characters of each, that tell whether it was sent."""
_MIXED = "Requests and responses stand mixed here; log each with its own, one after the other."
_Line = tuple[int, tuple[bytes, bool]]
_Value = tuple[int, str, Any, bool]
"""The line of a value, the text before it, the value, and whether it stands over several lines."""


def has_exchanges(lines: Iterable[bytes]) -> bool:
    """Whether a text has requests, and responses over several lines or as streams."""
    read = ((number, (line, True)) for number, line in enumerate(islice(lines, LOOKED_AT)))
    sent = answered = 0
    for _, before, value, several in _values(read, Limits()):
        if _is_request(before):
            sent += 1
        elif sent and value:
            answered += several
    return answered >= _LEAST


def exchanges(lines: Iterable[_Line], limits: Limits) -> Iterator[Outcome]:
    """Yield a row for each ``request`` with the ``response`` that follows it, and ``others`` that do.

    Args:
        lines: each with its number, and whether it is whole.
        limits: of a body.
    """
    line, row, lone = 0, dict[str, Any](), False
    for number, before, value, _ in _values(lines, limits):
        if isinstance(value, str):
            yield number, value, before
        elif _is_request(before) or not row:
            if row:
                yield line, row, excerpt(json.dumps(row, ensure_ascii=False))
            lone = "response" not in row and bool(row)
            line, row = number, {"request" if _is_request(before) else "response": value}
        elif "response" in row and lone:
            yield line, _MIXED, excerpt(json.dumps(row, ensure_ascii=False))
            row = {}
        elif "response" in row:
            row.setdefault("others", []).append(value)
        else:
            row["response"] = value
    if row:
        yield line, row, excerpt(json.dumps(row, ensure_ascii=False))


def _is_request(before: str) -> bool:
    """Whether the last that a text says is that a request was sent, and not what came back."""
    last = [max((m.start() for m in sign.finditer(before)), default=-1) for sign in (_SENDS, _ANSWERS)]  # fmt: skip
    return last[0] > last[1]


def _values(lines: Iterable[_Line], limits: Limits) -> Iterator[_Value]:
    """Yield the objects at the ends of lines or over several, and the streams of events, each with what is before.

    In place of a line that is too long stands the reason.
    """
    before: list[str] = []
    held: list[str] = []
    stream: list[str] = []
    first = size = tried = 0
    for number, (raw, whole) in chain(lines, [(0, (b"the end", True))]):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not whole:
            yield number, excerpt(line), limits.too_long("line"), False
        if stream and OF_STREAM.match(line):
            size += len(line)
            # What is beyond the bound is no reply that anybody reads.
            stream += [] if size > limits.row_bytes else [line]
            continue
        if stream:
            yield first, "\n".join(before), sent_events(stream), True
            before, stream = [], []
        if held and _INSIDE.match(line) and size <= limits.row_bytes and tried < _MOST_TRIED:
            held.append(line)
            size += len(line)
            tried += line.startswith("}")
            found = _object("\n".join(held)) if line.startswith("}") else None
            if found is not None:
                yield first, "\n".join(before), found, True
                before, held = [], []
            continue
        held = []
        if line.startswith(SENT):
            first, size, stream = number, len(line), [line]
            continue
        places = [match.start() for match in islice(_OPENS.finditer(line), _MOST_TRIED)]
        begin = next((place for place in places if _object(line[place:]) is not None), None)
        if begin is not None:
            told = line[:begin][-_MOST_OF_LINE:]
            yield number, "\n".join([*before, told]), _object(line[begin:]), False
            before = []
            continue
        if last := _LAST.search(line):
            first, size, tried, held = number, 0, 0, ["{"]
        told = line[: last.start()] if last else line
        before = [*before[-_MOST_BEFORE:], told[-_MOST_OF_LINE:]]


def _object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is, perhaps before a quote; None if it is none."""
    try:
        found, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    whole = _CLOSES.match(text.lstrip(), end)
    return found if isinstance(found, dict) and whole else None
