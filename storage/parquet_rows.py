"""Rows of a Parquet log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.errors import InputError
from qsquared.storage.mapping import check_columns
from qsquared.storage.rows import RAW_CHARACTERS, RawRow, UnreadableRow, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BATCH = 512


def iterate_parquet(
    file: Path, path: Path, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """One row for each row of a Parquet file; a file damaged half-way ends with a reject.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is no Parquet, lacks a column, or cannot be read from the first row.
    """
    try:
        source = pq.ParquetFile(str(file))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    with source:
        check_columns(path, source.schema_arrow.names, expected)
        position = 0
        batches = source.iter_batches(batch_size=_BATCH, use_threads=False)
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
            for row in _rows(_in_microseconds(batch), position):
                yield row
                position += 1


def _rows(batch: pa.RecordBatch, start: int) -> Iterator[RawRow | UnreadableRow]:
    try:
        values = batch.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        for offset in range(batch.num_rows):
            yield _row(batch.slice(offset, 1), start + offset)
        return
    for offset, fields in enumerate(values):
        yield RawRow(start + offset, start + offset + 1, fields, _raw(fields))


def _row(single: pa.RecordBatch, position: int) -> RawRow | UnreadableRow:
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
