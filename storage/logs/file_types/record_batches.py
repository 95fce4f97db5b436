"""Rows of Parquet and Arrow files, such as those of a saved Hugging Face dataset (``data-*.arrow``)."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ipc

from qsquared.errors import InputError, first_line
from qsquared.storage.logs.fields.mapping import check_columns
from qsquared.storage.logs.rows import RAW_CHARACTERS, Limits, Outcome, excerpt, read_limits

_FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
"""The first bytes of the two Arrow formats; the library datasets writes the second."""
_BATCH = 512
_AT_ONCE = 16 << 20
"""The most bytes of texts that become Python objects together."""


_Opened = tuple[list[str], Iterator[pa.RecordBatch]]
"""The columns of a file, and its rows in batches."""
_DAMAGES = (OSError, ValueError, pa.ArrowException)
_NO_VALUES = (ValueError, OverflowError, pa.ArrowException)


def _iterate(
    kind: str,
    opened: Callable[[Path, Path], AbstractContextManager[_Opened]],
    file: Path,
    path: Path,
    expected: Sequence[str],
) -> Iterator[Outcome]:
    """Yield each row of a file; one that is damaged half-way ends with a reject.

    Args:
        kind: Parquet or Arrow.
        opened: opens a file of this kind.
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is of another kind, lacks a column, cannot be read from the first row, or
            unpacks to more than the limits allow.
    """
    limits = read_limits()
    line = unpacked = 0
    try:
        with opened(file, path) as (columns, batches):
            check_columns(path, columns, expected)
            for batch in batches:
                size = _size_of(batch)
                unpacked += size
                limits.check_expansion(path, file.stat().st_size, unpacked)
                for found in _rows_of(batch, size, limits):
                    line += 1
                    yield line, found, "" if isinstance(found, str) else _raw(found)
    except _DAMAGES as error:
        told = first_line(error).rstrip(".")
        if line == 0:
            raise InputError(
                f"The log {path} cannot be read as {kind}: {told}.",
                "Write the file again, or give it the extension of its type.",
            ) from error
        yield line + 1, f"The file cannot be read from here on: {told}.", ""


def _size_of(values: Any) -> int:
    """Return the bytes of the texts in a batch or an array, with repetitions, without unpacking them."""
    if isinstance(values, pa.RecordBatch):
        return sum(_size_of(column) for column in values.columns)
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _text_size(values.dictionary, values.indices) or 0
    if pa.types.is_struct(kind):
        return sum(_size_of(field) for field in values.flatten())
    if pa.types.is_map(kind):
        return _size_of(values.keys) + _size_of(values.items)
    if pa.types.is_nested(kind) and hasattr(values, "flatten"):
        return _size_of(values.flatten())
    size = _text_size(values)
    return int(values.nbytes) if size is None else size


def _text_size(values: Any, indices: Any = None) -> int | None:
    """Return the bytes of an array's texts, each as often as ``indices`` have it; None if it has no texts."""
    if values.type not in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        return None
    lengths = pc.binary_length(values).cast(pa.int64())
    return pc.sum(lengths if indices is None else lengths.take(indices)).as_py() or 0


def _rows_of(batch: pa.RecordBatch, size: int, limits: Limits) -> Iterable[dict[str, Any] | str]:
    """Return the rows of a batch, with a reason for one that is too long or cannot be read.

    Args:
        batch: the batch.
        size: its `_size_of`.
        limits: bounds of a row.
    """
    batch = _in_microseconds(batch)
    if size <= min(_AT_ONCE, limits.row_bytes):
        with suppress(*_NO_VALUES):
            rows: list[dict[str, Any]] = batch.to_pylist()
            return rows
    return (_row(batch.slice(offset, 1), limits) for offset in range(batch.num_rows))


def _row(single: pa.RecordBatch, limits: Limits) -> dict[str, Any] | str:
    if _size_of(single) > limits.row_bytes:
        return limits.too_long("row")
    try:
        fields: dict[str, Any] = single.to_pylist()[0]
    except _NO_VALUES as error:
        return f"The row holds a value that cannot be read: {first_line(error).rstrip('.')}."
    return fields


def _in_microseconds(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return times in microseconds, since Python has no type for nanoseconds."""
    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            column = batch.column(index).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(index, field.name, column)
    return batch


def _raw(fields: dict[str, Any]) -> str:
    long = {name: one[:RAW_CHARACTERS] for name, one in fields.items() if isinstance(one, str)}
    return excerpt(json.dumps(fields | long, ensure_ascii=False, default=str))


@contextmanager
def _parquet(file: Path, path: Path) -> Iterator[_Opened]:
    """Open a file with its texts in dictionaries, since it can repeat a long text very often."""
    with pq.ParquetFile(str(file)) as first:
        columns = [first.schema.column(i) for i in range(len(first.schema.names))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    with pq.ParquetFile(str(file), read_dictionary=texts) as source:
        yield source.schema_arrow.names, _batches(source, path)


def _batches(source: pq.ParquetFile, path: Path) -> Iterator[pa.RecordBatch]:
    """Yield group after group, so that a damaged group costs no earlier one.

    Columns are refused by their size in the footer, before they are unpacked.
    """
    limits = read_limits()
    groups = [source.metadata.row_group(i) for i in range(source.metadata.num_row_groups)]
    for group in groups:
        for chunk in map(group.column, range(group.num_columns)):
            limits.check_expansion(path, chunk.total_compressed_size, chunk.total_uncompressed_size)
    longest = max((g.total_byte_size // g.num_rows for g in groups if g.num_rows), default=1)
    rows = max(1, min(_BATCH, _AT_ONCE // max(longest, 1)))
    for group in range(len(groups)):
        yield from source.iter_batches(batch_size=rows, row_groups=[group], use_threads=False)


@contextmanager
def _arrow(file: Path, _: Path) -> Iterator[_Opened]:
    """Open a file or stream, mapped, so that uncompressed data is not copied into memory."""
    with pa.memory_map(str(file)) as source:
        if source.read(len(_FILE_MAGIC)) == _FILE_MAGIC:
            held = ipc.open_file(source)
            batches = (held.get_batch(i) for i in range(held.num_record_batches))
        else:
            source.seek(0)
            held = ipc.open_stream(source)
            batches = iter(held)
        yield held.schema.names, map(_validated, batches)


def _validated(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Check a mapped batch, whose damage would otherwise show only later."""
    batch.validate(full=True)
    return batch


COLUMNAR = {
    "parquet": partial(_iterate, "Parquet", _parquet), "arrow": partial(_iterate, "Arrow", _arrow),
}  # fmt: skip
"""The functions that yield the rows of such files, by file type."""


def type_by_magic(head: bytes) -> str | None:
    """Return `parquet` or `arrow` by the first bytes of a file, None if they are others."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith(_FILE_MAGIC) else None
