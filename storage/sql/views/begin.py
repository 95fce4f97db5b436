"""Views of BEGIN's classes: their shares by day and group, and Q² beside the class of each turn.

A generic or off-topic reply that names nothing which can be wrong makes no claim on the matter, so its
low Q² is not a lie; the means here leave such replies out.
"""

from qsquared.method.begin.taxonomy import LABELS, NAMES, chit_chat_sql
from qsquared.storage.sql.views.view import DAY, PROFILE, View

_NAMED = (
    "t.pair_id IN (SELECT pair_id FROM spans "
    f"WHERE label IN ({', '.join(repr(name) for name in NAMES)}) AND pair_id IS NOT NULL)"
)
CHIT_CHAT = chit_chat_sql("b.label", "t.response", "s.contradicted", _NAMED)
"""Whether a turn is chit-chat, as SQL over the tables that `REPLIES_SQL` joins."""

REPLY_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("metric", "The metric that classified: `begin`.", ""),
    ("profile", "The profile that classified.", ""),
    ("input", "Fingerprint of the log.", ""),
    ("position", "Ordinal of the row in its log, from 0.", ""),
    ("id", "Id of the turn.", ""),
    ("timestamp", "When the reply was given.", "the log has none"),
    ("pair_id", "The pair that the turn reduces to.", ""),
    ("situation_id", "The situation that it reduces to.", ""),
    ("label", "BEGIN's class of the reply.", "the classifier failed"),
    ("label3", "The same in the three-way form.", "the classifier failed"),
    ("begin_entailment", "Probability of entailment, 0 to 1.", "the classifier failed"),
    (
        "decided_by",
        "What decided the class: `classifier`, or `copy` of sentences of the knowledge.",
        "the classifier failed, or it was written before there was the column",
    ),
    (
        "chit_chat",
        "Whether it is generic or off-topic, and names no number, date or name and nothing contradicted.",
        "not classified",
    ),
    ("q2", "Its Q² with the same profile, 0 to 1.", "not scored by Q²"),
    ("factual_q2", "The same, of replies that claim something only.", "chit-chat, or no Q²"),
    ("response", "The reply.", ""),
    ("metadata", "Every other field of the log row, as one JSON object.", ""),
)

# A profile's Q² may have been run with other parameters, and so under another label; the profile's
# own name is what stands before them.
REPLIES_SQL = f"""
SELECT b.metric, b.profile, t.input, t.position, t.id, t.timestamp, t.pair_id, t.situation_id,
       b.label, b.label3, b.begin_entailment, b.decided_by, {CHIT_CHAT} AS chit_chat, s.q2,
       CASE WHEN NOT {CHIT_CHAT} THEN s.q2 END AS factual_q2, t.response, t.metadata
FROM turns t JOIN begin b USING (situation_id)
LEFT JOIN scores s ON s.metric = 'q2' AND s.pair_id = t.pair_id AND s.profile = b.profile
"""

SHARE_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("turns", "Classified turns.", ""),
    *((label.replace("-", "_"), f"Turns of the class {label}.", "") for label in LABELS),
    ("chit_chat_share", "Share of turns that are chit-chat (see `replies`), 0 to 1.", ""),
    ("hallucination_share", "Share of hallucinated turns, 0 to 1.", ""),
    ("mean_q2", "Mean Q² of all of them.", "no Q²"),
    ("mean_factual_q2", "Mean Q² without the chit-chat.", "no factual reply has a Q²"),
)


def shares(replies: str, groups: tuple[str, ...]) -> str:
    """A query with one row for each group: the groups' columns, then `SHARE_COLUMNS`."""
    names = ", ".join(groups)
    counts = ", ".join(
        f"count(*) FILTER (WHERE label = '{label}') AS {label.replace('-', '_')}"
        for label in LABELS
    )
    first = f"{names}, " if groups else ""
    return f"""
SELECT {first}count(*) AS turns, {counts},
       count(*) FILTER (WHERE chit_chat) / count(*) AS chit_chat_share,
       count(*) FILTER (WHERE label = 'hallucination') / count(*) AS hallucination_share,
       avg(q2) AS mean_q2, avg(factual_q2) AS mean_factual_q2
FROM {replies} WHERE label IS NOT NULL {f"GROUP BY {names}" if groups else "HAVING count(*) > 0"}
"""


REPLIES = View(
    "replies",
    "One row for each turn that `begin` classified: its class beside its Q², so that a generic reply's "
    "low Q² is not read as a lie.",
    REPLY_COLUMNS,
    ("turns", "begin", "scores", "spans"),
    REPLIES_SQL,
)

CLASSES_DAILY = View(
    "classes_daily",
    "One row for each day (UTC) and profile: how often replies are of each of BEGIN's classes.",
    (*PROFILE, ("day", "The day in UTC.", "the turns without a time"), *SHARE_COLUMNS),
    ("turns", "begin", "scores", "spans"),
    shares(f"(SELECT *, {DAY} AS day FROM replies)", ("metric", "profile", "day")),
)

CLASSES_BY_GROUP = View(
    "classes_by_group",
    "One row for each value of each further field of the log and profile: how often replies are of "
    "each of BEGIN's classes.",
    (
        *PROFILE,
        ("field", "The field of the log.", ""),
        ("value", "Its value, as text.", ""),
        *SHARE_COLUMNS,
    ),
    ("turns", "begin", "scores", "spans"),
    shares(
        """(
    SELECT r.*, j."key" AS field, j.value ->> '$' AS value
    FROM replies r, json_each(r.metadata) j
    WHERE j.type NOT IN ('OBJECT', 'ARRAY', 'NULL')
  )""",
        ("metric", "profile", "field", "value"),
    ),
)
