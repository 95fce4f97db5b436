"""A store opened for a notebook: its tables and views as relations of DuckDB."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

import duckdb

from qsquared.errors import UsageError
from qsquared.storage.connection import QueryLimits
from qsquared.storage.files.places import place
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.queries import hint_on, refuse_writing
from qsquared.storage.store import Store

_LEAST_MEGABYTES = 64
"""As of `q2 sql --memory`."""


class OpenedStore(Mapping[str, duckdb.DuckDBPyRelation]):
    """The tables and views of a store, which are read when they are asked and never written.

    `store["outcomes"]` and `store.sql(question)` are relations of DuckDB, which know `filter`, `aggregate`,
    `df` and more; `pl(lazy=True)` and `to_arrow_reader()` give them to polars and Arrow in portions.
    """

    def __init__(self, root: Path, memory_megabytes: int) -> None:
        store = Store.open(root)
        self._root = store.root
        self._connection = connect(store, limits=QueryLimits(memory_megabytes=memory_megabytes))
        rows = self._connection.execute("SHOW TABLES").fetchall()
        self._names = [name for (name,) in rows]

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return the answer to a query, which is not run before its rows are asked for.

        Raises:
            UsageError: the SQL is wrong or does not only read.
        """
        try:
            statements = self._connection.extract_statements(query)
            for statement in statements:
                refuse_writing(self._connection, statement)
            relation: duckdb.DuckDBPyRelation | None = self._connection.sql(query)
        except duckdb.Error as error:
            raise UsageError(
                f"DuckDB refused the query: {error}", hint_on(query, str(error))
            ) from error
        if relation is None:
            raise UsageError("There is no statement in the query.", 'For instance: "FROM scores"')
        return relation

    def __getitem__(self, name: str) -> duckdb.DuckDBPyRelation:
        if name not in self._names:
            raise KeyError(f"{name}: the store has {', '.join(self._names)}")
        relation: duckdb.DuckDBPyRelation = self._connection.sql(f'FROM "{name}"')
        return relation

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> list[str]:
        return self._names

    def __repr__(self) -> str:
        return f"<store {self._root}: {', '.join(self._names)}>"

    def close(self) -> None:
        """Close the connection; its relations can be asked no longer."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def open_store(store: str | Path = "q2-store", *, memory_megabytes: int = 2048) -> OpenedStore:
    """Open a store to read it; `with` closes it again.

    Every byte of its tables is checked first.

    Args:
        store: its folder or address.
        memory_megabytes: memory that a query may take before it spills to disk.

    Raises:
        UsageError: no query can do with so little memory.
        StoreError: there is no store, or it cannot be used.
        DamagedFile: a table cannot be trusted.
    """
    if memory_megabytes < _LEAST_MEGABYTES:
        raise UsageError(
            f"No query can do with {memory_megabytes} MB of memory.",
            f"Give it {_LEAST_MEGABYTES} MB or more: memory_megabytes=2048",
        )
    return OpenedStore(place(str(store)), memory_megabytes)
