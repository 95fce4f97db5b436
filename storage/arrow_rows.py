"""Rows of an Arrow file, as a Hugging Face dataset saved to disk has them (``data-*.arrow``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import ipc

from qsquared.errors import InputError
from qsquared.storage.limits import read_limits
from qsquared.storage.mapping import check_columns
from qsquared.storage.record_batches import first_line, rows_of, size_of
from qsquared.storage.rows import RawRow, UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
"""How the two Arrow formats begin; the library datasets writes the second."""


def iterate_arrow(
    file: Path, path: Path, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """One row for each row of an Arrow file or stream; one damaged half-way ends with a reject.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is no Arrow, lacks a column, cannot be read from the first row, or
            unpacks to more than the limits allow.
    """
    limits = read_limits()
    packed = file.stat().st_size
    # Mapped, so that what is not compressed is not copied into memory.
    with pa.memory_map(str(file)) as source:
        try:
            schema, batches = _open(source)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise _unreadable(path, error) from error
        check_columns(path, schema.names, expected)
        position = 0
        unpacked = 0
        while True:
            try:
                batch = next(batches, None)
                if batch is not None:
                    batch.validate(full=True)
            except (OSError, ValueError, pa.ArrowException) as error:
                if position == 0:
                    raise _unreadable(path, error) from error
                reason = f"The file cannot be read from here on: {first_line(error)}."
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


def _open(source: pa.NativeFile) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    if source.read(len(FILE_MAGIC)) == FILE_MAGIC:
        file = ipc.open_file(source)
        return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))
    source.seek(0)
    stream = ipc.open_stream(source)
    return stream.schema, iter(stream)


def _unreadable(path: Path, error: BaseException) -> InputError:
    return InputError(
        f"The log {path} cannot be read as Arrow: {first_line(error)}.",
        "Write the dataset again, or give the file the extension of its type.",
    )
