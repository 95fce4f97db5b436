"""Shares of the kinds of replies in a report, by BEGIN's classifier.

A generic or off-topic reply that names nothing which can be wrong makes no claim on the matter, so its
low Q² is no untruth: beside the rate over all replies the report gives that without such replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qsquared.method.begin.taxonomy import LABELS
from qsquared.method.threshold import inconsistent_sql
from qsquared.report.facts import VALUES_SHOWN
from qsquared.storage.outputs.explanations import Record, records
from qsquared.storage.sql.views.rates import shares

if TYPE_CHECKING:
    import duckdb

    from qsquared.report.scope import Scope

_DAYS_SHOWN = 60
_KINDS = """
CREATE OR REPLACE TEMP VIEW kinds AS
SELECT c.pair_id, c.day, c.metadata, c.q2, c.score, r.label, r.chit_chat,
       CASE WHEN NOT r.chit_chat THEN c.q2 END AS factual_q2,
       CASE WHEN NOT r.chit_chat THEN c.score END AS factual_score
FROM current c JOIN replies r USING (input, position)
WHERE r.profile = '{profile}'
"""
_GROUPS = """(
  SELECT k.*, j."key" AS field, j.value ->> '$' AS value FROM kinds k, json_each(k.metadata) j
  WHERE j.type NOT IN ('OBJECT', 'ARRAY', 'NULL')
)"""


def kinds(
    connection: duckdb.DuckDBPyConnection, scope: Scope, threshold: float
) -> dict[str, Any] | None:
    """Return the shares of the classes, overall, by day and by group; None if nothing is classified."""
    profile = scope.profile.partition("+")[0].replace("'", "''")
    connection.execute(_KINDS.format(profile=profile))
    (total,) = records(
        connection,
        f"""
SELECT count(label) AS turns, count(*) FILTER (WHERE chit_chat) AS chit_chat,
       count(q2) AS scored,
       count(*) FILTER (WHERE {inconsistent_sql("score", threshold)}) AS inconsistent,
       count(factual_q2) AS factual,
       count(*) FILTER (WHERE {inconsistent_sql("factual_score", threshold)}) AS factual_inconsistent,
       avg(q2) AS mean_q2, avg(factual_q2) AS mean_factual_q2
FROM kinds WHERE label IS NOT NULL""",
    )
    if not total["turns"]:
        return None
    counted = {
        row["label"]: row
        for row in records(
            connection,
            "SELECT label, count(*) AS turns, avg(q2) AS mean_q2 FROM kinds "
            "WHERE label IS NOT NULL GROUP BY label",
        )
    }
    none: Record = {"turns": 0, "mean_q2": None}
    days = shares("(FROM kinds WHERE day IS NOT NULL)", ("day",))
    groups = shares(_GROUPS, ("field", "value"))
    return {
        "total": total,
        "profile": profile,
        "labels": [{"label": label, **(counted.get(label, none))} for label in LABELS],
        "days": records(
            connection, f"FROM (FROM ({days}) ORDER BY day DESC LIMIT {_DAYS_SHOWN}) ORDER BY day"
        ),
        "groups": records(
            connection,
            f"""
SELECT * EXCLUDE (distinct_values) FROM (
  SELECT *, count(*) OVER (PARTITION BY field) AS distinct_values FROM ({groups})
) WHERE distinct_values BETWEEN 2 AND {VALUES_SHOWN} ORDER BY field, turns DESC, value""",
        ),
    }
