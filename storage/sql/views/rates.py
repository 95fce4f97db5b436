"""How often turns are inconsistent: the rate with all that belongs to it, as SQL.

A turn is *inconsistent* if its Q² lies below a threshold; the rate is over the turns that have a
score.
The 95 % interval is Wilson's (Wilson 1927; Brown, Cai and DasGupta 2001).
Turns of one pair have one score and are one observation, however often the reply was given, so the
interval takes Kish's effective number (Σn)² / Σn² of observations, n being the turns of a pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

THRESHOLD = 0.5
"""Below this Q² a turn counts as inconsistent, unless somebody asks for another threshold."""

_Z = 1.959963984540054

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("turns", "Number of turns.", ""),
    ("scored", "Turns that have a score.", ""),
    ("coverage", "`scored` of `turns`, 0 to 1.", ""),
    ("inconsistent", "Scored turns with a Q² below 0.5.", ""),
    ("rate", "`inconsistent` of `scored`, 0 to 1.", "no turn has a score"),
    (
        "rate_low",
        "Lower end of its 95 % interval (Wilson; turns of one pair count as one observation).",
        "no turn has a score",
    ),
    ("rate_high", "Upper end of that interval.", "no turn has a score"),
    ("mean_q2", "Mean Q² over the scored turns, 0 to 1.", "no turn has a score"),
    ("contradicted", "Turns with a question that the knowledge contradicts (by NLI).", ""),
)
"""Name, meaning, and meaning of NULL of the columns that `rates` gives after the groups'."""


def rates(outcomes: str, groups: Sequence[str], threshold: float = THRESHOLD) -> str:
    """A query with one row for each group: the groups' columns, then `COLUMNS`.

    Args:
        outcomes: a relation with the groups' columns and those of the view ``outcomes``.
        groups: columns to group by; without any, one row over all.
        threshold: Q² below which a turn is inconsistent.
    """
    names = ", ".join(groups)
    first = f"{names}, " if groups else ""
    wrong = f"q2 < {float(threshold)}"
    return f"""
WITH by_pair AS (
  SELECT {first}pair_id, any_value(q2) AS q2, any_value(contradicted) AS contradicted, count(*) AS n
  FROM {outcomes} GROUP BY {first}pair_id
), counted AS (
  SELECT {first}CAST(sum(n) AS BIGINT) AS turns,
         CAST(coalesce(sum(n) FILTER (WHERE q2 IS NOT NULL), 0) AS BIGINT) AS scored,
         CAST(coalesce(sum(n) FILTER (WHERE {wrong}), 0) AS BIGINT) AS inconsistent,
         CAST(coalesce(sum(n) FILTER (WHERE contradicted > 0), 0) AS BIGINT) AS contradicted,
         fsum(n * q2) AS total,
         CAST(sum(n * n) FILTER (WHERE q2 IS NOT NULL) AS DOUBLE) AS squares
  FROM by_pair {f"GROUP BY {names}" if groups else ""}
), measured AS (
  SELECT *, inconsistent / nullif(scored, 0) AS rate,
         CAST(scored AS DOUBLE) * scored / squares AS observations
  FROM counted
), spread AS (
  SELECT *, (rate + {_Z**2} / (2 * observations)) / (1 + {_Z**2} / observations) AS middle,
         {_Z} * sqrt(rate * (1 - rate) / observations + {_Z**2} / (4 * observations ** 2))
           / (1 + {_Z**2} / observations) AS half
  FROM measured
)
SELECT {first}turns, scored, scored / turns AS coverage, inconsistent, rate,
       -- NULL has to stay one, which greatest and least would pass over.
       CASE WHEN middle < half THEN 0 ELSE middle - half END AS rate_low,
       CASE WHEN middle + half > 1 THEN 1 ELSE middle + half END AS rate_high,
       total / nullif(scored, 0) AS mean_q2, contradicted
FROM spread
"""


def difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[float, float, float]:
    """The first rate less the second, with the ends of its 95 % interval.

    The interval is Newcombe's for independent proportions (1998, method 10), made of the two that
    the rates have; for turns that are on both sides it is rather too wide.

    Args:
        first: `rate`, `rate_low` and `rate_high`, none of them NULL.
        second: the same.
    """
    rate, other = first["rate"], second["rate"]
    below = math.hypot(rate - first["rate_low"], second["rate_high"] - other)
    above = math.hypot(first["rate_high"] - rate, other - second["rate_low"])
    return rate - other, rate - other - below, rate - other + above
