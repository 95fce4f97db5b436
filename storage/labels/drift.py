"""Drift of the judge: verdicts that another version of models, code or endpoint has changed.

After each change a scoring run gives some anchors to the new version (``tasks/running/anchors.py``):
replies that people judged and other replies that the version before has scored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.connection import open_connection
from qsquared.storage.labels.records import read_all, resolved_labels
from qsquared.storage.records.comparisons import AnchorScores, read_anchors
from qsquared.storage.sql.catalogue import over
from qsquared.storage.sql.views.phrases import LEADING
from qsquared.storage.tables.registry import LABELS, PAIRS, SCORES
from qsquared.text import p_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import duckdb

    from qsquared.storage.records.store_index import StoreIndex

ANCHORS = 100
"""Replies that both versions score."""

LEAST_ANCHORS = 30
LEVEL = 0.05

SAID_FOR = timedelta(days=28)
"""A change is said for so long, as gates look back no further unless they are told to."""

_VERDICTS = f"""
CREATE TEMP TABLE {{name}} AS
SELECT DISTINCT pair_id, {inconsistent_sql("score")} AS low FROM (
  SELECT pair_id, {LEADING} AS score FROM ({{scores}}) s UNION ALL SELECT unnest($pairs), unnest($scores)
) WHERE score IS NOT NULL
"""
_TRUTH = "CREATE TEMP TABLE truth AS SELECT unnest($pairs) AS pair_id, unnest($low) AS truly, unnest($people) AS people"
_CHANGED = """
SELECT coalesce(people, false) AS judged, count(*), count(*) FILTER (n.low AND NOT b.low),
       count(*) FILTER (b.low AND NOT n.low), count(truly), count(*) FILTER (b.low = truly),
       count(*) FILTER (n.low = truly), count(*) FILTER (b.low = truly AND n.low <> truly)
FROM now n JOIN before b USING (pair_id) LEFT JOIN truth USING (pair_id) GROUP BY ALL
"""
_UNSEEN = """
SELECT p.pair_id, p.response, p.knowledge FROM ({pairs}) p SEMI JOIN before USING (pair_id)
LEFT JOIN truth USING (pair_id) ANTI JOIN now USING (pair_id)
ORDER BY people IS NULL, p.pair_id LIMIT $most
"""


@dataclass(frozen=True, slots=True)
class Drift:
    """Replies that two versions of a judge scored, and the verdicts that differ.

    ``became`` are inconsistent by the present version only, ``were`` by the one before only;
    ``judged`` says that people judged all of these replies.
    Of ``known`` replies the truth is known: ``was_right`` and ``is_right`` count the right verdicts
    of the version before and of the present one, ``lost`` those of the one before only.
    ``since`` is when the present one scored its anchors.
    """

    replies: int
    became: int
    were: int
    judged: bool
    known: int = 0
    was_right: int = 0
    is_right: int = 0
    lost: int = 0
    since: date | None = None

    @property
    def p_value(self) -> float:
        """The two-sided p-value of McNemar's exact test: as many verdicts change either way."""
        return _either_way(self.became, self.were)

    @property
    def p_value_of_right(self) -> float:
        """The same of right verdicts: as many are lost as won."""
        return _either_way(self.lost, self.is_right - self.was_right + self.lost)

    @property
    def sentence(self) -> str:
        """The change in words; empty where it may be chance, in number and, if known, in right verdicts.

        A judge that errs more often may call as many replies inconsistent as before.
        """
        found = [self.p_value, self.p_value_of_right] if self.known else [self.p_value]
        if min(found) * len(found) > LEVEL:  # Bonferroni's correction
            return ""
        points = 100 * (self.became - self.were) / self.replies
        what = "judged replies" if self.judged else "replies"
        since = f" on {self.since}" if self.since else ""
        right = (
            f" Of the {self.known:,} with a known answer the one before was right on "
            f"{self.was_right:,} and this one on {self.is_right:,} ({p_value(self.p_value_of_right)})."
        )
        return (
            f"The judge has changed{since}, and not only the bot: of {self.replies:,} {what} that this "
            f"version and the one before scored, {self.became:,} are inconsistent by this version only and "
            f"{self.were:,} by the other only ({points:+.1f} points, {p_value(self.p_value)})."
            f"{right if self.known else ''}"
        )


def _either_way(one: int, other: int) -> float:
    """Return the two-sided p-value of counts that would be equal but for chance."""
    from scipy.stats import binomtest

    return float(binomtest(one, one + other).pvalue) if one + other else 1.0


def drift_of(
    index: StoreIndex, metric: str, profile: str, now: datetime | None = None
) -> Drift | None:
    """Compare the present version of Q² with the one before, on the replies that both scored.

    The anchors are the replies that people judged, if both scored thirty of them, else all that both did.
    ``None`` without thirty anchors, without an earlier version, or where the change was long ago.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    present = next(iter(_versions(index, metric, profile)), None)
    if present is None or (earlier := earlier_version(index, metric, profile, present)) is None:
        return None
    anchors = read_anchors(index.store, present)
    at = datetime.fromisoformat(anchors.at) if anchors.at else None
    if at is not None and (now or datetime.now(UTC)) - at > SAID_FOR:
        return None
    with open_connection(index.store.root) as connection:
        _verdicts(connection, index, now=present, before=earlier)
        rows = connection.execute(_CHANGED).fetchall()
    judged = [row[1:] for row in rows if row[0]]
    for parts in (judged, [row[1:] for row in rows]):
        if parts and sum(part[0] for part in parts) >= LEAST_ANCHORS:
            replies, became, were, *known = (sum(numbers) for numbers in zip(*parts, strict=True))
            found = Drift(replies, became, were, parts is judged, *known)
            return replace(found, since=at.date() if at else None)
    return None


def drift_sentences(index: StoreIndex, names: Iterable[tuple[str, str]]) -> list[str]:
    """Return the sentences of the drift of some metrics and profiles, of those that have one.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    found = (drift_of(index, metric, profile) for metric, profile in names)
    return [drift.sentence for drift in found if drift is not None and drift.sentence]


def earlier_version(index: StoreIndex, metric: str, profile: str, present: str) -> str | None:
    """Return the lineage of the scores of the latest version that is not the present one."""
    return next((one for one in _versions(index, metric, profile) if one != present), None)


def anchors_to_score(index: StoreIndex, present: str, earlier: str) -> list[dict[str, Any]]:
    """Return the pairs that the present version still has to score so that it can be compared.

    Those that people judged come first; the others are a random part, as the id of a pair is a hash.

    Raises:
        DamagedFile: a table cannot be trusted.
    """
    pairs = index.of(PAIRS.name)
    index.checks.tables(pairs)
    with open_connection(index.store.root) as connection:
        _verdicts(connection, index, now=present, before=earlier)
        shared = connection.execute("SELECT count(*) FROM now JOIN before USING (pair_id)")
        most = {"most": max(0, ANCHORS - shared.fetchall()[0][0])}
        found = connection.execute(_UNSEEN.format(pairs=over(PAIRS, pairs)), most).fetchall()
    return [dict(zip(("pair_id", "response", "knowledge"), row, strict=True)) for row in found]


def _versions(index: StoreIndex, metric: str, profile: str) -> list[str]:
    """Return the lineages of the scores of a metric and profile, the one used last first."""
    known = [
        one
        for one in index.all_configurations
        if (one["metric"], one["profile"]) == (metric, profile)
        and one["last_used"]
        and "collected" not in one
        and SCORES.name in one["lineages"]
    ]
    known.sort(key=lambda one: one["last_used"], reverse=True)
    return list(dict.fromkeys(one["lineages"][SCORES.name] for one in known))


def _verdicts(connection: duckdb.DuckDBPyConnection, index: StoreIndex, **lineages: str) -> None:
    """Make a table of the verdicts of each version by pair, and one of the known truth."""
    truth: dict[str, tuple[float, bool]] = {}
    for name, lineage in lineages.items():
        paths = index.of_stage(SCORES.name, {"lineages": {SCORES.name: lineage}})
        index.checks.tables(paths)
        anchors: AnchorScores = read_anchors(index.store, lineage)
        truth |= {pair: (float(low), False) for pair, low in anchors.bundled.items()}
        sql = _VERDICTS.format(name=name, scores=over(SCORES, paths, mixed=True))
        values: tuple[Collection[str], Collection[float]]
        values = anchors.scores.keys(), anchors.scores.values()
        connection.execute(sql, {"pairs": list(values[0]), "scores": list(values[1])})
    judged = resolved_labels(read_all(index.store, LABELS))
    truth |= {pair: (low, True) for pair, low in judged.iter_rows()}
    given = {
        "pairs": list(truth),
        "low": [None if low == 0.5 else low == 1 for low, _ in truth.values()],
        "people": [people for _, people in truth.values()],
    }
    connection.execute(_TRUTH, given)
