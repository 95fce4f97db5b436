"""Rows of a Parquet log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.errors import InputError, first_line
from qsquared.storage.logs.fields.mapping import check_columns
from qsquared.storage.logs.formats.record_batches import AT_ONCE, iterate_batches
from qsquared.storage.logs.limits import Limits, read_limits
from qsquared.storage.logs.rows import RawRow, UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BATCH = 512


def iterate_parquet(
    file: Path, path: Path, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """Yield each row of a Parquet file; one that is damaged half-way ends with a reject.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is no Parquet, lacks a column, cannot be read from the first row, or
            unpacks to more than the limits allow.
    """
    try:
        source = _open(file)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    with source:
        check_columns(path, source.schema_arrow.names, expected)
        _check_chunks(path, source.metadata, read_limits())
        packed = file.stat().st_size
        yield from iterate_batches(_batches(source), path, packed, partial(_unreadable, path))


def _open(file: Path) -> pq.ParquetFile:
    """Open a file with its texts in dictionaries, since it can repeat a long text very often."""
    with pq.ParquetFile(str(file)) as first:
        columns = [first.schema.column(i) for i in range(len(first.schema.names))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(str(file), read_dictionary=texts)


def _check_chunks(path: Path, metadata: pq.FileMetaData, limits: Limits) -> None:
    """Refuse columns by their size in the footer, before they are unpacked."""
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            limits.check_expansion(path, chunk.total_compressed_size, chunk.total_uncompressed_size)


def _batches(source: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    """Yield group after group, so that a damaged group costs no earlier one."""
    rows = _rows_at_once(source.metadata)
    for group in range(source.metadata.num_row_groups):
        yield from source.iter_batches(batch_size=rows, row_groups=[group], use_threads=False)


def _rows_at_once(metadata: pq.FileMetaData) -> int:
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    longest = max((g.total_byte_size // g.num_rows for g in groups if g.num_rows), default=1)
    return max(1, min(_BATCH, AT_ONCE // max(longest, 1)))


def _unreadable(path: Path, error: BaseException) -> InputError:
    return InputError(
        f"The log {path} cannot be read as Parquet: {first_line(error).rstrip('.')}.",
        "Write the file again, or give it the extension of its type.",
    )
