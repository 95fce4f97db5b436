"""A DuckDB file with the views of a store, which any client of DuckDB opens.

It holds no data: the views read the store's own Parquet files, by their absolute paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from qsquared.storage.connection import open_connection, quote
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.records.store_index import open_index
from qsquared.storage.sql.catalogue import create_views
from qsquared.storage.sql.fields import fields_sql
from qsquared.storage.sql.views.registry import DESCRIBED, SCORED_BY, SMALL_TABLES
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import STAGE_TABLES, TURNS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STORAGE_VERSION = "v1.0.0"
"""The oldest form of the file that has all we need, so that clients since DuckDB 1.0 can open it."""


def write_catalogue(store: Store, path: Path) -> list[str]:
    """Write the file beside its place and swap it in; who has the old one open keeps it.

    The names of the views are given back.

    Raises:
        DamagedFile: a table of the store cannot be trusted.
        UsageError: the file cannot be written.
    """
    index = open_index(Store.open(store.root.absolute()))
    index.check()
    errors = (OSError, duckdb.IOException)
    with (
        written_whole(path, "file", "Choose another place: --out FILE", errors) as temporary,
        open_connection(store.root) as connection,
    ):
        connection.execute(
            f"ATTACH {quote(temporary)} AS q2 (STORAGE_VERSION {quote(STORAGE_VERSION)})"
        )
        connection.execute("USE q2")
        fields = fields_sql(connection, index.of(TURNS.name))
        create_views(connection, index, fields)
        for statement in _comments():
            connection.execute(statement)
        names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        connection.execute("USE memory")
        connection.execute("DETACH q2")
    return names


def _comments() -> Iterator[str]:
    """Yield statements that put the texts of the data dictionary where DuckDB's clients show them."""
    for described in DESCRIBED:
        kind = "TABLE" if described in SMALL_TABLES else "VIEW"
        yield f"COMMENT ON {kind} {described.name} IS {quote(described.meaning)}"
        for column in (*(SCORED_BY if described in STAGE_TABLES else ()), *described.columns):
            yield f'COMMENT ON COLUMN {described.name}."{column.name}" IS {quote(column.meaning)}'
