"""Rates of inconsistent turns, with their 95 % intervals, and shares of BEGIN's classes, as SQL.

The rate is over the turns that have a score; its interval is about the bot, and turns of one pair or
conversation are no independent observations to it (see `qsquared.method.intervals`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.method.begin import LABELS
from qsquared.method.intervals import (
    clustered_number_sql,
    effective_number_sql,
    newcombe_interval,
    wilson_interval_sql,
)
from qsquared.method.threshold import THRESHOLD, inconsistent_sql


def rates(
    outcomes: str,
    groups: Sequence[str],
    threshold: float = THRESHOLD,
    *,
    kinds: bool = False,
    outdated: bool = False,
    worth: bool = False,
) -> str:
    """A query with one row for each group: the groups' columns, then those of the view `daily`.

    Args:
        outcomes: a relation with the groups' columns and those of the view ``outcomes``, of which it
            takes ``pair_id``, ``conversation_id``, ``q2``, ``score``, ``contradicted`` and ``status``.
        groups: columns to group by; without any, one row over all.
        threshold: a turn is inconsistent with this score or below.
        kinds: add `left_out`; the relation then has ``reply_kind``.
        outdated: add a column that counts the turns whose column of that name is true.
        worth: add the number of independent turns that the interval takes, as ``observations``.
    """
    first = "".join(f"{name}, " for name in groups)
    last = ", outdated" * outdated + ", observations" * worth
    inconsistent = inconsistent_sql("score", float(threshold))
    any_inconsistent = inconsistent_sql("any_value(score)", float(threshold))
    clustered = clustered_number_sql("rate", "scored", "by_pairs", "excess", "number")
    low, high = wilson_interval_sql("rate", "observations")
    measured_groups = "".join(f"measured.{name}, " for name in groups)
    of_pair = "any_value(outdated) AS outdated, " * outdated
    counted = "CAST(coalesce(sum(n) FILTER (WHERE outdated), 0) AS BIGINT) AS outdated, " * outdated
    shown = by_kind = ""
    if kinds:
        of_pair += "any_value(reply_kind) AS reply_kind, "
        shown, by_kind = ", k.left_out", _by_kind(first, groups)
    return f"""
WITH by_pair AS (
  SELECT {first}pair_id, any_value(q2) AS q2, any_value(score) AS score, any_value(contradicted) AS contradicted,
         any_value(status) AS status, {of_pair}count(*) AS n
  FROM {outcomes} GROUP BY {first}pair_id
), counted AS (
  SELECT {first}CAST(sum(n) AS BIGINT) AS turns,
         CAST(coalesce(sum(n) FILTER (WHERE q2 IS NOT NULL), 0) AS BIGINT) AS scored,
         CAST(coalesce(sum(n) FILTER (WHERE {inconsistent}), 0) AS BIGINT) AS inconsistent,
         CAST(coalesce(sum(n) FILTER (WHERE contradicted > 0 AND {inconsistent}), 0) AS BIGINT) AS contradicted,
         CAST(coalesce(sum(n) FILTER (WHERE status = 'no_claim'), 0) AS BIGINT) AS no_claim,
         {counted}fsum(n * q2) AS total,
         fsum(n * score) FILTER (WHERE q2 IS NOT NULL) AS of_score,
         {effective_number_sql("n", "q2 IS NOT NULL")} AS by_pairs
  FROM by_pair GROUP BY ALL
), conversations AS (
  SELECT {first}count(*) AS number, sum(low * low - own_low) AS low_low,
         sum(low * n - own_low) AS low_all, sum(n * n - own) AS all_all
  FROM (
    SELECT {first}conversation_id, sum(n) AS n, sum(low * n) AS low, sum(n * n) AS own,
           sum(low * n * n) AS own_low
    FROM (
      SELECT {first}conversation_id, pair_id, count(*)::DOUBLE AS n,
             CAST({any_inconsistent} AS INT) AS low
      FROM {outcomes} WHERE q2 IS NOT NULL AND conversation_id IS NOT NULL
      GROUP BY {first}conversation_id, pair_id
    ) GROUP BY {first}conversation_id
  ) GROUP BY ALL
), measured AS (
  SELECT *, {clustered} AS observations FROM (
    SELECT counted.*, inconsistent / nullif(scored, 0) AS rate, c.number,
           c.low_low - 2 * rate * c.low_all + rate * rate * c.all_all AS excess
    FROM counted LEFT JOIN conversations c ON {_same("c", "counted", groups)}
  )
)
SELECT {measured_groups}turns, scored, scored / nullif(turns - no_claim, 0) AS coverage, inconsistent, rate,
       {low} AS rate_low, {high} AS rate_high,
       of_score / nullif(scored, 0) AS mean_score,
       total / nullif(scored, 0) AS mean_q2, contradicted, no_claim{shown}{last}
FROM measured{by_kind}
"""


def _same(first: str, second: str, groups: Sequence[str]) -> str:
    """The condition that two relations are of the same group."""
    same = (f"{first}.{name} IS NOT DISTINCT FROM {second}.{name}" for name in groups)
    return " AND ".join(same) or "true"


def _by_kind(first: str, groups: Sequence[str]) -> str:
    """Join a map from kinds to turns to the groups, whose columns are ``first``."""
    return f"""
LEFT JOIN (
  SELECT {first}map_from_entries(list((reply_kind, n) ORDER BY n DESC, reply_kind)) AS left_out
  FROM (
    SELECT {first}coalesce(reply_kind, 'other') AS reply_kind, CAST(sum(n) AS BIGINT) AS n
    FROM by_pair WHERE status = 'no_claim' GROUP BY ALL
  ) GROUP BY ALL
) k ON {_same("k", "measured", groups)}"""


def shares(replies: str, groups: tuple[str, ...]) -> str:
    """A query with one row for each group: the groups' columns, then those of `classes_daily`."""
    names = ", ".join(groups)
    counts = ", ".join(
        f"count(*) FILTER (WHERE label = '{label}') AS {label.replace('-', '_')}"
        for label in LABELS
    )
    return f"""
SELECT {names}, count(*) AS turns, {counts},
       count(*) FILTER (WHERE chit_chat) / count(*) AS chit_chat_share,
       count(*) FILTER (WHERE label = 'hallucination') / count(*) AS hallucination_share,
       avg(q2) AS mean_q2, avg(factual_q2) AS mean_factual_q2
FROM {replies} WHERE label IS NOT NULL GROUP BY {names}
"""


def difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[float, float, float]:
    """The first rate less the second, with the ends of its 95 % interval.

    For turns that are on both sides the interval (`newcombe_interval`) is rather too wide.

    Args:
        first: `rate`, `rate_low` and `rate_high`, none of them NULL.
        second: the same.
    """
    shares = [(rate["rate"], rate["rate_low"], rate["rate_high"]) for rate in (first, second)]
    return first["rate"] - second["rate"], *newcombe_interval(*shares)
