"""Rows of a Parquet log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from qsquared.errors import InputError
from qsquared.storage.limits import Limits, read_limits
from qsquared.storage.mapping import check_columns
from qsquared.storage.rows import RAW_CHARACTERS, RawRow, UnreadableRow, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BATCH = 512
_AT_ONCE = 16 << 20


def iterate_parquet(
    file: Path, path: Path, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """One row for each row of a Parquet file; a file damaged half-way ends with a reject.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is no Parquet, lacks a column, cannot be read from the first row, or
            unpacks to more than the limits allow.
    """
    limits = read_limits()
    try:
        source = _open(file)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    with source:
        check_columns(path, source.schema_arrow.names, expected)
        _check_chunks(path, source.metadata, limits)
        packed = file.stat().st_size
        unpacked = 0
        position = 0
        batches = _batches(source)
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError, pa.ArrowException) as error:
                if position == 0:
                    raise _unreadable(path, error) from error
                reason = f"The file cannot be read from here on: {_first_line(error)}."
                yield UnreadableRow(position, position + 1, reason, "")
                return
            if batch is None:
                return
            size = _size(batch)
            unpacked += size
            limits.check_expansion(path, packed, unpacked)
            for row in _rows(_in_microseconds(batch), position, size, limits):
                yield row
                position += 1


def _open(file: Path) -> pq.ParquetFile:
    """Texts stay behind their dictionary, since a short file can repeat a long text very often."""
    with pq.ParquetFile(str(file)) as first:
        columns = [first.schema.column(i) for i in range(len(first.schema.names))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(str(file), read_dictionary=texts)


def _check_chunks(path: Path, metadata: pq.FileMetaData, limits: Limits) -> None:
    """Refuse by the footer what would have to be unpacked before it could be measured."""
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            limits.check_expansion(path, chunk.total_compressed_size, chunk.total_uncompressed_size)


def _batches(source: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Group after group, so that a damaged one costs none of those before it."""
    rows = _rows_at_once(source.metadata)
    for group in range(source.metadata.num_row_groups):
        yield from source.iter_batches(batch_size=rows, row_groups=[group], use_threads=False)


def _rows_at_once(metadata: pq.FileMetaData) -> int:
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    longest = max((g.total_byte_size // g.num_rows for g in groups if g.num_rows), default=1)
    return max(1, min(_BATCH, _AT_ONCE // max(longest, 1)))


def _size(values: Any) -> int:
    """Bytes of texts in a batch or an array as if each stood there itself, never made to find out."""
    if isinstance(values, pa.RecordBatch):
        return sum(_size(column) for column in values.columns)
    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = _lengths(values.dictionary)
        return _sum(lengths.take(values.indices)) if lengths is not None else 0
    if pa.types.is_struct(kind):
        return sum(_size(field) for field in values.flatten())
    if pa.types.is_map(kind):
        return _size(values.keys) + _size(values.items)
    if pa.types.is_nested(kind) and hasattr(values, "flatten"):
        return _size(values.flatten())
    lengths = _lengths(values)
    return _sum(lengths) if lengths is not None else int(values.nbytes)


def _lengths(values: Any) -> Any:
    binary = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
    )
    return pc.binary_length(values) if any(fits(values.type) for fits in binary) else None


def _sum(lengths: Any) -> int:
    return pc.sum(lengths.cast(pa.int64())).as_py() or 0


def _rows(
    batch: pa.RecordBatch, start: int, size: int, limits: Limits
) -> Iterator[RawRow | UnreadableRow]:
    if size <= min(_AT_ONCE, limits.row_bytes):
        try:
            values = batch.to_pylist()
        except (ValueError, OverflowError, pa.ArrowException):
            values = None
        if values is not None:
            for offset, fields in enumerate(values):
                yield RawRow(start + offset, start + offset + 1, fields, _raw(fields))
            return
    for offset in range(batch.num_rows):
        yield _row(batch.slice(offset, 1), start + offset, limits)


def _row(single: pa.RecordBatch, position: int, limits: Limits) -> RawRow | UnreadableRow:
    if _size(single) > limits.row_bytes:
        return UnreadableRow(position, position + 1, limits.too_long("row"), "")
    try:
        fields = single.to_pylist()[0]
    except (ValueError, OverflowError, pa.ArrowException) as error:
        reason = f"The row holds a value that cannot be read: {_first_line(error)}."
        return UnreadableRow(position, position + 1, reason, "")
    return RawRow(position, position + 1, fields, _raw(fields))


def _in_microseconds(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Nanoseconds have no type in Python and would need another library."""
    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            column = batch.column(index).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(index, field.name, column)
    return batch


def _raw(fields: dict[str, Any]) -> str:
    shown = {
        name: value[:RAW_CHARACTERS] if isinstance(value, str) else value
        for name, value in fields.items()
    }
    return excerpt(json.dumps(shown, ensure_ascii=False, default=str))


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _unreadable(path: Path, error: BaseException) -> InputError:
    return InputError(
        f"The log {path} cannot be read as Parquet: {_first_line(error)}.",
        "Write the file again, or give it the extension of its type.",
    )
