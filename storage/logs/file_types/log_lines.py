"""Rows of a server's log: lines that end in an object or hold pairs of names and values, and records by templates.

A template is a line in which names in braces stand for what differs: ``[{request}] answer after {} ms: {text}``.
A name stands for a word, or for all between two quotes; the last one for the rest of the record, with the lines
below that begin without a time.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from qsquared.storage.logs.file_types.compression import LogStream, open_log, read_lines
from qsquared.storage.logs.file_types.exchanges import LOOKED_AT, exchanges, has_exchanges
from qsquared.storage.logs.file_types.json_rows import read_object
from qsquared.storage.logs.rows import Limits, Outcome, excerpt, not_utf8

EVENT, TIME, TEXT = "event", "time", "text"
"""The fields of a record with the name of its template, with its time, and with the text at its end."""
_PAIR = re.compile(r'(?<![\w.@/-])([A-Za-z_][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]\S*|)(?=\s|\Z)')
_TRACED = re.compile(r"\[(?P<trace>[0-9a-f]{16,32})-(?P<span>[0-9a-f]{16})\]")
"""The trace and span of a line, as Spring Boot writes them."""
_TIMED = re.compile(
    r"[\[(<]?(?:[A-Z]{1,8}[:,]?\s+)?[\[(<]?"
    r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.](?:\d\d|[A-Z][a-z]{2})[-/.]\d{2,4}|[A-Z][a-z]{2} [ \d]\d |\d\d:\d\d:\d\d)"
)
"""The beginning of a line with a date or a time, also behind the level of the record."""
_Place = TypeVar("_Place")
_Line = tuple[int, tuple[bytes, bool]]
"""The number of a line, the line, and whether it is whole."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""The escape by which a program colours what it writes to a terminal."""
_NAME = re.compile(r"\{(\w*)\}")
_MARGIN = re.compile(r"[ \t]*(?:[|>] ?)?")
_A_TIME = r"\S+(?: \d\d?:[\d:.,]+)?(?: ?[+-]\d\d:?\d\d)?"
_BLANKS = r"\s+"
_LEAST_PAIRS = 2
_MOST_COLUMNS = 30
_LOOKED_AT, _MOST_LINES = 20, 200
_MOST_BYTES = 1 << 20
"""The bytes of the lines by which exchanges are known, which are held in memory."""
_LEAST_RECORDS = 3
_MOST = 0.5
_LONG_LINE = 200
_NOTHING = 'The line ends in no JSON object, and holds no pairs such as question="…".'


def holds_rows(lines: Sequence[bytes]) -> bool:
    """Whether most of the first lines of a text end in a JSON object or are pairs, or some begin with a time."""
    filled = [line for line in islice(lines, _LOOKED_AT) if line.strip()]
    # Short lines tell of requests that bring no text.
    long = [line for line in filled if len(line) > _LONG_LINE]
    found = [isinstance(fields_in(line), dict) for line in long or filled]
    timed = sum(map(is_timed, lines[:_MOST_LINES]))
    return (len(found) > 1 and sum(found) > _MOST * len(found)) or timed >= _LEAST_RECORDS


def is_timed(line: bytes) -> bool:
    """Whether a line begins with a date or a time."""
    return _TIMED.match(line.decode("utf-8", "replace")) is not None


def iterate_log_lines(
    stream: LogStream, lines: BinaryIO, templates: Mapping[str, str] | None = None
) -> Iterator[Outcome]:
    """Yield a row for each line that is not blank; what stands before its object are pairs, or fields by columns.

    With ``templates`` a row is a record of one or more lines: the fields in its template and the name of that, or no
    field if it is of none.
    """
    read: Iterator[_Line] = enumerate(read_lines(lines, stream.limits), start=1)
    if templates:
        for number, text, problem in records(read, stream.limits):
            yield number, problem or by_template(text, templates), excerpt(text)
        return
    head, size = list[_Line](), 0
    while len(head) < LOOKED_AT and size < _MOST_BYTES and (one := next(read, None)):
        head.append(one)
        size += len(one[1][0])
    read = chain(head, read)
    filled = [line for _, (line, _) in head[:_MOST_LINES] if line.strip()]
    rows = sum(isinstance(fields_in(line), dict) for line in filled) > _MOST * len(filled)
    if not rows and has_exchanges(line for _, (line, _) in head):
        yield from exchanges(read, stream.limits)
        return
    for number, (line, whole) in read:
        if line.strip():
            found = fields_in(line) if whole else stream.limits.too_long("line")
            yield number, found, excerpt(line)


def records(
    lines: Iterable[tuple[_Place, tuple[bytes, bool]]], limits: Limits
) -> Iterator[tuple[_Place, str, str]]:
    """Yield the place of each record's first line, its text, and the reason why it cannot be read, if any.

    Lines that begin without a time belong to the record above, once a record began with one.

    Args:
        lines: each with its place, such as its number, and whether it is whole.
        limits: of a record.
    """
    held: list[str] = []
    first: _Place | None = None
    size, timed, problem = 0, False, ""
    for place, (line, whole) in lines:
        begins = is_timed(line)
        if first is not None and (begins or not (timed or line[:1].isspace())):
            yield first, "\n".join(held), problem
            first, held, size, problem = None, [], 0, ""
        timed, size = timed or begins, size + len(line)
        first = place if first is None else first
        if not whole or size > limits.row_bytes:
            problem = limits.too_long("record")
            continue
        try:
            held.append(_COLOUR.sub("", line.decode("utf-8").rstrip("\r\n")))
        except UnicodeDecodeError as error:
            problem = not_utf8("line", error)
            held.append("")
    if first is not None:
        yield first, "\n".join(held), problem


def first_records(path: Path, most: int) -> list[str]:
    """Return the first records of a log that can be read."""
    stream, lines = open_log(path)
    with lines:
        read = enumerate(read_lines(lines, stream.limits), start=1)
        first = islice(records(read, stream.limits), most)
        return [text for _, text, problem in first if not problem]


def by_template(record: str, templates: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a record by the first template that it fits, empty if it fits none."""
    for name, template in templates.items():
        pattern, quoted = _pattern(template)
        if match := pattern.fullmatch(record):
            held = match.groupdict().items()
            return {EVENT: name} | {
                key: _pair_value(f'"{value}"') if key in quoted else _without_margin(value)
                for key, value in held
            }
    return {}


@cache
def _pattern(template: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return the pattern of the records of a template, and the names between quotes."""
    parts = _NAME.split(template)
    whole = _blanks(parts[0])
    quoted: set[str] = set()
    for before, name, after in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
        if name == TEXT and not after:
            # The text may begin on the next line, behind a margin.
            held = r"(?:\s.*)?" if whole.endswith(_BLANKS) else ".*"
            whole = f"{whole.removesuffix(_BLANKS)}(?P<{TEXT}>{held})"
            continue
        # Of what a line repeats the first counts.
        group = f"?P<{name}>" if name.isidentifier() and f"(?P<{name}>" not in whole else "?:"
        if before.endswith('"') and after.startswith('"'):
            quoted.add(name)
            held = r"[^\"\\]*(?:\\.[^\"\\]*)*"
        elif name == TIME:
            held = _A_TIME
        else:
            held = r"\S{0,500}?"
        whole += f"({group}{held}){_blanks(after)}"
    return re.compile(rf"{whole}\s*", re.DOTALL), frozenset(quoted)


def _blanks(text: str) -> str:
    """Return a pattern of a text whose blanks may be any number of them."""
    return _BLANKS.join(map(re.escape, re.split(r"\s+", text)))


def _without_margin(text: str) -> str:
    """Return a text without what all lines below its first begin with, such as ``    | ``."""
    above, *below = text.split("\n")
    begins = [found[0] for one in below if one.strip() and (found := _MARGIN.match(one))]
    margin = min(begins, key=len, default="")
    # The blank at the end of an empty line may be gone.
    rest = [one.removeprefix(margin).removeprefix(margin.rstrip()) for one in below]
    return "\n".join([above.strip(), *rest]).strip()


def fields_in(line: bytes) -> dict[str, Any] | str:
    """Return the fields in a line, or the reason why it has none."""
    # Braces before the object hold no names in quotes.
    begin = line.find(b'{"')
    held = read_object(line[begin:]) if begin >= 0 else None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8("line", error)
    if begin >= 0 and not isinstance(held, dict):
        held = _objects(line[begin:].decode("utf-8"))
    if isinstance(held, dict):
        before = line[:begin].decode("utf-8").rstrip()
        # The name of the object itself tells nothing.
        named = before.rsplit(None, 1)[-1] if before.endswith("=") else ""
        before = before.removesuffix(named)
        return _words(before) | _pairs(before) | held
    pairs = _pairs(text)
    return _words(text) | pairs if len(pairs) >= _LEAST_PAIRS else _NOTHING


def _objects(text: str) -> dict[str, Any] | None:
    """Return the fields of the objects that a line ends in, as Monolog writes context and extra; None without one."""
    found: dict[str, Any] = {}
    try:
        while text := text.strip():
            one, end = json.JSONDecoder().raw_decode(text)
            found = {**one, **found}
            text = text[end:]
    except (ValueError, TypeError, RecursionError):
        return None
    return found


def _words(text: str) -> dict[str, Any]:
    """Return the words of a line beside its pairs by their columns, such as the name of an event."""
    parts = text.split("\t") if "\t" in text else _PAIR.sub(" ", text).split()
    told = [part for part in parts if "=" not in part and any(map(str.isalnum, part))]
    return {f"column {n}": part for n, part in enumerate(told[:_MOST_COLUMNS], start=1)}


def _pairs(text: str) -> dict[str, Any]:
    traced = _TRACED.search(text)
    return (traced.groupdict() if traced else {}) | {
        match[1]: _pair_value(match[2]) for match in _PAIR.finditer(text)
    }


def _pair_value(text: str) -> Any:
    r"""Return a value without its quotes, in which \\n and \\" stand as in JSON."""
    if not text.startswith('"'):
        return text.removesuffix("]") if "[" not in text else text
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return text[1:-1]
