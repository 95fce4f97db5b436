"""Documented tables and columns."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = 2
"""Raised when a column or a small file changes its form or meaning; other versions are refused.

A column that is added (`Column.later`) needs no other version: earlier tables lack it.

1 had JSON files without a checksum.
"""

TEXT = pa.string()
INT = pa.int32()
LONG = pa.int64()
REAL = pa.float64()
FLAG = pa.bool_()
TIME = pa.timestamp("us", tz="UTC")
TEXTS = pa.list_(pa.field("item", pa.string()))
INTS = pa.list_(pa.field("item", pa.int32()))


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, Arrow type, meaning, and whether (and when) it is NULL."""

    name: str
    type: pa.DataType
    meaning: str
    null: str = ""
    later: bool = False
    """Whether tables that were written before it was added lack it; such a column may be NULL."""

    @property
    def nullable(self) -> bool:
        """Whether the column may be NULL: exactly when it states the meaning of NULL."""
        return bool(self.null)


@dataclass(frozen=True, slots=True)
class Table:
    """A documented table of the store.

    A table with ``measures`` has one row for each pair, or, with `situation_id`, for each situation.
    Where it has no columns `status` and `reason`, a row's `error` is its reason.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    measures: tuple[str, ...] = ()
    """The columns that are a metric's values; no two tables share one."""
    retired: tuple[str, ...] = ()
    """Columns that earlier tables have, and that nobody reads any more."""

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, without metadata."""
        return _schema(self.columns)

    def fits(self, schema: pa.Schema) -> bool:
        """Whether a file with this schema is of the table, before or after columns came and went."""
        found = [field for field in schema if field.name not in self.retired]
        names = {field.name for field in found}
        expected = [one for one in self.columns if one.name in names or not one.later]
        return bool(pa.schema(found).equals(_schema(expected)))

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)


def _schema(columns: Iterable[Column]) -> pa.Schema:
    return pa.schema([pa.field(c.name, c.type, c.nullable) for c in columns])
