"""Detect the file format of a log, and read its rows."""

from __future__ import annotations

import json
import shlex
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qsquared.errors import DeniedLogError, InputError, UnusableLogError
from qsquared.storage.files.atomic import local_copy
from qsquared.storage.logs.formats.csv_rows import iterate_csv
from qsquared.storage.logs.formats.dialects import (
    HEAD,
    UTF8,
    as_utf8,
    detect_encoding,
    detect_separator,
    marked_encoding,
)
from qsquared.storage.logs.formats.json_rows import SENT, iterate_json_values, iterate_jsonl
from qsquared.storage.logs.formats.record_batches import (
    FILE_MAGIC,
    STREAM_MAGIC,
    iterate_arrow,
    iterate_parquet,
)
from qsquared.storage.logs.formats.streams import compression_of, open_log
from qsquared.storage.logs.formats.xlsx_rows import iterate_xlsx
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import BOM, RawRow, UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
}
CONTAINERS = ("jsonl", "json", "csv", "tsv", "parquet", "arrow", "xlsx")
"""The file formats of a log; `json` is one array, or objects over several lines."""

_WORKBOOKS = {".xlsx", ".xls", ".ods"}
"""Extensions of workbooks, which are read if they are named and passed over in folders."""
_BINARY = {"parquet": iterate_parquet, "arrow": iterate_arrow, "xlsx": iterate_xlsx}
_COMPRESSIONS = {".gz", ".gzip", ".zst", ".zstd"}
_HEAD = 1 << 13
_BLOCK = 1 << 20
_FARTHEST = 1 << 27
"""The bytes that are searched for the first one that is not ASCII."""
_MOST_BAD = 0.3
_SPOOL = 1 << 20
_MOST_LEADING_REJECTS = 1000
_LONG_LINE = 200


def format_by_name(path: Path) -> str | None:
    """Return `jsonl`, `csv`, `tsv`, `parquet` or `arrow` by the extension, None if it is unknown."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return FORMATS.get(suffixes[-1]) if suffixes else None


def detect_format(path: Path) -> str:
    """Return the format of a log by its extension, else by its first bytes.

    Raises:
        InputError: the file cannot be opened, is of no known type, or should be text and is not.
    """
    named = "xlsx" if path.suffix.lower() in _WORKBOOKS else format_by_name(path)
    head, problem = _head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(FILE_MAGIC) or (named in {None, "arrow"} and head.startswith(STREAM_MAGIC)):
        return "arrow"
    if problem and not head:
        raise _cut_short(path, problem)
    if named in _BINARY or not head:
        return named or "jsonl"
    _check_text(path, head)
    if marked := marked_encoding(head):
        head = head.decode(marked, "replace").encode()
    start = head.removeprefix(BOM).lstrip()
    if named in {None, "jsonl"} and _is_one_document(path, start):
        return "json"
    if named is None and not start.startswith((b"{", *SENT)):
        raise UnusableLogError(
            f"The type of the log {path} is unknown.",
            f"{_tailed(path, start)}Give it one of the extensions {', '.join(FORMATS)} (also with .gz or .zst), or say "
            f"what it is: --format {'|'.join(CONTAINERS)}",
        )
    return named or "jsonl"


def _tailed(path: Path, start: bytes) -> str:
    """Return how a text whose long lines end in JSON objects is made a log, empty for any other text."""
    tails = [
        b"{" + line.partition(b"{")[2] for line in start.split(b"\n")[:-1] if len(line) > _LONG_LINE
    ]
    if not tails or sum(map(_is_json, tails)) <= len(tails) / 2:
        return ""
    made = f"grep -o '{{.*}}' {shlex.quote(str(path))} > {shlex.quote(f'{path.stem}.jsonl')}"
    return f"Most of its long lines end in a JSON object; keep these alone: {made}\n"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def iterate_rows(
    path: Path,
    expected: Sequence[str] = (),
    size: int | None = None,
    container: str | None = None,
    options: ReadOptions | None = None,
) -> Generator[RawRow | UnreadableRow]:
    """Yield every row of a log, in order, with a reject for each that cannot be read.

    Args:
        path: the log.
        expected: columns that a table (CSV, TSV, Parquet) must have.
        size: read no further than this many bytes of a text file (it may still grow).
        container: one of `CONTAINERS`; detected if it is None.
        options: the separator and encoding that a person stated.

    Raises:
        InputError: the file as a whole cannot be read.
    """
    options = options or ReadOptions()
    name = container or detect_format(path)
    if name in _BINARY:
        with _plain(path) as plain:
            if plain.stat().st_size:
                more = {"sheet": options.sheet} if name == "xlsx" else {}
                yield from _BINARY[name](plain, path, expected, **more)
        return
    stream, buffered = open_log(path, size)
    with buffered:
        encoding, separator = dialect(path, name, options)
        lines = as_utf8(buffered, encoding)
        if name == "json":
            rows = iterate_json_values(stream, lines)
        elif name == "jsonl":
            rows = iterate_jsonl(stream, lines)
        else:
            rows = iterate_csv(stream, lines, path, separator, expected)
        leading: list[RawRow | UnreadableRow] = []
        for row in rows:
            leading.append(row)
            if isinstance(row, RawRow) or len(leading) >= _MOST_LEADING_REJECTS:
                break
        else:
            if stream.problem:
                raise _cut_short(path, stream.problem)
        yield from leading
        yield from rows


def dialect(path: Path, container: str, options: ReadOptions) -> tuple[str, str]:
    """Return the encoding and the separator of a text file, as stated or as its bytes have them."""
    if container in {"csv", "tsv"} and not (options.encoding and options.separator):
        head = _head(path, HEAD)[0]
        encoding = options.encoding or detect_encoding(_foreign_part(path, head))
        tabs = container == "tsv" and b"\t" in head
        return encoding, options.separator or ("\t" if tabs else detect_separator(head, encoding))
    head = b"" if options.encoding or container in _BINARY else _head(path)[0]
    return options.encoding or marked_encoding(head) or UTF8, options.separator or ","


def _foreign_part(path: Path, head: bytes) -> bytes:
    """Return the beginning of a text, or the lines around its first byte that is not ASCII."""
    if not head.isascii() or len(head) < HEAD:
        return head
    buffered = open_log(path)[1]
    with buffered:
        for _ in range(_FARTHEST // _BLOCK):
            block = buffered.read(_BLOCK)
            if not block:
                break
            if not block.isascii():
                text = block.decode("latin-1")
                first = next(n for n, character in enumerate(text) if character > "\x7f")
                line = block.rfind(b"\n", 0, first) + 1
                return (block[line:] + buffered.readline(HEAD))[:HEAD]
    return head


def _head(path: Path, size: int = _HEAD) -> tuple[bytes, str | None]:
    try:
        stream, buffered = open_log(path)
        with buffered:
            return buffered.read(size), stream.problem
    except OSError as error:
        if isinstance(error, PermissionError):
            raise DeniedLogError(
                f"The log {path} may not be read by this user: {error.strerror}.",
                "Have its owner give you the right to read it (chmod, chown).",
            ) from error
        raise InputError(
            f"The log {path} cannot be opened: {error.strerror}.", "Check the path."
        ) from error


def _is_one_document(path: Path, start: bytes) -> bool:
    """Whether a file is one array, or an object over several lines, as tools write ``.json``."""
    named_json = any(suffix.lower() == ".json" for suffix in path.suffixes[-2:])
    if start.startswith(b"["):
        return named_json or format_by_name(path) is None
    line, newline, _ = start.partition(b"\n")
    if not named_json or not newline or start.startswith(SENT):
        return False
    return not _is_json(line)


def _cut_short(path: Path, problem: str) -> InputError:
    return InputError(
        f"The log {path} cannot be read: {problem} before its first row.",
        "Fetch or write the file again.",
    )


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """Yield the file itself, or a temporary copy on this machine and unpacked (Parquet is read from its end)."""
    with path.open("rb") as handle:
        packed = compression_of(handle.read(4)) is not None
    if not packed:
        with local_copy(path) as here:
            yield here
        return
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        stream, buffered = open_log(path)
        with buffered:
            shutil.copyfileobj(buffered, copy, _SPOOL)
        if stream.problem:
            raise _cut_short(path, stream.problem)
        copy.flush()
        yield Path(copy.name)


def _check_text(path: Path, head: bytes) -> None:
    text = head.decode(marked_encoding(head) or UTF8, "replace")
    bad = sum(c == "\ufffd" or (c < " " and c not in "\t\n\r\f\v") for c in text)
    if bad > _MOST_BAD * len(text) and not _is_other_text(head):
        raise InputError(
            f"The log {path} holds no readable text.",
            "Logs are JSON, JSON lines, CSV or TSV in UTF-8, Parquet or Arrow; each may be .gz or .zst.",
        )


def _is_other_text(head: bytes) -> bool:
    """Whether bytes that are no UTF-8 are a text in another encoding."""
    controls = sum(byte < ord(" ") and chr(byte) not in "\t\n\r\f\v" for byte in head)
    return controls == 0 and detect_encoding(head) != UTF8
