"""Views of a store for SQL, in a read-only DuckDB connection.

The stage views (``spans`` … ``scores``) have three columns more than the files: ``metric``, to which
the stage belongs, ``profile``, and ``configuration``, the hash of all that decides the rows.
A profile that was scored with parameters other than the default stands there with them, as in
``compact+variant=multi``.
Of a profile that was scored by several versions of its models or stages they show the version that
a run last completed with, and an older one where that has not scored yet.
"""

import glob
import itertools
import json
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from qsquared.display import count
from qsquared.storage.connection import QueryLimits, lock_down, open_connection, quote
from qsquared.storage.records.indexes.missing_tables import gaps, unlisted_turns
from qsquared.storage.records.indexes.store_index import (
    TABLE_NAMES,
    StoreIndex,
    Version,
    narrowed,
    open_index,
    versions,
)
from qsquared.storage.records.request_journal import read_requests
from qsquared.storage.sql.attached import attach
from qsquared.storage.sql.fields import NO_FIELDS, fields_sql
from qsquared.storage.sql.phrases import DAY
from qsquared.storage.sql.views import DESCRIBED, VIEWS, read_by, shown_to, view
from qsquared.storage.store import Store, store_option
from qsquared.storage.tables import (
    LABEL_TABLES,
    REAL,
    REJECTS,
    SITUATION,
    SQL_TYPES,
    STAGE_TABLES,
    TEXT,
    TURNS,
    UNITS,
    Table,
)

logger = logging.getLogger("qsquared")

_MANY = 5
_SCORED_BY = {"metric": "metric", "profile": "profile", "configuration": "digest"}
"""Column of the stage views → field of the configuration that made their rows."""

_ARROW = {
    **{name: kind for kind, name in SQL_TYPES.items()},
    "DOUBLE[]": pa.list_(REAL),
    # Given as texts, which DuckDB casts.
    **dict.fromkeys(("TEXT", "JSON", "TIMESTAMPTZ"), TEXT),
}


def files(paths: Iterable[Path], *, mixed: bool = False) -> str:
    """Parquet files as an SQL table function; ``mixed`` ones need not have the same columns."""
    options = "filename = true, union_by_name = true" if mixed else "filename = true"
    return f"read_parquet([{', '.join(quote(path) for path in paths)}], {options})"


def _empty(table: Table, extra: str = "") -> str:
    """A relation with the table's columns and no rows."""
    # DuckDB could be asked for the types, but a connection takes longer than most queries.
    columns = ", ".join(
        f'CAST(NULL AS {SQL_TYPES[column.type]}) AS "{column.name}"' for column in table.columns
    )
    return f"SELECT {extra}{columns} WHERE false"


def _as_pattern(paths: list[Path]) -> list[Path]:
    """The same files as one pattern, where they are all of a folder that has a plain path."""
    if len(paths) < _MANY:
        return paths
    folder = paths[0].parent
    plain = glob.escape(str(folder)) == str(folder)
    whole = plain and paths == sorted(folder.glob("[!.]*.parquet"))
    return [folder / "*.parquet"] if whole else paths


def over(table: Table, paths: Sequence[Path], extra: str = "", *, mixed: bool = False) -> str:
    """The rows of some files of a table as a query; without files it has no rows.

    Columns that the files do not have, because they were added later, are NULL; files of which only
    some have them are ``mixed``.
    """
    if not paths:
        return _empty(table, extra)
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    # An erasure writes the rows that it keeps without the columns that the table has no more.
    rows = files(paths, mixed=mixed or bool(table.retired))
    if any(column.later for column in table.columns):
        rows = f"({_empty(table)} UNION ALL BY NAME FROM {rows})"
    return f"SELECT {extra}{columns} FROM {rows}"


def _small_table(
    connection: duckdb.DuckDBPyConnection, name: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Make a small table of rows by the names of its columns."""
    types = {column.name: column.type for column in view(name).columns}
    schema = pa.schema([(column, _ARROW[kind]) for column, kind in types.items()])
    connection.register("given", pa.Table.from_pylist(list(rows), schema))
    casts = ", ".join(f'CAST("{column}" AS {kind}) AS "{column}"' for column, kind in types.items())
    connection.execute(f"CREATE TABLE {name} AS SELECT {casts} FROM given")
    connection.unregister("given")


def _inputs(index: StoreIndex) -> Iterator[Mapping[str, Any]]:
    for manifest in index.inputs:
        for path in manifest.paths:
            yield asdict(manifest) | {"input": manifest.fingerprint, "source": path}


def _configurations(index: StoreIndex) -> Iterator[Mapping[str, Any]]:
    for configuration in index.configurations:
        yield configuration | {
            "configuration": configuration["digest"],
            "parameters": json.dumps(configuration["parameters"]),
            "completed_at": configuration["last_used"] or None,
        }


def _calibrations(index: StoreIndex) -> Iterator[Mapping[str, Any]]:
    shown = {configuration["digest"] for configuration in index.configurations}
    for calibration in map(index.store.read_json, index.store.small_files("calibrations")):
        yield calibration | {
            "calibration": calibration["name"],
            "threshold": calibration["threshold"] and calibration["threshold"]["value"],
            "knots": calibration["curve"]["scores"],
            "chances": calibration["curve"]["chances"],
            "current": calibration["configuration"] in shown,
        }


def _requests(index: StoreIndex) -> Iterator[Mapping[str, Any]]:
    for row in sorted(read_requests(index.store), key=itemgetter("answered_at")):
        yield dict(row) | {"chances": json.dumps(row["chances"]) if row["chances"] else None}


_SMALL: dict[str, Callable[[StoreIndex], Iterable[Mapping[str, Any]]]] = {
    "inputs": _inputs,
    "runs": lambda index: (run | {"summary": json.dumps(run)} for run in index.runs),
    "configurations": _configurations,
    "calibrations": _calibrations,
    "requests": _requests,
}
"""The rows of each table that is made of small files of the store."""


def _queries(index: StoreIndex, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the query behind each wanted view of a table of the store."""
    for table, more in ((TURNS, f", {SITUATION.of_turn} AS {SITUATION.key}"), (REJECTS, "")):
        rows = over(table, index.files(table.name))
        yield table.name, f"SELECT source, t.*{more} FROM ({rows}) t JOIN inputs USING (input)"
    for unit in UNITS.values():
        shards = _as_pattern(index.files(unit.name))
        shard = "parse_filename(filename, true)" if shards else "CAST(NULL AS TEXT)"
        yield unit.name, over(unit.table, shards, f"{shard} AS shard, ")
    for table in LABEL_TABLES:
        yield table.name, over(table, index.files(table.name), mixed=True)
    shown = list(versions(index))
    for table in STAGE_TABLES:
        if table.name in wanted:
            yield table.name, _of_stage(index, table, shown)


def _of_stage(index: StoreIndex, table: Table, shown: Sequence[Version]) -> str:
    """The rows of a stage in all versions that are shown, as a query."""
    parts = []
    for version in shown:
        if paths := index.stage_files(table.name, version.configuration, version.shards):
            extra = "".join(
                f"{quote(version.configuration[name])} AS {column}, "
                for column, name in _SCORED_BY.items()
            )
            parts.append(over(table, _as_pattern(paths), extra))
    none = _empty(table, "".join(f"CAST(NULL AS TEXT) AS {name}, " for name in _SCORED_BY))
    return " UNION ALL ".join(parts) or none


def create_views(
    connection: duckdb.DuckDBPyConnection,
    index: StoreIndex,
    fields: str = NO_FIELDS,
    sql: str | None = None,
) -> None:
    """Make the views and small tables of a store in a connection that has none of them.

    ``fields`` is the column of that name in `outcomes`, as SQL; ``sql`` is the query, if it is known:
    DuckDB opens the files behind a view when it is made, so only those that it needs are made.
    """
    wanted = {described.name for described in DESCRIBED} if sql is None else shown_to(sql)
    for name, rows in _SMALL.items():
        if name in wanted:
            _small_table(connection, name, rows(index))
    views = ((each.name, each.sql.replace(NO_FIELDS, fields)) for each in VIEWS)
    for name, query in (*_queries(index, wanted), *views):
        if name in wanted:
            connection.execute(f"CREATE VIEW {name} AS {query}")


def connect(
    store: Store,
    sql: str | None = None,
    limits: QueryLimits | None = None,
    attached: dict[str, Path] | None = None,
    inputs: Collection[str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """A connection in memory with the views that ``sql`` may read, of this store and nothing else.

    Every byte of the files behind the views that ``sql`` may read (all views, if it is None) is
    checked before; missing tables are reported in the log.
    With ``inputs`` the views are of these logs alone, by their fingerprints, and of the shards that
    hold their pairs: other files are not opened, so that damage to them stops nobody.
    No extension is loaded or fetched, no file opened but those of the store and the ``attached``
    ones, which are views under their names, and the settings are locked.

    Raises:
        DamagedFile: a file cannot be trusted; nothing is read from it.
        UsageError: an attached file cannot be read.
    """
    whole = open_index(store, needs_runs=sql is not None and "runs" in sql.lower())
    index, tables = whole, TABLE_NAMES if sql is None else read_by(sql)
    if inputs is not None:
        index, tables = narrowed(whole, inputs), tables - {TURNS.name}
    index.check(tables)
    for gap in itertools.chain(gaps(index), unlisted_turns(whole)):
        logger.warning("%s %s", gap.problem, gap.todo)
    connection = open_connection(store.root)
    try:
        reads_outcomes = sql is None or "outcomes" in sql.lower()
        turns = index.files(TURNS.name) if reads_outcomes else []
        create_views(connection, index, fields_sql(connection, turns), sql)
        attach(connection, attached or {})
    except duckdb.Error:
        # A view opens its first file when it is made, also one that the query does not read.
        index.check()
        raise
    lock_down(connection, store.root, limits)
    return connection


_OUTDATED = f"""
SELECT metric, profile, count(*), count(DISTINCT {DAY}) FROM outcomes WHERE outdated
GROUP BY ALL ORDER BY ALL
"""


def outdated_scores(index: StoreIndex) -> list[str]:
    """Say for each metric and profile how many turns have scores of an older version only, and what to run.

    Raises:
        DamagedFile: the tables cannot be trusted, where they have to be read.
    """
    if not any(version.outdated for version in versions(index)):
        return []
    with connect(index.store, _OUTDATED) as connection:
        rows = connection.execute(_OUTDATED).fetchall()
    return [
        count(turns, "turn")
        + (f" of {count(days, 'day')}" if days else "")
        + f" {'has' if turns == 1 else 'have'} scores of an older version only ({metric}, {profile}). "
        f"They are shown as what they are (outdated); to score them anew: q2 rescore {store_option(index.store)}"
        for metric, profile, turns, days in rows
    ]
