"""Parquet files that are written whole, describe themselves and notice any changed byte.

The footer carries the table's name, schema version, key and row count, and the SHA-256 of the
whole file, taken while 64 zeros stood in the place of the hash itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.storage.files.atomic import local_copy, publish, temporary_path
from qsquared.storage.files.damage import DamagedFile, refuse_if_unreadable
from qsquared.storage.files.parquet_hash import PLACEHOLDER, hash_around, place_of_hash
from qsquared.storage.files.parquet_layout import GROUP_CHARACTERS, GROUP_ROWS, open_writer
from qsquared.storage.files.places import is_remote, make_folder
from qsquared.storage.tables.columns import SCHEMA_VERSION, Table

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

Row: TypeAlias = Mapping[str, Any]


class DamagedTable(DamagedFile):
    """A table of the store that is missing or is not what it should be; it can be made again."""


class MissingTable(DamagedTable):
    """A table of the store that is not there."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a written table is known by; ``path`` is relative to the store, with slashes."""

    path: str
    key: str
    rows: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """The receipt as a plain JSON object."""
        return {"path": self.path, "key": self.key, "rows": self.rows, "sha256": self.sha256}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Receipt:
        """The receipt that ``to_json`` wrote.

        Raises:
            KeyError: a field is missing.
        """
        return cls(str(value["path"]), str(value["key"]), int(value["rows"]), str(value["sha256"]))


class TableWriter:
    """Write one table as a stream of rows; nothing appears at ``path`` unless all went well.

    Equal rows under an equal key give equal bytes, however they were handed over.
    """

    def __init__(self, path: Path, table: Table, key: str) -> None:
        self.path = path
        self._table = table
        self._key = key
        self._names = frozenset(table.schema.names)
        self._required = tuple(c.name for c in table.columns if not c.nullable)
        self._buffer: list[Row] = []
        self._characters = 0
        self._rows = 0
        self._writer: pq.ParquetWriter | None = None
        self._receipt: Receipt | None = None

    def __enter__(self) -> Self:
        make_folder(self.path.parent, parents=True)
        self._temporary = temporary_path(self.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._finish(self._flush())
            elif self._writer is not None:
                self._writer.close()
        finally:
            self._temporary.unlink(missing_ok=True)

    @property
    def rows(self) -> int:
        """Number of rows handed over so far."""
        return self._rows

    @property
    def receipt(self) -> Receipt:
        """The receipt of the finished table.

        Raises:
            RuntimeError: the table is not finished.
        """
        if self._receipt is None:
            raise RuntimeError(f"The table {self.path} is not finished.")
        return self._receipt

    def write(self, rows: Iterable[Row] | pa.Table | pa.RecordBatch) -> None:
        """Append rows; a nullable column that a row leaves out is NULL.

        Raises:
            ValueError: a row has a column that the table has not, or lacks a required value.
        """
        for row in _as_rows(rows):
            if not row.keys() <= self._names:
                extra = ", ".join(sorted(row.keys() - self._names))
                raise ValueError(f"Table {self._table.name!r} has no column {extra}.")
            for name in self._required:
                if row.get(name) is None:
                    raise ValueError(f"Column {self._table.name}.{name} must not be NULL.")
            self._buffer.append(row)
            self._rows += 1
            self._characters += sum(_length(value) for value in row.values())
            if len(self._buffer) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
                self._flush()

    def _flush(self) -> pq.ParquetWriter:
        schema = self._table.schema
        group = pa.Table.from_pylist(self._buffer, schema=schema)
        if self._writer is None:
            self._writer = open_writer(self._temporary, schema, group)
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
                "q2.rows": str(self._rows),
                "q2.sha256": PLACEHOLDER.decode(),
            }
        )
        writer.close()
        with self._temporary.open("r+b") as handle:
            place = place_of_hash(handle)
            handle.seek(place)
            if handle.read(len(PLACEHOLDER)) != PLACEHOLDER:
                raise RuntimeError(f"The hash of {self.path} has no place in its footer.")
            digest = hash_around(handle, place)
            handle.seek(place)
            handle.write(digest.encode())
        publish(self._temporary, self.path)
        self._receipt = Receipt(_relative(self.path), self._key, self._rows, digest)


def write_table(
    path: Path, rows: Iterable[Row] | pa.Table | pa.RecordBatch, table: Table, key: str
) -> Receipt:
    """Write a whole table at once; see `TableWriter`.

    ``rows`` may be an Arrow table or batch, or an iterable of rows or of Arrow batches.

    Raises:
        ValueError: a row does not fit the table.
    """
    with TableWriter(path, table, key) as writer:
        writer.write(rows)
    return writer.receipt


def check_table(path: Path, table: Table, key: str) -> Receipt:
    """Read every byte of a file and give its receipt if it is exactly what was written.

    Raises:
        MissingTable: there is no such file.
        DamagedTable: the file is changed, or another table than asked for.
        StoreError: it cannot be read for a reason that says nothing of its content.
    """
    try:
        with local_copy(path) as copy:
            return _check(path, copy, table, key)
    except FileNotFoundError as error:
        raise MissingTable(path, "it is missing") from error


def _check(path: Path, copy: Path, table: Table, key: str) -> Receipt:
    """Check the file at ``copy`` as the one that belongs at ``path``; the same place if local."""
    try:
        digest = _check_bytes(path, copy)
        # Only now, so that no damaged byte reaches the Parquet reader.
        stated, rows, schema = _footer(copy)
    except FileNotFoundError as error:
        raise MissingTable(path, "it is missing") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        _refuse(path, error)
        raise DamagedTable(path, f"it is no readable table ({error})") from error
    for name, expected in (
        ("table", table.name),
        ("schema_version", str(SCHEMA_VERSION)),
        ("key", key),
        ("rows", str(rows)),
    ):
        found = stated.get(f"q2.{name}")
        if found != expected:
            raise DamagedTable(path, f"its {name} is {found}, not {expected}")
    if not schema.equals(table.schema):
        raise DamagedTable(path, "its columns are not those of the table")
    return Receipt(_relative(path), key, rows, digest)


def stated_version(path: Path) -> int | None:
    """The schema version in the footer of a file whose bytes are as they were written, else None."""
    try:
        with local_copy(path) as copy:
            _check_bytes(path, copy)
            return int(_footer(copy)[0]["q2.schema_version"])
    except (OSError, ValueError, KeyError, pa.ArrowException, DamagedTable):
        return None


def read_table(path: Path, table: Table, key: str) -> pa.Table:
    """Check a file as `check_table` does and read it.

    Raises:
        DamagedTable: the file cannot be trusted.
    """
    try:
        with local_copy(path) as copy:
            _check(path, copy, table, key)
            found = pq.read_table(str(copy), partitioning=None)
    except FileNotFoundError as error:
        raise MissingTable(path, "it is missing") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        _refuse(path, error)
        raise DamagedTable(path, f"it is no readable table ({error})") from error
    return found.cast(table.schema)


def _check_bytes(path: Path, copy: Path) -> str:
    """The hash that a file states, if its bytes, read from ``copy``, have it."""
    with copy.open("rb") as handle:
        place = place_of_hash(handle)
        handle.seek(place)
        digest = handle.read(len(PLACEHOLDER)).decode("latin-1")
        if hash_around(handle, place) != digest:
            raise DamagedTable(path, "its bytes do not have the hash that its footer states")
    return digest


def _footer(path: Path) -> tuple[dict[str, str], int, pa.Schema]:
    """What a file states of itself, its number of rows, and its columns."""
    with pq.ParquetFile(str(path)) as file:
        stated = {
            name.decode(): value.decode()
            for name, value in (file.metadata.metadata or {}).items()
            if name.startswith(b"q2.")
        }
        return stated, file.metadata.num_rows, file.schema_arrow


def _refuse(path: Path, error: Exception) -> None:
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, OSError):
        refuse_if_unreadable(path, error)


def _as_rows(rows: Iterable[Any] | pa.Table | pa.RecordBatch) -> Iterable[Row]:
    if isinstance(rows, pa.Table):
        rows = rows.to_batches(max_chunksize=1024)
    elif isinstance(rows, pa.RecordBatch):
        rows = [rows]
    for item in rows:
        if isinstance(item, pa.RecordBatch):
            yield from item.to_pylist()
        else:
            yield item


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(len(item) for item in value if isinstance(item, str))
    return 8


def _relative(path: Path) -> str:
    """The path below the folder that holds ``store.json``; as given where there is none."""
    absolute = path.absolute()
    find = _root_above_remote if is_remote(absolute) else _root_above
    root = find(absolute.parent)
    return path.as_posix() if root is None else absolute.relative_to(root).as_posix()


def _root_above(folder: Path) -> Path | None:
    """The folder of the store that a folder is in."""
    for each in (folder, *folder.parents):
        if (each / "store.json").exists():
            return each
    return None


_root_above_remote = lru_cache(maxsize=1024)(_root_above)
"""Asked once: a question to a server for each folder above each table is too many."""
