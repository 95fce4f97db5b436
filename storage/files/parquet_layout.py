"""How a table lies in its Parquet file, so that a query reads only what it needs.

A row group holds at most 8,192 rows, which is a shard's for most tables.
Columns that people filter by have statistics, and the ids, whose order tells nothing, have Bloom
filters, so that a reader passes over the groups that cannot hold what it looks for
(``docs/layout.md`` tells what of it serves which query).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

GROUP_ROWS = 8192
GROUP_CHARACTERS = 16 << 20

_LOOKED_UP = ("pair_id", "id")
_FILTERED = {*_LOOKED_UP, "status", "verdict", "label", "kind", "nli_label", "error"}
_FALSE_POSITIVES = 0.01


def open_writer(path: Path, schema: pa.Schema, first: pa.Table) -> pq.ParquetWriter:
    """A writer for a file whose first row group is ``first``; how many ids that has sizes the filters.

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
