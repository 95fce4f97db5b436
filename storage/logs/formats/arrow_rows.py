"""Rows of an Arrow file, such as those of a saved Hugging Face dataset (``data-*.arrow``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import ipc

from qsquared.errors import InputError, first_line
from qsquared.storage.logs.fields.mapping import check_columns
from qsquared.storage.logs.formats.record_batches import iterate_batches
from qsquared.storage.logs.rows import RawRow, UnreadableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FILE_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"
"""The first bytes of the two Arrow formats; the library datasets writes the second."""


def iterate_arrow(
    file: Path, path: Path, expected: Sequence[str]
) -> Iterator[RawRow | UnreadableRow]:
    """Yield each row of an Arrow file or stream; one that is damaged half-way ends with a reject.

    Args:
        file: the uncompressed file to read.
        path: the log that it comes from, for messages.
        expected: columns that it must have.

    Raises:
        InputError: the file is no Arrow, lacks a column, cannot be read from the first row, or
            unpacks to more than the limits allow.
    """
    packed = file.stat().st_size
    # Mapped, so that uncompressed data is not copied into memory.
    with pa.memory_map(str(file)) as source:
        try:
            schema, batches = _open(source)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise _unreadable(path, error) from error
        check_columns(path, schema.names, expected)
        yield from iterate_batches(
            map(_validated, batches), path, packed, partial(_unreadable, path)
        )


def _validated(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Check a mapped batch, whose damage would otherwise show only later."""
    batch.validate(full=True)
    return batch


def _open(source: pa.NativeFile) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    if source.read(len(FILE_MAGIC)) == FILE_MAGIC:
        file = ipc.open_file(source)
        return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))
    source.seek(0)
    stream = ipc.open_stream(source)
    return stream.schema, iter(stream)


def _unreadable(path: Path, error: BaseException) -> InputError:
    return InputError(
        f"The log {path} cannot be read as Arrow: {first_line(error).rstrip('.')}.",
        "Write the dataset again, or give the file the extension of its type.",
    )
