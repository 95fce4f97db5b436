"""Detect the type of a log file, and read its rows."""

import json
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shlex import quote
from typing import BinaryIO

from qsquared.errors import InputError, UnusableLogError
from qsquared.storage.files.atomic import local_copy
from qsquared.storage.logs.file_types.compression import (
    LogStream,
    compression_of,
    head_of,
    open_log,
)
from qsquared.storage.logs.file_types.databases import MAGIC, iterate_sqlite
from qsquared.storage.logs.file_types.dialects import as_utf8, dialect, is_text, marked_encoding
from qsquared.storage.logs.file_types.documents import iterate_dump, iterate_xml, iterate_yaml
from qsquared.storage.logs.file_types.exchanges import has_exchanges
from qsquared.storage.logs.file_types.headed_rows import iterate_csv, iterate_xlsx
from qsquared.storage.logs.file_types.json_rows import SENT, JsonValues, iterate_jsonl, read_object
from qsquared.storage.logs.file_types.log_lines import holds_rows, is_timed, iterate_log_lines
from qsquared.storage.logs.file_types.record_batches import COLUMNAR, STREAM_MAGIC, type_by_magic
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import BOM, ENDS_EARLY, Outcome, RawRow, Row, ends_early, numbered
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("file_types")
IN_FOLDERS = _V.table("in_folders")
FILE_TYPES = _V.table("words")
"""The types of log files, in words; `json` is one array, or objects over several lines, `log` the lines of a server."""

_NAMED = _V.table("named")
"""Extensions of files that are read if they are named, and passed over in folders."""
_TEXTS: dict[str, Callable[[LogStream, BinaryIO], Iterable[Outcome]]] = {
    "json": JsonValues, "jsonl": iterate_jsonl, "yaml": iterate_yaml, "xml": iterate_xml,
    "sql": iterate_dump,
}  # fmt: skip
_BINARY: dict[str, Callable[..., Iterable[Outcome]]] = {
    **COLUMNAR, "xlsx": iterate_xlsx, "sqlite": iterate_sqlite,
}  # fmt: skip
_ZIP = b"PK\x03\x04"
_COMPRESSIONS = {".gz", ".gzip", ".zst", ".zstd"}
_MOST_LEADING_REJECTS = 1000
_HEAD = 1 << 16
"""The bytes by which a file is compared with the type that a person stated."""


def file_type_by_name(path: Path) -> str | None:
    """Return `jsonl`, `csv`, `tsv`, `parquet` or `arrow` by the extension, None if it is another."""
    return IN_FOLDERS.get(_extension(path))


def _extension(path: Path) -> str:
    """Return the last extension of a name but for that of a compression, in small letters."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def detect_file_type(path: Path) -> str:
    """Return the format of a log by its extension, else by its first bytes.

    Raises:
        InputError: the file cannot be opened, is of no known type, or should be text and is not.
    """
    head, problem = head_of(path)
    named = _NAMED.get(_extension(path)) or file_type_by_name(path)
    named = None if named == "sqlite" and head and not head.startswith(MAGIC) else named
    if named in {None, "arrow"} and head.startswith(STREAM_MAGIC):
        return "arrow"
    if binary := "sqlite" if head.startswith(MAGIC) else type_by_magic(head):
        return binary
    if problem and not head:
        raise _cut_short(path, problem)
    if named in _BINARY or not head:
        return named or "jsonl"
    if head.startswith(_ZIP) or not is_text(head):
        raise _no_text(path, head)
    if marked := marked_encoding(head):
        head = head.decode(marked, "replace").encode()
    start = head.removeprefix(BOM).lstrip()
    if named in {None, "jsonl"} and _is_one_document(path, start):
        return "json"
    if named is None and not start.startswith((b"{", *SENT)):
        return _type_of_text(path, start)
    return named or "jsonl"


def _type_of_text(path: Path, start: bytes) -> str:
    """Return `xml`, or `log` of a text that has the lines of a server, or requests and responses."""
    if start.startswith(b"<?xml"):
        return "xml"
    whole = start.split(b"\n")[:-1] or [start]
    if holds_rows(whole) or has_exchanges(head_of(path, _HEAD)[0].splitlines()):
        return "log"
    raise UnusableLogError(
        f"The type of the log {path} is unknown.",
        f"Give it one of the extensions {', '.join((*IN_FOLDERS, *_NAMED))} (also with .gz or .zst), or say "
        f"what it is: --format {'|'.join(FILE_TYPES)}",
    )


def refuse_other_content(path: Path, file_type: str) -> None:
    """Refuse a log whose first bytes are plainly of another format than the one it is read as.

    Raises:
        UnusableLogError: they are; the message names both, and the option to leave out or to give.
    """
    found = _plain_content(head_of(path, _HEAD)[0])
    json_for_table = found in {"jsonl", "json"} and file_type in {"csv", "tsv"}
    binary = found != file_type and bool({found, file_type} & {"parquet", "arrow"})
    table = found == "csv" and file_type in {"jsonl", "json"}
    if found is not None and (json_for_table or binary or table):
        raise UnusableLogError(
            f"The log {path} would be read as {FILE_TYPES[file_type]} ({file_type}), and holds "
            f"{FILE_TYPES[found]}.",
            f"Leave out the format to have it detected, or state: --format {found}",
        )


def _plain_content(head: bytes) -> str | None:
    """Return the format that the first bytes of a file show beyond doubt, None if they show none."""
    if binary := type_by_magic(head):
        return binary
    line, newline, _ = head.removeprefix(BOM).lstrip().partition(b"\n")
    if not line or (not newline and len(head) == _HEAD):
        return None
    if line.startswith((b"{", b"[")):
        try:
            return "jsonl" if isinstance(json.loads(line), dict) else "json"
        except (ValueError, RecursionError):
            return None
    # A log of JSON lines may begin within a line.
    objects = any(other.lstrip().startswith((b"{", b"[")) for other in head.splitlines())
    separated = any(mark in line for mark in (b",", b";", b"\t", b"|"))
    return "csv" if separated and not objects else None


def _no_text(path: Path, head: bytes) -> InputError:
    if head.startswith(_ZIP):
        told = f"unzip -d {quote(path.stem)} {quote(str(path))}, then give the folder {path.stem}."
        return InputError(f"The log {path} is a ZIP archive.", f"Unpack it: {told}")
    return InputError(
        f"The log {path} holds no readable text.",
        "Logs are JSON, JSON lines, CSV, TSV, YAML or XML in UTF-8, Parquet or Arrow; each may be .gz or .zst.",
    )


def iterate_rows(
    path: Path,
    expected: Sequence[str] = (),
    size: int | None = None,
    file_type: str | None = None,
    options: ReadOptions | None = None,
) -> Generator[Row]:
    """Yield every row of a log, in order, with a reject for each that cannot be read.

    Args:
        path: the log.
        expected: columns that a table (CSV, TSV, Parquet) must have.
        size: read no further than this many bytes of a text file (it may still grow).
        file_type: one of `FILE_TYPES`; detected if it is None.
        options: the separator and encoding that a person stated.

    Raises:
        InputError: the file as a whole cannot be read.
    """
    options = options or ReadOptions()
    name = file_type or detect_file_type(path)
    if name in _BINARY:
        with _plain(path) as plain:
            if plain.stat().st_size:
                more = {"sheet": options.read_sheet} if name == "xlsx" else {}
                yield from numbered(_BINARY[name](plain, path, expected, **more))
        return
    stream, buffered = open_log(path, size)
    with buffered:
        encoding, separator = dialect(path, name, options)
        readers: dict[str, Callable[..., Iterable[Outcome]]] = {
            **_TEXTS,
            "log": partial(iterate_log_lines, templates=options.lines),
        }
        table = partial(iterate_csv, path=path, delimiter=separator, expected=expected)
        outcomes = readers.get(name, table)(stream, as_utf8(buffered, encoding))
        yield from _sound(numbered(_to_the_end(stream, outcomes)), stream, path)


def _sound(rows: Iterator[Row], stream: LogStream, path: Path) -> Iterator[Row]:
    """Yield rows of a file that is not damaged before the first that can be read.

    Raises:
        InputError: it is.
    """
    leading: list[Row] = []
    for row in rows:
        leading.append(row)
        if isinstance(row, RawRow) or len(leading) >= _MOST_LEADING_REJECTS:
            break
    else:
        if stream.problem:
            raise _cut_short(path, stream.problem)
    yield from leading
    yield from rows


def _to_the_end(stream: LogStream, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes of a file, and a reject in place of the rows that a damaged one has lost."""
    line, ended = 0, False
    for line, found, raw in outcomes:
        yield line, found, raw
        ended = isinstance(found, str) and found.startswith(ENDS_EARLY)
    if stream.problem and not ended:
        yield line + 1, ends_early(stream.problem), ""


def _is_one_document(path: Path, start: bytes) -> bool:
    """Whether a file is one array, or an object over several lines, as tools write ``.json``."""
    named_json = any(suffix.lower() == ".json" for suffix in path.suffixes[-2:])
    line, newline, rest = start.partition(b"\n")
    if newline and line.strip() in (b"{", b"["):
        return named_json or line.strip() == b"[" or not _is_object(rest.partition(b"\n")[0])
    if start.startswith(b"[") and not is_timed(line):
        return named_json or file_type_by_name(path) is None
    if not named_json or start.startswith(SENT) or not (newline or b'}{"' in line):
        return False
    return not _is_object(line)


def _is_object(line: bytes) -> bool:
    return isinstance(read_object(line), dict)


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
            shutil.copyfileobj(buffered, copy)
        if stream.problem:
            raise _cut_short(path, stream.problem)
        copy.flush()
        yield Path(copy.name)
