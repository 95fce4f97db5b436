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
from qsquared.storage.sql.views.registry import SMALL_TABLES, VIEWS
from qsquared.storage.store import Store
from qsquared.storage.tables.log import TURNS
from qsquared.storage.tables.registry import STAGE_TABLES, TABLES

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
    for table in TABLES:
        yield f"COMMENT ON VIEW {table.name} IS {quote(table.meaning)}"
        columns = [(column.name, column.meaning) for column in table.columns]
        if table in STAGE_TABLES:
            columns += [(name, meaning) for name, meaning, _ in VIEWS[0].columns[:2]]
        yield from _of_columns(table.name, columns)
    for view in (*SMALL_TABLES, *VIEWS):
        kind = "TABLE" if view in SMALL_TABLES else "VIEW"
        yield f"COMMENT ON {kind} {view.name} IS {quote(view.meaning)}"
        yield from _of_columns(view.name, [(name, meaning) for name, meaning, _ in view.columns])


def _of_columns(table: str, columns: list[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in columns:
        yield f'COMMENT ON COLUMN {table}."{name}" IS {quote(meaning)}'
