"""All views and small tables of `q2 sql`, and the tables of the store that each view reads.

They are as stable as the tables: a column is added, but none is renamed or dropped within a schema
version.
"""

from qsquared.storage.sql.views.begin import CLASSES_BY_GROUP, CLASSES_DAILY, REPLIES
from qsquared.storage.sql.views.knowledge import PASSAGES
from qsquared.storage.sql.views.measures import CALIBRATED, MEASURES
from qsquared.storage.sql.views.q2 import (
    BY_GROUP,
    DAILY,
    EVIDENCE,
    HALLUCINATED_SPANS,
    OUTCOMES,
    SCORED_SENTENCES,
)
from qsquared.storage.sql.views.view import DAY, View
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import TABLES

_BEFORE = "the question was not scored then"

NIGHTS = View(
    "nights",
    f"""
SELECT metric, profile, question, day, turns, scored, inconsistent, mean_q2,
       lag(day) OVER asked AS day_before, lag(inconsistent) OVER asked AS inconsistent_before,
       lag(mean_q2) OVER asked AS mean_q2_before,
       mean_q2 - lag(mean_q2) OVER asked AS change, lowest.response AS response,
       lag(lowest.response) OVER asked AS response_before, lowest.id AS id,
       lag(lowest.id) OVER asked AS id_before
FROM (
  SELECT metric, profile, lower(trim(question)) AS text, min(question) AS question, {DAY} AS day,
         count(*) AS turns, count(q2) AS scored, count(*) FILTER (WHERE inconsistent) AS inconsistent,
         avg(q2) AS mean_q2,
         min_by(struct_pack(response := response, id := id), (coalesce(q2, 2), id)) AS lowest
  FROM outcomes WHERE question IS NOT NULL AND timestamp IS NOT NULL
  GROUP BY metric, profile, text, day
)
WINDOW asked AS (PARTITION BY metric, profile, text ORDER BY day)
QUALIFY day_before IS NOT NULL
""",
)

ANSWERS_OF = View(
    "answers_of",
    """
SELECT e.metric, e.profile, t.id, t.source, t.timestamp, t.pair_id, e.span, e.question,
       e.response_answer, e.knowledge_answer, e.passage, t.knowledge[e.passage + 1] AS passage_text,
       e.verdict, e.score, e.decided_by, t.response
FROM turns t JOIN evidence e USING (pair_id)
WHERE e.roundtrip = 'kept'
""",
)


COSTS = View(
    "costs",
    """
SELECT CAST(make_timestamp(epoch_us(answered_at)) AS DATE) AS day, stage, model, count(*) AS requests,
       count(*) FILTER (WHERE NOT sound) AS refused, CAST(sum(input_tokens) AS BIGINT) AS input_tokens,
       CAST(sum(output_tokens) AS BIGINT) AS output_tokens, sum(cost) AS cost, currency
FROM requests GROUP BY ALL
""",
)


SMALL_TABLES = tuple(map(View, ("inputs", "runs", "configurations", "calibrations", "requests")))
VIEWS = (
    EVIDENCE,
    OUTCOMES,
    HALLUCINATED_SPANS,
    SCORED_SENTENCES,
    DAILY,
    BY_GROUP,
    MEASURES,
    REPLIES,
    CLASSES_DAILY,
    CLASSES_BY_GROUP,
    CALIBRATED,
    PASSAGES,
    NIGHTS,
    ANSWERS_OF,
    COSTS,
)
"""In an order in which each comes after those that it reads."""

DESCRIBED: tuple[Table | View, ...] = (*TABLES, *SMALL_TABLES, *VIEWS)
"""Everything that a query may ask, with the meaning of its columns."""


def _tables_read() -> dict[str, set[str]]:
    """Return the tables of the store behind each table and view."""
    found = {table.name: {table.name} for table in TABLES}
    for view in VIEWS:
        found[view.name] = {table for name in view.reads if name in found for table in found[name]}
    return found


_TABLES_READ = _tables_read()
# With these a query reads files, or views, that it does not spell out.
_READS_ANYTHING = ("query", "parquet", "read_", "glob")


def tables_read_by(sql: str) -> set[str]:
    """The names of the store's tables that a query may read, rather too many than too few."""
    text = sql.lower()
    anything = any(word in text for word in _READS_ANYTHING)
    return {
        table
        for name, tables in _TABLES_READ.items()
        if anything or name in text
        for table in tables
    }
