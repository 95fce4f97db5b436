"""Drift of the judge: verdicts that another version of models, code or endpoint has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.connection import open_connection
from qsquared.storage.sql.catalogue import over
from qsquared.storage.sql.views.view import LEADING
from qsquared.storage.tables.registry import LABELS, SCORES
from qsquared.text import p_value

if TYPE_CHECKING:
    from qsquared.storage.records.store_index import StoreIndex

LEAST_ANCHORS = 30
LEVEL = 0.05

_CHANGED = f"""
WITH now AS (SELECT DISTINCT pair_id, {inconsistent_sql(LEADING)} AS low FROM ({{now}}) s),
     before AS (SELECT DISTINCT pair_id, {inconsistent_sql(LEADING)} AS low FROM ({{before}}) s),
     shared AS (SELECT now.low AS now, before.low AS before, pair_id IN (SELECT pair_id FROM ({{labels}})) AS judged
              FROM now JOIN before USING (pair_id) WHERE now.low IS NOT NULL AND before.low IS NOT NULL)
SELECT judged, count(*), count(*) FILTER (now AND NOT before), count(*) FILTER (before AND NOT now)
FROM shared GROUP BY judged
"""


@dataclass(frozen=True, slots=True)
class Drift:
    """Replies that two versions of a judge scored, and the verdicts that differ.

    ``became`` are inconsistent by the present version only, ``were`` by the one before only;
    ``judged`` says that people judged all of these replies.
    """

    replies: int
    became: int
    were: int
    judged: bool

    @property
    def p_value(self) -> float:
        """The two-sided p-value of McNemar's exact test: as many verdicts change either way."""
        from scipy.stats import binomtest

        changed = self.became + self.were
        return float(binomtest(self.became, changed).pvalue) if changed else 1.0

    @property
    def sentence(self) -> str:
        """The change in words; empty where it may be chance."""
        if self.p_value > LEVEL:
            return ""
        points = 100 * (self.became - self.were) / self.replies
        what = "judged replies" if self.judged else "replies"
        return (
            f"The judge has changed, and not only the bot: of {self.replies:,} {what} that this version and "
            f"the one before scored, {self.became:,} are inconsistent by this version only and "
            f"{self.were:,} by the other only ({points:+.1f} points, {p_value(self.p_value)})."
        )


def drift_of(index: StoreIndex, metric: str, profile: str) -> Drift | None:
    """Compare the present version of Q² with the one before, on the replies that both scored.

    The anchors are the replies that people judged, if both scored thirty of them, else all that both did.
    ``None`` without thirty anchors, or without an earlier version.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    known = [
        one
        for one in index.all_configurations
        if (one["metric"], one["profile"]) == (metric, profile)
        and one["last_used"]
        and "collected" not in one
        and SCORES.name in one["lineages"]
    ]
    known.sort(key=lambda one: one["last_used"], reverse=True)
    earlier = [
        one for one in known if one["lineages"][SCORES.name] != known[0]["lineages"][SCORES.name]
    ]
    if not earlier:
        return None
    versions = {"now": known[0], "before": earlier[0]}
    paths = {name: index.of_stage(SCORES.name, one) for name, one in versions.items()}
    index.checks.tables([*paths["now"], *paths["before"], *index.of(LABELS.name)])
    relations = {name: over(SCORES, some, mixed=True) for name, some in paths.items()}
    labels = over(LABELS, index.of(LABELS.name))
    with open_connection(index.store.root) as connection:
        rows = connection.execute(_CHANGED.format(**relations, labels=labels)).fetchall()
    judged = [row[1:] for row in rows if row[0]]
    for parts in (judged, [row[1:] for row in rows]):
        replies, became, were = (sum(numbers) for numbers in zip((0, 0, 0), *parts, strict=True))
        if replies >= LEAST_ANCHORS:
            return Drift(replies, became, were, parts is judged)
    return None
