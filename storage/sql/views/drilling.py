"""Views that go from a night to its questions, and from a turn's id to the answers behind its score."""

from qsquared.storage.sql.views.view import DAY, PAIR_ID, PROFILE, View

_BEFORE = "the question was not scored then"

NIGHTS = View(
    "nights",
    "One row for each question of a user and each day (UTC) on which it was asked again: its Q² beside "
    "that of the day on which it was asked before. Questions are the same if their texts are, but for "
    "capitals and blanks at the ends.",
    (
        *PROFILE,
        ("question", "The turn before the reply.", ""),
        ("day", "The day in UTC.", ""),
        ("turns", "Turns of that day that answer the question.", ""),
        ("scored", "Of these, turns with a Q².", ""),
        ("inconsistent", "Of these, turns with a Q² of 0.5 or below.", ""),
        ("mean_q2", "Mean Q² over them, 0 to 1.", "none has a score"),
        ("day_before", "The latest day before on which the same question was asked.", ""),
        ("inconsistent_before", "Inconsistent turns of that day.", ""),
        ("mean_q2_before", "Mean Q² of that day.", _BEFORE),
        ("change", "`mean_q2` less `mean_q2_before`.", "one of them is unknown"),
        ("response", "The day's reply with the lowest Q².", ""),
        ("response_before", "The reply with the lowest Q² of the day before.", ""),
        ("id", "Id of the turn that gave the reply.", ""),
        ("id_before", "Id of the turn that gave the reply before.", ""),
    ),
    ("turns", "scores"),
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
    "One row for each valid question about the reply of each turn: the answers behind the score of an id, "
    "as in `FROM answers_of WHERE id = '1116-024'`.",
    (
        *PROFILE,
        ("id", "Id of the turn.", ""),
        ("source", "Path of the log.", ""),
        ("timestamp", "When the reply was given.", "the log has none"),
        PAIR_ID,
        ("span", "The span of the reply that is asked for.", ""),
        ("question", "The generated question.", ""),
        ("response_answer", "The answer on the reply.", "no answer"),
        ("knowledge_answer", "The answer on the knowledge.", "no answer"),
        ("passage", "Index of the passage that holds it, from 0.", "no answer"),
        ("passage_text", "That passage.", "no answer"),
        ("verdict", "`supported`, `contradicted`, `no_answer` or `partial`.", "a model failed"),
        ("score", "The question's Q² score, 0 to 1.", "a model failed"),
        (
            "decided_by",
            "What decided the verdict: `values`, `tokens`, `nli`, `no_answer` or `sentence`.",
            "it was written before there was the column",
        ),
        ("response", "The reply.", ""),
    ),
    ("turns", "spans", "questions", "roundtrip", "answers", "comparisons"),
    """
SELECT e.metric, e.profile, t.id, t.source, t.timestamp, t.pair_id, e.span, e.question,
       e.response_answer, e.knowledge_answer, e.passage, t.knowledge[e.passage + 1] AS passage_text,
       e.verdict, e.score, e.decided_by, t.response
FROM turns t JOIN evidence e USING (pair_id)
WHERE e.roundtrip = 'kept'
""",
)
