"""Views that go from a night to its questions, and from a turn's id to the answers behind its score."""

from qsquared.storage.sql.views.view import DAY, View

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
