"""SQL over the store: views for analysts, opened read-only.

The stage views (``spans`` … ``scores``) have two columns more than the files: ``metric`` and
``profile``.
A profile that was scored with parameters other than the default stands there with them, as in
``compact+variant=multi``.
Of a profile that was scored by several versions of its models or stages they show the version that
a run last completed with.
"""

from __future__ import annotations

import glob
import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from qsquared.errors import UsageError
from qsquared.storage.columns import Table
from qsquared.storage.manifests import current_manifests
from qsquared.storage.schemas import PAIRS, REJECTS, STAGE_TABLES, TURNS
from qsquared.storage.store import Store

MEMORY_LIMIT = "2GB"
_EXPLAIN = re.compile(r"^\s*EXPLAIN\s*(\([^)]*\)\s*)?(ANALYZE\b)?", re.IGNORECASE)

EVIDENCE = """
CREATE VIEW evidence AS
SELECT s.metric, s.profile, s.pair_id, s.span_index, q.rank,
       s.text AS span, s.kind, s.label, q.question, r.reason AS roundtrip,
       r.response_answer, a.knowledge_answer, a.passage, a.knowledge_start, a.knowledge_end,
       c.token_f1, c.nli_label, c.score, c.verdict
FROM spans s
JOIN questions q USING (metric, profile, pair_id, span_index)
JOIN roundtrip r USING (metric, profile, pair_id, span_index, rank)
LEFT JOIN answers a USING (metric, profile, pair_id, span_index, rank)
LEFT JOIN comparisons c USING (metric, profile, pair_id, span_index, rank)
"""

EVIDENCE_MEANING = """
## evidence

One row for each generated question of the stage views together: metric, profile, pair, span,
question, decision of the round trip, both answers, token F1, NLI label, score and verdict.
A question that was not kept has NULL from `knowledge_answer` on.

## inputs

One row for each log file in the store: its content's fingerprint (`input`), path (`source`), turns,
rejects, `limit` (NULL: read whole) and time of reading.

## runs

One row for each run of `q2 score`, with its whole record as JSON in `summary`.
"""


def quote(text: str | Path) -> str:
    """A text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


def files(paths: Iterable[Path]) -> str:
    """Parquet files as an SQL table function."""
    return f"read_parquet([{', '.join(quote(path) for path in paths)}], filename = true)"


def _empty(table: Table, extra: str = "") -> str:
    """A relation with the table's columns and no rows."""
    with duckdb.connect() as connection:
        arrow = table.schema.empty_table()
        names = connection.from_arrow(arrow)
        columns = ", ".join(
            f'CAST(NULL AS {kind}) AS "{name}"'
            for name, kind in zip(names.columns, names.types, strict=True)
        )
    return f"SELECT {extra}{columns} WHERE false"


def _all_of(folder: Path, shards: set[str] | None = None) -> list[Path]:
    """The Parquet files of a folder, of the given shards only.

    They are one pattern unless some are left out or the folder's path would be a pattern itself.
    """
    every = sorted(folder.glob("[!.]*.parquet"))
    paths = [path for path in every if shards is None or path.stem in shards]
    plain = glob.escape(str(folder)) == str(folder) and len(paths) == len(every)
    return [folder / "*.parquet"] if paths and plain else paths


def _over(table: Table, paths: list[Path], extra: str = "") -> str:
    if not paths:
        return _empty(table, extra)
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    return f"SELECT {extra}{columns} FROM {files(paths)}"


def latest_configurations(store: Store) -> list[dict[str, Any]]:
    """For each metric and profile, the configuration that a run last completed with."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((store.root / "configurations").glob("*.json")):
        content = store.read_json(path)
        name = (content["metric"], content["profile"])
        if name not in found or content["last_used"] > found[name]["last_used"]:
            found[name] = content
    return [found[name] for name in sorted(found)]


def _input_views(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    current = current_manifests(store)
    connection.execute(
        "CREATE TABLE inputs (input TEXT, source TEXT, turns BIGINT, rejects BIGINT, "
        '"limit" BIGINT, ingested_at TIMESTAMPTZ)'
    )
    for manifest in current:
        for path in manifest.paths:
            connection.execute(
                "INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?)",
                [
                    manifest.fingerprint,
                    path,
                    manifest.turns,
                    manifest.rejects,
                    manifest.limit,
                    manifest.ingested_at,
                ],
            )
    for table, place in ((TURNS, store.turns_path), (REJECTS, store.rejects_path)):
        paths = [place(manifest.fingerprint) for manifest in current]
        connection.execute(
            f"CREATE VIEW {table.name} AS SELECT source, t.* "
            f"FROM ({_over(table, paths)}) t JOIN inputs USING (input)"
        )


def _stage_views(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    configurations = latest_configurations(store)
    # The stages of a shard whose pairs were damaged stay behind when its pairs go into another.
    shards = {path.stem for path in (store.root / "pairs").glob("[!.]*.parquet")}
    for table in STAGE_TABLES:
        parts = []
        for configuration in configurations:
            lineage = configuration["lineages"].get(table.name)
            folder = store.root / "stages" / table.name / str(lineage)
            paths = _all_of(folder, shards)
            if lineage and paths:
                extra = (
                    f"{quote(configuration['metric'])} AS metric, "
                    f"{quote(configuration['profile'])} AS profile, "
                )
                parts.append(_over(table, paths, extra))
        none = _empty(table, "CAST(NULL AS TEXT) AS metric, CAST(NULL AS TEXT) AS profile, ")
        connection.execute(f"CREATE VIEW {table.name} AS {' UNION ALL '.join(parts) or none}")
    connection.execute(EVIDENCE)


def _run_table(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    connection.execute(
        "CREATE TABLE runs (run_id TEXT, started_at TIMESTAMPTZ, profile TEXT, metric TEXT, "
        "status TEXT, turns BIGINT, mean_q2 DOUBLE, seconds DOUBLE, summary JSON)"
    )
    for path in sorted((store.root / "runs").glob("*.json")):
        run = store.read_json(path)
        summary = path.read_text(encoding="utf-8")
        connection.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                run["run_id"],
                run["started_at"],
                run["profile"],
                run["metric"],
                run["status"],
                run.get("turns"),
                run.get("mean_q2"),
                run.get("seconds"),
                summary,
            ],
        )


def connect(store: Store) -> duckdb.DuckDBPyConnection:
    """A connection in memory with the views, which can read the store and nothing else.

    No extension is loaded or fetched, no file outside the store opened, and the settings are locked.
    """
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    _input_views(connection, store)
    shards = _all_of(store.root / "pairs")
    shard = "parse_filename(filename, true) AS shard, "
    none = "CAST(NULL AS TEXT) AS shard, "
    connection.execute(f"CREATE VIEW pairs AS {_over(PAIRS, shards, shard if shards else none)}")
    _stage_views(connection, store)
    _run_table(connection, store)
    connection.execute(f"SET allowed_directories = [{quote(store.root.absolute())}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _refuse_writing(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> None:
    kind = statement.type.name
    if kind == "EXPLAIN":
        # EXPLAIN ANALYZE runs what it explains.
        for inner in connection.extract_statements(_EXPLAIN.sub("", statement.query)):
            _refuse_writing(connection, inner)
    elif kind != "SELECT":
        raise UsageError(
            f"The store is opened read-only, so {kind.replace('_', ' ')} is refused.",
            "Use SELECT, DESCRIBE, SHOW or EXPLAIN.",
        )


# What no data frame, or neither CSV nor JSON, can hold.
_AS_TEXT = {"interval", "blob", "bit"}


def _frame(found: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    """The result as a frame; a column whose name comes again gets a number."""
    names: list[str] = []
    for name in found.columns:
        free = (f"{name}_{n}" if n else name for n in itertools.count())
        names.append(next(other for other in free if other not in names))
    columns = []
    for i, (name, kind) in enumerate(zip(names, found.types, strict=True), start=1):
        value = f"CAST(#{i} AS TEXT)" if kind.id in _AS_TEXT else f"#{i}"
        quoted = name.replace('"', '""')
        columns.append(f'{value} AS "{quoted}"')
    frame = pl.from_arrow(found.project(", ".join(columns)).to_arrow_table())
    assert isinstance(frame, pl.DataFrame)
    return frame


def query(connection: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """Run statements that only read; the result of the last one.

    Raises:
        UsageError: the SQL is wrong, or a statement is not SELECT, DESCRIBE, SHOW or EXPLAIN.
    """
    try:
        statements = connection.extract_statements(sql)
        for statement in statements:
            _refuse_writing(connection, statement)
        if not statements:
            raise UsageError(
                "There is no statement in the query.", 'For instance: q2 sql "FROM scores"'
            )
        for statement in statements[:-1]:
            connection.execute(statement).fetchall()
        return _frame(connection.sql(statements[-1].query))
    except duckdb.Error as error:
        raise UsageError(
            f"DuckDB refused the query: {error}",
            'The views and their columns: q2 sql "SHOW TABLES", q2 sql "DESCRIBE scores"',
        ) from error
