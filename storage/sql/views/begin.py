"""Views of BEGIN's classes: their shares by day and group, and Q² beside the class of each turn.

A generic or off-topic reply that names nothing which can be wrong makes no claim on the matter, so its
low Q² is not a lie; the means here leave such replies out.
"""

from qsquared.method.begin.taxonomy import LABELS, NAMES, chit_chat_sql
from qsquared.storage.sql.views.view import DAY, View

_NAMED = (
    "t.pair_id IN (SELECT pair_id FROM spans "
    f"WHERE label IN ({', '.join(repr(name) for name in NAMES)}) AND pair_id IS NOT NULL)"
)
CHIT_CHAT = chit_chat_sql("b.label", "t.response", "s.contradicted", _NAMED)
"""Whether a turn is chit-chat, as SQL over the tables that `REPLIES_SQL` joins."""

# A profile's Q² may have been run with other parameters, and so under another label; the profile's
# own name is what stands before them.
REPLIES_SQL = f"""
SELECT b.metric, b.profile, t.input, t.position, t.id, t.timestamp, t.pair_id, t.situation_id,
       b.label, b.label3, b.begin_entailment, b.decided_by, {CHIT_CHAT} AS chit_chat, s.q2,
       CASE WHEN NOT {CHIT_CHAT} THEN s.q2 END AS factual_q2, t.response, t.metadata
FROM turns t JOIN begin b USING (situation_id)
LEFT JOIN scores s ON s.metric = 'q2' AND s.pair_id = t.pair_id AND s.profile = b.profile
"""


def shares(replies: str, groups: tuple[str, ...]) -> str:
    """A query with one row for each group: the groups' columns, then those of `classes_daily`."""
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
    REPLIES_SQL,
)

CLASSES_DAILY = View(
    "classes_daily",
    shares(f"(SELECT *, {DAY} AS day FROM replies)", ("metric", "profile", "day")),
)

CLASSES_BY_GROUP = View(
    "classes_by_group",
    shares(
        """(
    SELECT r.*, j."key" AS field, j.value ->> '$' AS value
    FROM replies r, json_each(r.metadata) j
    WHERE j.type NOT IN ('OBJECT', 'ARRAY', 'NULL')
  )""",
        ("metric", "profile", "field", "value"),
    ),
)
