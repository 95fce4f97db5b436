"""What a documented table and its columns are."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = 2
"""Raised when a column or a small file changes its form or meaning; a store of another is refused.

1 had JSON files without a checksum.
"""

TEXT = pa.string()
INT = pa.int32()
REAL = pa.float64()
FLAG = pa.bool_()
TEXTS = pa.list_(pa.field("item", pa.string()))


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, Arrow type, meaning, and whether (and when) it is NULL."""

    name: str
    type: pa.DataType
    meaning: str
    null: str = ""

    @property
    def nullable(self) -> bool:
        """A column is nullable exactly when it says what NULL means."""
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

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, without metadata."""
        return pa.schema([pa.field(c.name, c.type, c.nullable) for c in self.columns])
