"""Figures of a report, each from one query over its turns.

The SQL of the rates is in ``storage/sql/rates.py``, their intervals in ``method/intervals.py``.
"""

from dataclasses import dataclass

import duckdb

from qsquared.method.threshold import inconsistent_sql
from qsquared.report.scope import Scope
from qsquared.storage.logs.fields.passages import SOURCES
from qsquared.storage.outputs.explanations import Record, records
from qsquared.storage.sql.phrases import TITLES, first_of, grouped_by_field
from qsquared.storage.sql.rates import rates

VALUES_SHOWN = 25
FIELDS_SHOWN = 30
REJECTS_SHOWN = 25
DAYS_SHOWN = 400
ARTICLE = "article"
"""The group of the turns that were given a passage of a title."""

_SAME = 1e-6
"""Scores that differ by less are the same: a model's last digits depend on a reply's neighbours."""

_COUNTED = "pair_id, conversation_id, q2, score, contradicted, status"
_OWN_FIELDS = f"""
  UNION ALL SELECT {_COUNTED}, 'log file', parse_filename(source) FROM current
  UNION ALL SELECT {_COUNTED}, 'turn in the conversation', turn::TEXT
  FROM current WHERE turn IS NOT NULL
"""
# A turn that was given two passages of an article counts once for it; of several passages those count
# that answered a question, since what was only retrieved shares no blame. A field of the log that has
# the name and is no list names no article.
_ARTICLES = f"""
  UNION ALL SELECT DISTINCT ON (input, "position", value) {_COUNTED},
    '{ARTICLE}', {first_of(TITLES)} AS value
  FROM (
    SELECT {_COUNTED}, input, "position", len(sources) = 1 AS only_one,
           unnest(sources) AS source, generate_subscripts(sources, 1) - 1 AS passage
    FROM (SELECT *, json_extract(metadata, '$.{SOURCES}[*]') AS sources FROM current
          WHERE contains(metadata, '"{SOURCES}"'))
  ) WHERE value IS NOT NULL AND (only_one OR (pair_id, passage) IN (FROM answered))
"""
GROUPED = f"(FROM {grouped_by_field('current', _COUNTED)}{_OWN_FIELDS}{_ARTICLES})"
"""The turns of `current`, once for each field of theirs with its value, as SQL."""


def overall(connection: duckdb.DuckDBPyConnection, table: str, threshold: float) -> Record:
    """Return the rate of inconsistent turns of a table, and the numbers of pairs and of outdated scores."""
    # What turns of another profile or store claim nothing is not broken down.
    (row,) = records(connection, rates(table, (), threshold, kinds=table == "current"))
    (more,) = records(
        connection,
        "SELECT count(DISTINCT pair_id) AS pairs, count(*) FILTER (WHERE outdated) AS outdated "
        f"FROM {table}",
    )
    return row | more


def by_day(connection: duckdb.DuckDBPyConnection, threshold: float) -> list[Record]:
    """Return the rates of each day, oldest first; the latest 400 days at most."""
    days = rates("(FROM current WHERE day IS NOT NULL)", ("day",), threshold, outdated=True)
    return records(
        connection, f"FROM (FROM ({days}) ORDER BY day DESC LIMIT {DAYS_SHOWN}) ORDER BY day"
    )


def by_field(connection: duckdb.DuckDBPyConnection, threshold: float) -> list[Record]:
    """Return each field of the log with the rates of its values, the largest contribution first.

    A field in which (nearly) each turn has a value of its own groups nothing and is only named.
    """
    groups = rates(GROUPED, ("field", "value"), threshold)
    return records(
        connection,
        f"""
WITH ranked AS (
  SELECT *, inconsistent / nullif(sum(inconsistent) OVER field, 0) AS contribution,
         inconsistent - scored * sum(inconsistent) OVER field / nullif(sum(scored) OVER field, 0)
           AS excess,
         count(*) OVER field AS "distinct", CAST(sum(turns) OVER field AS BIGINT) AS field_turns,
         row_number() OVER (PARTITION BY field ORDER BY inconsistent DESC, scored, value) AS place
  FROM ({groups}) WINDOW field AS (PARTITION BY field)
)
SELECT field AS name, "distinct", field_turns AS turns, list(ranked ORDER BY place) AS rows,
       "distinct" > 1 AND "distinct" <= greatest({VALUES_SHOWN}, field_turns // 2) AS groups
FROM ranked WHERE place <= {VALUES_SHOWN} GROUP BY field, "distinct", field_turns
ORDER BY groups DESC, "distinct" > {VALUES_SHOWN},
         sum(greatest(coalesce(excess, 0), 0) ORDER BY place) DESC, name
LIMIT {FIELDS_SHOWN}""",
    )


def statuses(connection: duckdb.DuckDBPyConnection) -> list[Record]:
    """Count the turns by status, the most frequent first, with the most frequent reason of each."""
    return records(
        connection,
        "SELECT status, count(*) AS turns, mode(reason) AS reason FROM current "
        "GROUP BY status ORDER BY turns DESC, status",
    )


def rejects(connection: duckdb.DuckDBPyConnection, scope: Scope) -> Record:
    """Return the number of rows that could not be read, and the first of them."""
    where = "true" if scope.inputs is None else "list_contains(?, input)"
    values = [] if scope.inputs is None else [list(scope.inputs)]
    (total,) = records(connection, f"SELECT count(*) AS rows FROM rejects WHERE {where}", *values)
    first = records(
        connection,
        "SELECT parse_filename(source) AS log, line, reason FROM rejects "
        f"WHERE {where} ORDER BY source, line LIMIT {REJECTS_SHOWN}",
        *values,
    )
    return {"rows": total["rows"], "first": first}


def costs(connection: duckdb.DuckDBPyConnection) -> list[Record]:
    """Return the requests, tokens and price of each server's model over all runs of the store."""
    return records(
        connection,
        "SELECT model, sum(requests) AS requests, sum(input_tokens + output_tokens) AS tokens, "
        "sum(cost) AS cost, currency FROM costs GROUP BY model, currency ORDER BY ALL",
    )


def changes(connection: duckdb.DuckDBPyConnection, threshold: float) -> Record:
    """Compare with the table `base`: turns of the same id, groups of both, and new groups.

    An id that occurs twice on a side is in neither of the matched turns.
    """
    now, before = inconsistent_sql("a.score", threshold), inconsistent_sql("b.score", threshold)
    (matched,) = records(
        connection,
        f"""
WITH a AS (SELECT id, any_value(score) AS score FROM current GROUP BY id HAVING count(*) = 1),
     b AS (SELECT id, any_value(score) AS score FROM base GROUP BY id HAVING count(*) = 1)
SELECT count(*) AS turns,
       count(*) FILTER (WHERE {now} AND NOT {before}) AS worse,
       count(*) FILTER (WHERE NOT {now} AND {before}) AS better,
       count(*) FILTER (WHERE abs(a.score - b.score) < {_SAME} AND {now} = {before}) AS equal,
       avg(a.score - b.score) AS mean_change
FROM a JOIN b USING (id) WHERE a.score IS NOT NULL AND b.score IS NOT NULL""",
    )
    sides = [
        rates(grouped_by_field(table, _COUNTED), ("field", "value"), threshold)
        for table in ("current", "base")
    ]
    groups = records(
        connection,
        f"""
SELECT field, value, a.scored, a.rate, b.scored AS base_scored, b.rate AS base_rate,
       a.rate - b.rate AS change
FROM ({sides[0]}) a LEFT JOIN ({sides[1]}) b USING (field, value)
WHERE a.scored >= 10 AND (
  b.turns IS NULL AND field IN (SELECT field FROM ({sides[1]}))
  OR b.scored >= 10
    AND (a.rate_low > b.rate_high OR a.rate_high < b.rate_low OR abs(a.rate - b.rate) >= 0.1)
)
ORDER BY abs(change) DESC NULLS LAST, a.inconsistent DESC, field, value LIMIT {VALUES_SHOWN}""",
    )
    return matched | {"groups": groups}


def wrong_pairs(connection: duckdb.DuckDBPyConnection, threshold: float) -> int:
    """Return the number of distinct inconsistent replies."""
    wrong = inconsistent_sql("score", threshold)
    (row,) = records(
        connection, f"SELECT count(DISTINCT pair_id) AS pairs FROM current WHERE {wrong}"
    )
    return int(row["pairs"])


@dataclass(frozen=True, slots=True)
class Lead:
    """The score that a report judges turns by, as a title, and why it is not support."""

    score: str
    reason: str = ""


def scores_led_by(connection: duckdb.DuckDBPyConnection, *, with_base: bool) -> Lead:
    """Judge all turns of `current` (and `base`) by one score: support, or Q² if one of them has no support.

    Scores of an older version and those of replies read as logged have none.
    """
    tables = ("current", "base") if with_base else ("current",)
    turns = " UNION ALL ".join(f"SELECT q2, support FROM {table}" for table in tables)
    (row,) = records(
        connection,
        f"SELECT count(*) AS lacking FROM ({turns}) WHERE q2 IS NOT NULL AND support IS NULL",
    )
    if not row["lacking"]:
        return Lead("support")
    for table in tables:
        lead_by_q2(connection, table)
    return Lead(
        "Q²",
        f"{row['lacking']:,} of the turns have no support, scored as published or by an older version",
    )


def lead_by_q2(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Judge the turns of a table by Q²."""
    connection.execute(f"UPDATE {table} SET score = q2")
