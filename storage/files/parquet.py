"""Read and check Parquet files that describe themselves and reveal any changed byte.

The footer carries the table's name, schema version, key and row count, and the SHA-256 of the
whole file, taken while 64 zeros stood in the place of the hash itself.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq

from qsquared.storage.files.atomic import local_copy
from qsquared.storage.files.file_errors import DamagedFile, refuse_if_unreadable
from qsquared.storage.tables import SCHEMA_VERSION, Table

PLACEHOLDER = b"0" * 64
"""The bytes in place of the hash while it is computed."""

_BLOCK = 1 << 20
# The Thrift encoding of the key, then the header of a string of 64 bytes.
_MARK = b"q2.sha256\x18\x40"
_TAIL = 8


def place_of_hash(handle: BinaryIO) -> int:
    """Return the offset of the hash in a Parquet file of a store; the last mark in the footer is ours.

    Texts of the data can stand in the footer (as statistics), but the metadata comes after them.

    Raises:
        ValueError: this is no Parquet file, or not a store's.
    """
    size = handle.seek(0, 2)
    if size < _TAIL:
        raise ValueError("it is too short")
    handle.seek(size - _TAIL)
    tail = handle.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or length > size - _TAIL:
        raise ValueError("it is not Parquet or is cut short")
    start = size - _TAIL - length
    handle.seek(start)
    mark = handle.read(length).rfind(_MARK)
    if mark < 0:
        raise ValueError("its footer states no hash")
    return start + mark + len(_MARK)


def hash_around(handle: BinaryIO, offset: int) -> str:
    """Return the SHA-256 of a file with zeros in place of its hash, from ``offset`` on, read in blocks."""
    digest = hashlib.sha256()
    handle.seek(0)
    left = offset
    while block := handle.read(min(_BLOCK, left)):
        digest.update(block)
        left -= len(block)
    digest.update(PLACEHOLDER)
    handle.seek(offset + len(PLACEHOLDER))
    while block := handle.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


class DamagedTable(DamagedFile):
    """A table of the store is missing or damaged; it can be made again."""


class MissingTable(DamagedTable):
    """A table of the store is missing."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The identity of a written table; ``path`` is relative to the store, with slashes."""

    path: str
    key: str
    rows: int
    sha256: str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read a receipt from a plain JSON object.

        Raises:
            KeyError: a field is missing.
        """
        return cls(str(value["path"]), str(value["key"]), int(value["rows"]), str(value["sha256"]))


def check_table(path: Path, table: Table, key: str) -> Receipt:
    """Read every byte of a file and return its receipt if it is exactly the table that was written.

    Raises:
        MissingTable: there is no such file.
        DamagedTable: the file is changed, or is another table.
        StoreError: it cannot be read, and its content may be sound.
    """
    with _opened(path) as copy:
        rows, digest = _check(path, copy, table, key)
    return Receipt(path_in_store(path, table), key, rows, digest)


@contextmanager
def _opened(path: Path) -> Iterator[Path]:
    """Yield a table's file, or a local copy of it; an error of reading it means damage.

    Raises:
        MissingTable: there is no such file.
        DamagedTable: it cannot be read as a table.
        StoreError: it cannot be read, and its content may be sound.
    """
    try:
        with local_copy(path) as copy:
            try:
                yield copy
            except FileNotFoundError:
                raise
            except (OSError, ValueError, pa.ArrowException) as error:
                if isinstance(error, MemoryError):
                    raise
                refuse_if_unreadable(path, error)
                raise DamagedTable(path, f"it is no readable table ({error})") from error
    except FileNotFoundError as error:
        raise MissingTable(path, "it is missing") from error


def _check(path: Path, copy: Path, table: Table, key: str) -> tuple[int, str]:
    """Check the table at ``copy`` as the one of ``path``; return its number of rows and hash."""
    digest = _check_bytes(path, copy)
    # Only now, so that no damaged byte reaches the Parquet reader.
    stated, rows, schema = _footer(copy)
    expected_of = {"table": table.name, "schema_version": SCHEMA_VERSION, "key": key, "rows": rows}
    for name, expected in expected_of.items():
        value = stated.get(f"q2.{name}")
        if value != str(expected):
            raise DamagedTable(path, f"its {name} is {value}, not {expected}")
    if not table.fits(schema):
        raise DamagedTable(path, "its columns are not those of the table")
    return rows, digest


def stated_version(path: Path) -> int | None:
    """Return the schema version in the footer of an unchanged file, or None if it is damaged."""
    try:
        with local_copy(path) as copy:
            _check_bytes(path, copy)
            return int(_footer(copy)[0]["q2.schema_version"])
    except (OSError, ValueError, KeyError, pa.ArrowException, DamagedTable):
        return None


def read_table(path: Path, table: Table, key: str) -> pa.Table:
    """Check a file as `check_table` does and read it.

    Columns that were added after it was written are NULL.

    Raises:
        DamagedTable: the file cannot be trusted.
    """
    with _opened(path) as copy:
        _check(path, copy, table, key)
        rows = pq.read_table(str(copy), partitioning=None)
    for column in table.columns:
        if column.name not in rows.column_names:
            rows = rows.append_column(column.name, pa.nulls(len(rows), column.type))
    return rows.select(table.schema.names).cast(table.schema)


def _check_bytes(path: Path, copy: Path) -> str:
    """Return the hash that a file states, if the bytes of ``copy`` have it."""
    with copy.open("rb") as handle:
        offset = place_of_hash(handle)
        handle.seek(offset)
        digest = handle.read(len(PLACEHOLDER)).decode("latin-1")
        if hash_around(handle, offset) != digest:
            raise DamagedTable(path, "its bytes do not have the hash that its footer states")
    return digest


def _footer(path: Path) -> tuple[dict[str, str], int, pa.Schema]:
    """Return the statements in a file's footer by name, its number of rows, and its schema."""
    with pq.ParquetFile(str(path)) as file:
        stated = {
            name.decode(): value.decode()
            for name, value in (file.metadata.metadata or {}).items()
            if name.startswith(b"q2.")
        }
        return stated, file.metadata.num_rows, file.schema_arrow


def path_in_store(path: Path, table: Table) -> str:
    """Return the path of a table's file below its store; a stage has a folder for each lineage."""
    depth = 2 if path.parent.name == table.name else 4
    return "/".join(path.parts[-depth:])
