"""Views of Q²: evidence, outcomes of turns, hallucinated spans, and rates by day and by group."""

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.sql.fields import NO_FIELDS
from qsquared.storage.sql.views.rates import COLUMNS as RATES
from qsquared.storage.sql.views.rates import LEFT_OUT, rates
from qsquared.storage.sql.views.view import DAY, LEADING, PAIR_ID, PROFILE, View

_NOT_KEPT = "the question was not kept"
_UNANSWERED = "no answer, or the question was not kept"


EVIDENCE = View(
    "evidence",
    "One row for each generated question: its span, the round trip, both answers and the verdict.",
    (
        *PROFILE,
        PAIR_ID,
        ("span_index", "Position of the span in its response, from 0.", ""),
        ("rank", "Rank of the question for its span, 1 is best.", ""),
        ("span", "The span of the response that is asked for.", ""),
        ("kind", "`entity` or `noun_chunk`.", ""),
        ("label", "Entity type (OntoNotes).", "not an entity"),
        ("question", "The generated question.", ""),
        ("roundtrip", "`kept`, or why the question does not count.", ""),
        (
            "response_answer",
            "The QA model's answer on the response.",
            "no answer, or not asked",
        ),
        ("knowledge_answer", "The QA model's answer on the knowledge.", _UNANSWERED),
        ("passage", "Index of the passage that holds it, from 0.", _UNANSWERED),
        ("knowledge_start", "First character of it in the passage.", _UNANSWERED),
        ("knowledge_end", "Character after it.", _UNANSWERED),
        ("token_f1", "Token F1 of span and knowledge answer, 0 to 1.", _NOT_KEPT),
        (
            "nli_label",
            "`entailment`, `neutral` or `contradiction`.",
            "NLI was not asked: F1 = 1 or no answer",
        ),
        ("score", "The question's Q² score, 0 to 1.", _NOT_KEPT),
        ("verdict", "`supported`, `contradicted`, `no_answer` or `partial`.", _NOT_KEPT),
        ("span_start", "First character of the span in the response.", ""),
        ("span_end", "Character after it.", ""),
        (
            "decided_by",
            "What decided the verdict: `values`, `tokens`, `nli`, `no_answer` or `sentence`.",
            f"{_NOT_KEPT}, or it was written before there was the column",
        ),
        (
            "value_relation",
            "How the reply's value relates to the knowledge's (see `comparisons`).",
            "not decided by value",
        ),
        (
            "in_knowledge",
            "Whether the words of the span stand in the knowledge.",
            f"{_NOT_KEPT}, or it was written before there was the column",
        ),
    ),
    ("spans", "questions", "roundtrip", "answers", "comparisons"),
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
    "One row for each turn and each profile that Q² was scored with: its score, or the reason why it has none.",
    (
        *PROFILE,
        ("source", "Path of the log.", ""),
        ("input", "Fingerprint of the log.", ""),
        ("position", "Ordinal of the row in its log, from 0.", ""),
        ("id", "Id of the turn.", ""),
        ("conversation_id", "Id of the conversation.", "the log has none"),
        ("turn", "Position of the turn in its conversation, as logged.", "the log has none"),
        ("timestamp", "When the reply was given.", "the log has none"),
        ("pair_id", "The pair that the turn reduces to.", "there is nothing to score"),
        (
            "status",
            "Status of the turn, as in `scores` and `turns`; `pending`: the profile has not scored it yet.",
            "",
        ),
        ("reason", "Why it was not scored by questions.", "scored by questions, or pending"),
        ("q2", "Q², 0 to 1.", "not scored (see status)"),
        (
            "q2_without_nli",
            "The same with token F1 of the answers alone, 0 to 1; of a fallback its NLI verdict.",
            "not scored (see status)",
        ),
        (
            "support",
            "Probability that the knowledge supports all that the reply says, 0 to 1.",
            "not scored, read as logged, or scored by an older version",
        ),
        (
            "score",
            "The leading score: `support`, or Q² where it is NULL; 0 to 1.",
            "not scored (see status)",
        ),
        ("questions", "Number of valid questions.", "not scored (see status)"),
        ("no_answer", "Valid questions that the knowledge does not answer.", "not scored"),
        ("contradicted", "Valid questions that the knowledge contradicts.", "not scored"),
        (
            "inconsistent",
            "Whether `score` is 0.5 or below (Q², section 5.1).",
            "not scored (see status)",
        ),
        ("response", "The reply.", ""),
        ("metadata", "Every other field of the log row, as one JSON object.", ""),
        ("reply_kind", "Kind of a reply that claims nothing.", "the reply claims something"),
        ("worst_sentence", "The sentence with the lowest Q².", "not scored by questions"),
        ("worst_sentence_q2", "Its Q², 0 to 1.", "not scored by questions"),
        ("question", "The turn before the reply.", "the log has no history"),
        ("knowledge", "The passages that the reply was given, in order.", ""),
        (
            "fields",
            "The regular fields of `metadata` as a struct (`fields.topic`), with the types of a sample.",
            "no field has one type",
        ),
        (
            "outdated",
            "Whether the score is of an older version of the profile, as before `q2 rescore`.",
            "not scored (see status)",
        ),
    ),
    ("turns", "scores"),
    f"""
SELECT c.metric, c.profile, t.source, t.input, t.position, t.id, t.conversation_id, t.turn,
       t.timestamp, t.pair_id, coalesce(t.status, s.status, 'pending') AS status,
       coalesce(t.reason, s.reason) AS reason, s.q2, s.q2_without_nli, s.support, {LEADING} AS score, s.questions, s.no_answer,
       s.contradicted, {inconsistent_sql(LEADING)} AS inconsistent, t.response, t.metadata,
       s.reply_kind, s.worst_sentence, s.worst_sentence_q2,
       t.history[-1] AS question, t.knowledge, {NO_FIELDS} AS fields,
       s.configuration <> c.configuration AS outdated
FROM turns t CROSS JOIN (FROM configurations WHERE metric = 'q2') c
LEFT JOIN scores s ON s.metric = c.metric AND s.profile = c.profile AND s.pair_id = t.pair_id
""",
)

SCORED_SENTENCES = View(
    "scored_sentences",
    "One row for each sentence of a distinct reply: its kind, its score and its verdict.",
    (
        *PROFILE,
        PAIR_ID,
        ("sentence", "Position of the sentence in its reply, from 0.", ""),
        ("text", "The sentence in plain text.", ""),
        ("kind", "`claim`, or why it claims nothing (see the table `sentences`).", ""),
        ("q2", "Mean score of the valid questions about it, 0 to 1.", "no valid question"),
        ("questions", "Number of valid questions about it.", "a model failed"),
        (
            "entailment",
            "Probability that the knowledge entails it, 0 to 1.",
            "no claim, or the reply was read as logged",
        ),
        (
            "support",
            "Probability that the knowledge supports it, by the judge and its questions, 0 to 1.",
            "no claim, read as logged, or scored by an older version",
        ),
        (
            "verdict",
            "`supported`, `contradicted`, `no_answer` or `partial`; without questions, the NLI model's.",
            "no claim",
        ),
        ("start", "First character of the sentence in the logged reply.", ""),
        ("end", "Character after it.", ""),
        ("response", "The whole reply.", ""),
        ("turns", "How many turns of the store gave that reply.", ""),
    ),
    ("sentences", "sentence_scores", "pairs", "turns"),
    """
SELECT s.metric, s.profile, s.pair_id, s.sentence, s.text, s.kind, c.q2, c.questions,
       c.entailment, c.support, c.verdict, s.start, s."end", p.response, coalesce(t.turns, 0) AS turns
FROM sentences s
JOIN sentence_scores c USING (metric, profile, pair_id, sentence)
JOIN pairs p USING (pair_id)
LEFT JOIN (SELECT pair_id, count(*) AS turns FROM turns GROUP BY pair_id) t USING (pair_id)
""",
)

HALLUCINATED_SPANS = View(
    "hallucinated_spans",
    "One row for each span of a response that the knowledge contradicts, or that a question finds no "
    "answer to and whose words do not stand in the knowledge either, with the question that weighs most. "
    "A contradiction counts in a reply whose leading score is 0.5 or below, or in a sentence that the knowledge "
    "contradicts as a whole; `evidence` has all, and the spans that stand there, too.",
    (
        *PROFILE,
        PAIR_ID,
        ("span_index", "Position of the span in its response, from 0.", ""),
        ("span", "Its text.", ""),
        ("span_start", "First character of it in the response.", ""),
        ("span_end", "Character after it.", ""),
        ("kind", "`entity` or `noun_chunk`.", ""),
        ("label", "Entity type (OntoNotes).", "not an entity"),
        ("verdict", "`contradicted`, or `no_answer` (no answer to a question about it).", ""),
        ("question", "The question about it.", ""),
        ("knowledge_answer", "What the knowledge says instead.", "no answer"),
        ("passage", "Index of the passage that says it, from 0.", "no answer"),
        ("response", "The whole reply.", ""),
        ("turns", "How many turns of the store gave that reply.", ""),
    ),
    (
        "spans",
        "questions",
        "roundtrip",
        "answers",
        "comparisons",
        "pairs",
        "turns",
        "scores",
        "sentence_entailment",
    ),
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
    "One row for each day (UTC), metric and profile: how often turns are inconsistent.",
    (
        *PROFILE,
        ("day", "The day in UTC.", "the turns without a time"),
        *RATES,
        *LEFT_OUT,
        (
            "outdated",
            "Of the scored turns, those whose score is of an older version; compare days without any.",
            "",
        ),
    ),
    ("turns", "scores"),
    rates(
        f"(SELECT *, {DAY} AS day FROM outcomes)",
        ("metric", "profile", "day"),
        kinds=True,
        outdated=True,
    ),
)

BY_GROUP = View(
    "by_group",
    "One row for each value of each further field of the log (`bot_version`, `topic` …), metric and "
    "profile: how often turns are inconsistent, and their share of the whole. A turn without "
    "the field is in no group of it.",
    (
        *PROFILE,
        ("field", "The field of the log.", ""),
        ("value", "Its value, as text.", ""),
        *RATES,
        (
            "contribution",
            "Share of the field's inconsistent turns that are in this group, 0 to 1.",
            "no turn is inconsistent",
        ),
        (
            "excess",
            "Inconsistent turns beyond those that the field's overall rate would give.",
            "no turn has a score",
        ),
    ),
    ("turns", "scores"),
    """
SELECT *, inconsistent / nullif(sum(inconsistent) OVER field, 0) AS contribution,
       inconsistent - scored * sum(inconsistent) OVER field / nullif(sum(scored) OVER field, 0)
         AS excess
FROM ("""
    + rates(
        """(
    SELECT o.metric, o.profile, o.pair_id, o.q2, o.score, o.contradicted, o.status,
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
