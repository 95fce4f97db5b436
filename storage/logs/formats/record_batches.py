"""Rows of Arrow record batches, of Parquet and Arrow files alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from qsquared.errors import InputError, first_line
from qsquared.storage.logs.limits import Limits, read_limits
from qsquared.storage.logs.rows import RAW_CHARACTERS, RawRow, UnreadableRow, excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


AT_ONCE = 16 << 20
"""The most bytes of texts that become Python objects together."""


def size_of(values: Any) -> int:
    """Return the bytes of the texts in a batch or an array, with repetitions, without unpacking them."""
    if isinstance(values, pa.RecordBatch):
        return sum(size_of(column) for column in values.columns)
    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = _lengths(values.dictionary)
        return _sum(lengths.take(values.indices)) if lengths is not None else 0
    if pa.types.is_struct(kind):
        return sum(size_of(field) for field in values.flatten())
    if pa.types.is_map(kind):
        return size_of(values.keys) + size_of(values.items)
    if pa.types.is_nested(kind) and hasattr(values, "flatten"):
        return size_of(values.flatten())
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


def iterate_batches(
    batches: Iterator[pa.RecordBatch],
    path: Path,
    packed: int,
    unreadable: Callable[[BaseException], InputError],
) -> Iterator[RawRow | UnreadableRow]:
    """Yield each row of the batches; a batch that cannot be read ends them with a reject.

    Args:
        batches: of one file.
        path: the log that they come from, for messages.
        packed: size of the file in bytes.
        unreadable: makes the error of a file that cannot be read from the first row.

    Raises:
        InputError: the first batch cannot be read, or they unpack to more than the limits allow.
    """
    limits = read_limits()
    position = 0
    unpacked = 0
    while True:
        try:
            batch = next(batches, None)
        except (OSError, ValueError, pa.ArrowException) as error:
            if position == 0:
                raise unreadable(error) from error
            reason = f"The file cannot be read from here on: {first_line(error).rstrip('.')}."
            yield UnreadableRow(position, position + 1, reason, "")
            return
        if batch is None:
            return
        size = size_of(batch)
        unpacked += size
        limits.check_expansion(path, packed, unpacked)
        for row in rows_of(batch, position, size, limits):
            yield row
            position += 1


def rows_of(
    batch: pa.RecordBatch, start: int, size: int, limits: Limits
) -> Iterator[RawRow | UnreadableRow]:
    """Yield the rows of a batch, with a reject for one that is too long or cannot be read.

    Args:
        batch: the batch.
        start: ordinal of its first row.
        size: its `size_of`.
        limits: bounds of a row.
    """
    batch = _in_microseconds(batch)
    if size <= min(AT_ONCE, limits.row_bytes):
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
    if size_of(single) > limits.row_bytes:
        return UnreadableRow(position, position + 1, limits.too_long("row"), "")
    try:
        fields = single.to_pylist()[0]
    except (ValueError, OverflowError, pa.ArrowException) as error:
        reason = f"The row holds a value that cannot be read: {first_line(error).rstrip('.')}."
        return UnreadableRow(position, position + 1, reason, "")
    return RawRow(position, position + 1, fields, _raw(fields))


def _in_microseconds(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return times in microseconds, since Python has no type for nanoseconds."""
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
