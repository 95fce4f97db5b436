"""Results of a run: the scores of its turns, the summary, the export."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb

from qsquared.errors import UsageError
from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.connection import in_little_memory, open_connection, quote
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.explanations import records
from qsquared.storage.outputs.selected_turns import Selection
from qsquared.storage.outputs.spreadsheets import guarded_column
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.records.runs import note_written
from qsquared.storage.sql.phrases import reason_of, status_of
from qsquared.storage.sql.views import over
from qsquared.storage.store import Store
from qsquared.storage.tables import BEGIN, MEASURED, PAIR, SCORES, Table, unit_of, units_of

CONFIDENCE = 0.95
_BATCH = 2048

EXPORTS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER true",
    ".jsonl": "FORMAT json",
}


def check_form(out: Path) -> None:
    """Refuse a file whose ending names no form.

    Raises:
        UsageError: it does not.
    """
    if out.suffix.lower() not in EXPORTS:
        raise UsageError(f"--out {out} names no form.", f"End it with {', '.join(EXPORTS)}.")


_LOGGED = ("id", "conversation_id", "reason", "response")
"""Texts of an export that a log, or whoever writes into one, decides."""


def check_results(store: Store, selection: Selection, tables: Iterable[Path]) -> None:
    """Check the tables that the results are taken from; a long run checked them hours ago.

    Raises:
        DamagedFile: a table was damaged meanwhile.
    """
    checks = Checks(store)
    checks.tables(store.table_path("turns", name) for name in dict.fromkeys(selection.inputs))
    checks.tables(tables)


Measured = Mapping[str, Sequence[Path]]
"""Name of a measured stage → its files that a run is about."""

_PLACE = "(ordinal::BIGINT << 40) + position"
"""The place of a turn in all inputs as one number; no log has 2⁴⁰ rows."""
_TURN = "t.ordinal, t.position, t.line, t.id, t.conversation_id, t.turn, t.timestamp"
_Q2 = (
    "coalesce(m0.questions, 0) AS questions, m0.spans, m0.questions_generated, m0.no_answer, "
    "m0.contradicted, m0.nli_label"
)


def _scored(store: Store, selection: Selection, measured: Measured) -> str:
    """The turns with the values of all metrics; status and reason are a turn's own, else those of the first.

    Where Q² is among the metrics it is the first, and its counts come along.
    """
    tables = _tables(measured)
    leading, counts, further = [], [], []
    for number, table in enumerate(tables):
        if table is SCORES:
            inconsistent = inconsistent_sql("coalesce(m0.support, m0.q2)")
            leading = [*_values(table, "m0"), f"{inconsistent} AS inconsistent"]
            counts = [_Q2]
        else:
            further += _values(table, f"m{number}")
            further += [f"m{number}.label AS begin_class"] * (table is BEGIN)
    logged = "t.response, t.metadata, t.pair_id, t.input"
    columns = [_TURN, *leading, *_verdict(tables), *counts, logged, *further]
    # An id that takes a hash of texts only if a metric is joined by it.
    ids = [f", {unit.of_turn} AS {unit.key}" for unit in units_of(tables) if unit is not PAIR]
    turns = f"SELECT *{''.join(ids)} FROM ({selection.sql(store)})"
    return f"SELECT {', '.join(columns)} FROM ({turns}) t {_joins(measured)}"


def _counted(
    connection: duckdb.DuckDBPyConnection, store: Store, selection: Selection, measured: Measured
) -> str:
    """Equal turns as one row with their number ``n`` and the first `_PLACE`, and the values of all metrics."""
    tables = _tables(measured)
    values = [f'm{n}."{name}"' for n, table in enumerate(tables) for name in table.measures]
    values += ["coalesce(m0.questions, 0) AS questions", "m0.contradicted"] * (SCORES in tables)
    # Turns wait on disk until they meet their scores, and ids are held as UUIDs: else both would fill memory.
    ids = {PAIR.key: PAIR.of_turn} | {unit.key: unit.of_turn for unit in units_of(tables)}
    keys = ", ".join(f"{of_turn}::uuid AS {key}" for key, of_turn in ids.items())
    connection.execute(
        f"CREATE TEMP TABLE counted AS SELECT status, reason, {keys}, count(*) AS n, "
        f"min({_PLACE}) AS place FROM ({selection.sql(store)}) GROUP BY ALL"
    )
    # 64 bits of a hash of each id tell a million apart but once in thirty million such runs.
    return (
        f"SELECT n, place, {', '.join(_verdict(tables))}, {', '.join(values)}, "
        "CASE WHEN t.pair_id IS NOT NULL THEN hash(t.pair_id) END AS pair_id "
        f"FROM counted t {_joins(measured, '::uuid')}"
    )


def _verdict(tables: Sequence[Table]) -> list[str]:
    """The status and reason of a turn: its own, else those of the first metric, if it has a row of it."""
    status = f"CASE WHEN m0.pair_id IS NOT NULL THEN {status_of(tables[0], 'm0')} END"
    return [
        f"coalesce(t.status, {status}, 'pending') AS status",
        f"coalesce(t.reason, {reason_of(tables[0], 'm0')}) AS reason",
    ]


def _tables(measured: Measured) -> list[Table]:
    return [table for table in MEASURED if table.name in measured]


def _values(table: Table, alias: str) -> list[str]:
    return [f'{alias}."{name}"' for name in table.measures]


def _joins(measured: Measured, cast: str = "") -> str:
    """The tables of the metrics, m0, m1 and so on, joined to the turns ``t``; ``cast`` is the type of its ids."""
    return " ".join(
        f"LEFT JOIN ({over(table, measured[table.name])}) m{number} "
        f"ON t.{unit_of(table).key} = m{number}.{unit_of(table).key}{cast}"
        for number, table in enumerate(_tables(measured))
    )


def _interval(mean: float | None, error: float | None, replies: int) -> list[float] | None:
    """Student's t interval of a mean with its standard error; None for fewer than two replies."""
    if mean is None or error is None or replies < 2:
        return None
    from scipy.special import stdtrit  # scipy's stats take a second to import

    half = float(stdtrit(replies - 1, (1 + CONFIDENCE) / 2)) * error
    return [mean - half, mean + half]


def summarise(store: Store, selection: Selection, measured: Measured) -> dict[str, Any]:
    """Counts by status and reason, and the mean of each measure with its 95 % interval.

    The mean is over all scored turns (fallback included), so a reply that was given often counts
    often; the interval is about what the bot would say, and turns of one pair are one observation.
    Status and reason are a turn's own, as of an empty response, else those of Q² where it was run, else
    those of the first metric.
    """
    return in_little_memory(
        store.root, lambda connection: _summary(connection, store, selection, measured)
    )


def _summary(
    connection: duckdb.DuckDBPyConnection, store: Store, selection: Selection, measured: Measured
) -> dict[str, Any]:
    tables = _tables(measured)
    names = [name for table in tables for name in table.measures]
    of_questions = "questions" if SCORES in tables else "0"
    connection.execute(f"CREATE TEMP TABLE t AS {_counted(connection, store, selection, measured)}")
    statuses = connection.execute(
        "SELECT status, sum(n) FROM t GROUP BY ALL ORDER BY 2 DESC, 1"
    ).fetchall()
    reasons = connection.execute(
        f'SELECT status, reason, sum(n) FROM t WHERE "{names[0]}" IS NULL '
        "GROUP BY ALL ORDER BY 3 DESC, 2"
    ).fetchall()
    ((turns, pairs, questions),) = connection.execute(
        "SELECT coalesce(sum(n), 0), count(DISTINCT pair_id), "
        f"coalesce(sum(n * {of_questions}), 0) FROM t"
    ).fetchall()
    measures = {
        name: _mean(connection, name) | {"table": table.name}
        for table in tables
        for name in table.measures
    }
    of_q2 = measures.get("q2", {})
    return {
        "turns": turns,
        "pairs": pairs,
        "scored_turns": measures[names[0]]["turns"],
        "questions": questions,
        "statuses": {str(status): int(number) for status, number in statuses},
        "unscored": [
            {"status": status, "reason": reason, "turns": int(number)}
            for status, reason, number in reasons
        ],
        "measures": measures,
        "mean_q2": of_q2.get("mean"),
        "mean_q2_interval": of_q2.get("interval"),
        "mean_q2_without_nli": measures.get("q2_without_nli", {}).get("mean"),
    }


def _mean(connection: duckdb.DuckDBPyConnection, name: str) -> dict[str, Any]:
    """Mean, interval and number of the scored turns of a measure; from 0 to 1 if its values are."""
    connection.execute(
        f'CREATE OR REPLACE TEMP TABLE v AS SELECT pair_id, "{name}" AS x, sum(n)::BIGINT AS n FROM t '
        f'WHERE "{name}" IS NOT NULL GROUP BY ALL'
    )
    ((turns, within),) = connection.execute(
        "SELECT coalesce(sum(n), 0)::BIGINT, coalesce(min(x) >= 0 AND max(x) <= 1, true) FROM v"
    ).fetchall()
    if not turns:
        return {"turns": 0, "mean": None, "interval": None}
    mean = _sum_in_order(connection, "SELECT n * x FROM v ORDER BY x, n") / turns
    # Few pairs have several values, and only theirs have to be kept to be summed in order.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE c AS SELECT pair_id, sum(n * (x - $mean)) AS excess "
        "FROM v GROUP BY pair_id HAVING count(*) = 1 "
        "UNION ALL SELECT pair_id, sum(n * (x - $mean) ORDER BY x, n) FROM v "
        "SEMI JOIN (SELECT pair_id FROM v GROUP BY pair_id HAVING count(*) > 1) USING (pair_id) GROUP BY pair_id",
        {"mean": mean},
    )
    ((replies,),) = connection.execute("SELECT count(pair_id) FROM c").fetchall()
    squares = _sum_in_order(connection, "SELECT excess * excess FROM c ORDER BY excess")
    error = sqrt(squares * replies / (replies - 1)) / turns if replies > 1 else None
    interval = _interval(mean, error, replies)
    if interval is not None and within:
        interval = [max(0.0, interval[0]), min(1.0, interval[1])]
    return {"turns": turns, "mean": mean, "interval": interval}


def _sum_in_order(connection: duckdb.DuckDBPyConnection, sql: str) -> float:
    """Sum the floats of a query one by one, since their order decides the last digits.

    DuckDB would sum in an order, too, but sort in memory.
    """
    total, cursor = 0.0, connection.execute(sql)
    while rows := cursor.fetchmany(_BATCH):
        for (value,) in rows:
            total += value
    return total


def lowest(
    store: Store, selection: Selection, measured: Measured, number: int
) -> list[dict[str, Any]]:
    """The inconsistent replies with the lowest leading score, one for each pair, each with its id.

    Those that the knowledge contradicts come first, then those of which it says nothing, as it does
    of chit-chat; a score without a question is no verdict on words, and left out.
    """
    if SCORES.name not in measured:
        return []

    def find(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
        counted = _counted(connection, store, selection, measured)
        connection.execute(
            "CREATE TEMP TABLE low AS SELECT pair_id, coalesce(support, q2) AS score, contradicted, place "
            f"FROM ({counted}) WHERE status = 'scored' AND {inconsistent_sql('score')}"
        )
        # First which they are, and then their texts: those of all turns would fill memory.
        sql = (
            "WITH lowest AS (SELECT score, contradicted > 0 AS against, min(place) AS place FROM low "
            "GROUP BY pair_id, score, contradicted "
            f"ORDER BY against DESC, score, place LIMIT {int(number)}) "
            f"SELECT id, score, response FROM ({selection.sql(store)}) JOIN lowest ON place = {_PLACE} "
            "ORDER BY against DESC, score, place"
        )
        return records(connection, sql)

    return in_little_memory(store.root, find)


def export(store: Store, selection: Selection, measured: Measured, out: Path) -> int:
    """Write one row for each selected turn, in the order of the logs; gives the number of rows.

    The extension of ``out`` is one of `EXPORTS`.
    In a CSV, a text that a spreadsheet would run as a formula has a single quote before it.

    Raises:
        UsageError: it cannot be written.
    """
    form = out.suffix.lower()
    safe = ", ".join(f'{guarded_column(name)} AS "{name}"' for name in _LOGGED)
    guard = f"REPLACE ({safe})" if form == ".csv" else ""
    with (
        written_whole(out, errors=(OSError, duckdb.IOException)) as temporary,
        open_connection(store.root) as connection,
    ):
        ((rows,),) = connection.execute(
            f"COPY (SELECT * EXCLUDE (ordinal, position, input) {guard} FROM "
            f"({_scored(store, selection, measured)}) ORDER BY ordinal, position) "
            f"TO {quote(temporary)} ({EXPORTS[form]})"
        ).fetchall()
    note_written(store, out)
    return int(rows)
