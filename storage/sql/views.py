"""Views of a store for SQL, in a read-only DuckDB connection.

The views of stored tables (``turns`` … ``scores``) are written here, the others in ``views.toml``.
The stage views (``spans`` … ``scores``) have three columns more than the files: ``metric``, to which
the stage belongs, ``profile``, and ``configuration``, the hash of all that decides the rows.
``profile`` names the parameters that are not the default, too, as in ``compact+variant=multi``.
If several versions of models or stages scored a profile, the views show that of the last completed
run, and an older version of the shards that it has not scored.
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
from qsquared.storage.records.indexes.lost_tables import gaps, unlisted_turns
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
from qsquared.storage.sql.derived_views import DESCRIBED, VIEWS, read_by, shown_to, view
from qsquared.storage.sql.fields import NO_FIELDS, fields_sql
from qsquared.storage.sql.phrases import DAY
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
    """Return Parquet files as an SQL table function; ``mixed`` ones may have unequal columns."""
    options = "filename = true, union_by_name = true" if mixed else "filename = true"
    return f"read_parquet([{', '.join(quote(path) for path in paths)}], {options})"


def _empty(table: Table, extra: str = "") -> str:
    """Return a query with the table's columns, after those of ``extra``, and no rows."""
    # DuckDB could be asked for the types, but a connection takes longer than most queries.
    columns = ", ".join(
        f'CAST(NULL AS {SQL_TYPES[column.type]}) AS "{column.name}"' for column in table.columns
    )
    return f"SELECT {extra}{columns} WHERE false"


def _as_pattern(paths: list[Path]) -> list[Path]:
    """Return the files as one pattern if they are many and all of a folder, else as they are."""
    if len(paths) < _MANY:
        return paths
    folder = paths[0].parent
    plain = glob.escape(str(folder)) == str(folder)
    whole = plain and paths == sorted(folder.glob("[!.]*.parquet"))
    return [folder / "*.parquet"] if whole else paths


def over(table: Table, paths: Sequence[Path], extra: str = "", *, mixed: bool = False) -> str:
    """Return a query for the rows of some files of a table; without files it has no rows.

    Columns that were added after the files were written are NULL.

    Args:
        table: the table of the files.
        paths: the files.
        extra: SQL of more columns, which come first, with a comma behind each.
        mixed: whether only some of the files may have the later columns.
    """
    if not paths:
        return _empty(table, extra)
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    # `q2 erase` writes the rows that it keeps without retired columns, so the files may differ.
    rows = files(paths, mixed=mixed or bool(table.retired))
    if any(column.later for column in table.columns):
        rows = f"({_empty(table)} UNION ALL BY NAME FROM {rows})"
    return f"SELECT {extra}{columns} FROM {rows}"


def _small_table(
    connection: duckdb.DuckDBPyConnection, name: str, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Make a small table in a connection; its ``rows`` may have other columns, too."""
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
"""Small table → function that reads its rows from the store's JSON files."""


def _queries(index: StoreIndex, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and queries of the views of stored tables; stage tables only if wanted."""
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
    """Return a query for the rows of a stage in all versions that are shown."""
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
    """Make the views and small tables of a store in a connection.

    Args:
        connection: it has none of them yet.
        index: the index of the store.
        fields: SQL of the column ``fields`` in the view `outcomes`.
        sql: the query, if it is known. Then only the views that it needs are made, since DuckDB
            opens the files behind a view when the view is made.
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
    """Return a connection in memory with views of a store, which cannot read any other file.

    Every byte of the files behind the views is checked before; missing tables are reported in the
    log. No extension is loaded or fetched, and the settings are locked.

    Args:
        store: the store.
        sql: the query; only the views that it may read are made. None: all views.
        limits: limits of time, memory and disk.
        attached: name → a file of a person, which becomes a view of that name.
        inputs: fingerprints of logs; the views then have only these logs and the shards with their
            pairs, and damage to other files raises no error.

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
    """Return a sentence for each metric and profile with turns that only an older version scored.

    It gives their number, and the command that scores them anew.

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
