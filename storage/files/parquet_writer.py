"""Write a table as a Parquet file: whole, in a layout that queries can skip through.

A row group holds at most 8,192 rows, which is a shard's for most tables.
Columns that people filter by have statistics, and the ids, whose order means nothing, have Bloom
filters, so that a reader skips the groups that cannot hold the rows that it needs
(decision 2 lists the queries that each of them serves).
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from qsquared.storage.files.atomic import publish, temporary_path
from qsquared.storage.files.parquet import (
    PLACEHOLDER,
    Receipt,
    hash_around,
    path_in_store,
    place_of_hash,
)
from qsquared.storage.files.remote_paths import make_folder
from qsquared.storage.tables import SCHEMA_VERSION, Table

Row: TypeAlias = Mapping[str, Any]

GROUP_ROWS = 8192
GROUP_CHARACTERS = 16 << 20

_LOOKED_UP = ("pair_id", "id")
_FILTERED = {*_LOOKED_UP, "status", "verdict", "label", "kind", "nli_label", "error"}
_FALSE_POSITIVES = 0.01


class TableWriter:
    """Write one table as a stream of rows; the file appears at ``path`` when all went well.

    Equal rows under an equal key give equal bytes, however they were handed over.
    """

    receipt: Receipt
    """The receipt of the table, once it is finished."""

    def __init__(self, path: Path, table: Table, key: str) -> None:
        self.path = path
        self._table = table
        self._key = key
        self._names = frozenset(table.schema.names)
        self._required = tuple(c.name for c in table.columns if not c.nullable)
        self._buffer: list[Row] = []
        self._characters = 0
        self._writer: pq.ParquetWriter | None = None
        self.rows = 0
        """The number of rows written so far."""

    def __enter__(self) -> Self:
        make_folder(self.path.parent, parents=True)
        self._temporary = temporary_path(self.path)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish(self._flush())
            elif self._writer is not None:
                self._writer.close()
        finally:
            self._temporary.unlink(missing_ok=True)

    def write(self, rows: Iterable[Row]) -> None:
        """Append rows; a nullable column that a row leaves out is NULL.

        Raises:
            ValueError: a row has a column that the table has not, or lacks a required value.
        """
        for row in rows:
            if not row.keys() <= self._names:
                extra = ", ".join(sorted(row.keys() - self._names))
                raise ValueError(f"Table {self._table.name!r} has no column {extra}.")
            for name in self._required:
                if row.get(name) is None:
                    raise ValueError(f"Column {self._table.name}.{name} must not be NULL.")
            self._buffer.append(row)
            self.rows += 1
            self._characters += sum(_length(value) for value in row.values())
            if len(self._buffer) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
                self._flush()

    def _flush(self) -> pq.ParquetWriter:
        schema = self._table.schema
        group = pa.Table.from_pylist(self._buffer, schema=schema)
        if self._writer is None:
            self._writer = _open_writer(self._temporary, schema, group)
        if group.num_rows:
            self._writer.write_table(group, row_group_size=GROUP_ROWS)
        self._buffer = []
        self._characters = 0
        return self._writer

    def _finish(self, writer: pq.ParquetWriter) -> None:
        writer.add_key_value_metadata(
            {
                "q2.key": self._key,
                "q2.table": self._table.name,
                "q2.schema_version": str(SCHEMA_VERSION),
                "q2.rows": str(self.rows),
                "q2.sha256": PLACEHOLDER.decode(),
            }
        )
        writer.close()
        with self._temporary.open("r+b") as handle:
            offset = place_of_hash(handle)
            digest = hash_around(handle, offset)
            handle.seek(offset)
            handle.write(digest.encode())
        publish(self._temporary, self.path)
        self.receipt = Receipt(path_in_store(self.path, self._table), self._key, self.rows, digest)


def write_table(path: Path, rows: Iterable[Row], table: Table, key: str) -> Receipt:
    """Write a whole table at once; see `TableWriter`.

    Raises:
        ValueError: a row does not fit the table.
    """
    with TableWriter(path, table, key) as writer:
        writer.write(rows)
    return writer.receipt


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(len(item) for item in value if isinstance(item, str))
    return 8


def _open_writer(path: Path, schema: pa.Schema, first: pa.Table) -> pq.ParquetWriter:
    """Open a writer for a file; the ids of the first row group decide the size of its filters.

    Raises:
        OSError: the file cannot be made.
    """
    filters: dict[str, Any] = {
        name: {"ndv": max(1, pc.count_distinct(first[name]).as_py()), "fpp": _FALSE_POSITIVES}
        for name in _LOOKED_UP
        if name in schema.names
    }
    return pq.ParquetWriter(
        str(path),
        schema,
        compression="zstd",
        # Long texts make large statistics that nobody filters by.
        write_statistics=[field.name for field in schema if _has_statistics(field)],
        bloom_filter_options=filters,
    )


def _has_statistics(field: pa.Field) -> bool:
    if pa.types.is_nested(field.type):
        return False
    return field.name in _FILTERED or not pa.types.is_string(field.type)
