"""Views of Q²: evidence, outcomes of turns, hallucinated spans, and rates by day and by group."""

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.sql.fields import NO_FIELDS
from qsquared.storage.sql.views.rates import rates
from qsquared.storage.sql.views.view import DAY, LEADING, View

EVIDENCE = View(
    "evidence",
    """
SELECT s.metric, s.profile, s.pair_id, s.span_index, q.rank,
       s.text AS span, s.kind, s.label, q.question, r.reason AS roundtrip,
       r.response_answer, a.knowledge_answer, a.passage, a.knowledge_start, a.knowledge_end,
       c.token_f1, c.nli_label, c.score, c.verdict, s.start AS span_start, s."end" AS span_end,
       c.decided_by, c.value_relation, c.in_knowledge
FROM spans s
JOIN questions q USING (metric, profile, pair_id, span_index)
JOIN roundtrip r USING (metric, profile, pair_id, span_index, rank)
LEFT JOIN answers a USING (metric, profile, pair_id, span_index, rank)
LEFT JOIN comparisons c USING (metric, profile, pair_id, span_index, rank)
""",
)

OUTCOMES = View(
    "outcomes",
    f"""
SELECT c.metric, c.profile, t.source, t.input, t.position, t.id, t.conversation_id, t.turn,
       t.timestamp, t.pair_id, coalesce(t.status, s.status, 'pending') AS status,
       coalesce(t.reason, s.reason) AS reason, s.q2, s.q2_without_nli, s.support,
       {LEADING} AS score, s.questions, s.no_answer, s.contradicted,
       {inconsistent_sql(LEADING)} AS inconsistent, t.response, t.metadata,
       s.reply_kind, s.worst_sentence, s.worst_sentence_q2,
       t.history[-1] AS question, t.knowledge, {NO_FIELDS} AS fields,
       s.configuration <> c.configuration AS outdated
FROM turns t CROSS JOIN (FROM configurations WHERE metric = 'q2') c
LEFT JOIN scores s ON s.metric = c.metric AND s.profile = c.profile AND s.pair_id = t.pair_id
""",
)

SCORED_SENTENCES = View(
    "scored_sentences",
    """
SELECT s.metric, s.profile, s.pair_id, s.sentence, s.text, s.kind, s.certainty, c.q2, c.questions,
       c.entailment, c.support, c.verdict, s.start, s."end", p.response, coalesce(t.turns, 0) AS turns
FROM sentences s
JOIN sentence_scores c USING (metric, profile, pair_id, sentence)
JOIN pairs p USING (pair_id)
LEFT JOIN (SELECT pair_id, count(*) AS turns FROM turns GROUP BY pair_id) t USING (pair_id)
""",
)

HALLUCINATED_SPANS = View(
    "hallucinated_spans",
    f"""
SELECT e.metric, e.profile, e.pair_id, e.span_index, e.span, e.span_start, e.span_end, e.kind,
       e.label, e.verdict, e.question, e.knowledge_answer, e.passage, p.response,
       coalesce(t.turns, 0) AS turns
FROM (
  SELECT e.* FROM evidence e
  JOIN scores s USING (metric, profile, pair_id)
  LEFT JOIN (SELECT metric, profile, pair_id, span_index, sentence FROM spans) p
    USING (metric, profile, pair_id, span_index)
  LEFT JOIN (SELECT metric, profile, pair_id, sentence, nli_label AS of_sentence
             FROM sentence_entailment) j USING (metric, profile, pair_id, sentence)
  WHERE (verdict = 'contradicted' AND ({inconsistent_sql(LEADING)} OR of_sentence = 'contradiction'))
     OR (verdict = 'no_answer' AND e.in_knowledge IS NOT TRUE)
  QUALIFY row_number() OVER (
    PARTITION BY metric, profile, pair_id, span_index
    ORDER BY score, verdict = 'no_answer', rank
  ) = 1
) e
JOIN pairs p USING (pair_id)
LEFT JOIN (SELECT pair_id, count(*) AS turns FROM turns GROUP BY pair_id) t USING (pair_id)
""",
)

DAILY = View(
    "daily",
    rates(
        f"(SELECT *, {DAY} AS day FROM outcomes)",
        ("metric", "profile", "day"),
        kinds=True,
        outdated=True,
    ),
)

BY_GROUP = View(
    "by_group",
    """
SELECT *, inconsistent / nullif(sum(inconsistent) OVER field, 0) AS contribution,
       inconsistent - scored * sum(inconsistent) OVER field / nullif(sum(scored) OVER field, 0)
         AS excess
FROM ("""
    + rates(
        """(
    SELECT o.metric, o.profile, o.pair_id, o.conversation_id, o.q2, o.score, o.contradicted, o.status,
           j."key" AS field, j.value ->> '$' AS value
    FROM outcomes o, json_each(o.metadata) j
    WHERE j.type NOT IN ('OBJECT', 'ARRAY', 'NULL')
  )""",
        ("metric", "profile", "field", "value"),
    )
    + """)
WINDOW field AS (PARTITION BY metric, profile, field)
""",
)
