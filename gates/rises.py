"""Tests of a rise: today's share against the days before, beyond chance and their own variation.

Turns of one day are no independent draws: a reply is given many times, a conversation holds many
turns, and days differ.
A test that counts turns alone would call each busy day with a slightly higher share a rise.
So two tests are made, and the larger p-value counts:

- Fisher's exact test, one-sided, of today's turns against those of all days before: right for few
  turns, where approximations are not;
- Student's t, one-sided, of the difference of the two shares, whose variance has the spread of the
  days among each other in it, estimated by moments (DerSimonian & Laird, Controlled Clinical Trials
  7, 1986, equation 8): right for many turns, where days differ by more than chance.

Both hold their level where they apply, and so does the larger of the two.
Several groups tested at once are adjusted by Benjamini & Hochberg (J. R. Stat. Soc. B 57, 1995):
groups are disjoint turns, so the tests are independent; where no group has risen, the chance of any
false alarm in a night is at most the level, and among several alarms the expected share of false
ones is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True, slots=True)
class Tally:
    """A number of ``low`` turns among ``total``."""

    low: int
    total: int

    @property
    def share(self) -> float:
        """The share of low turns; 0 without any turn."""
        return self.low / self.total if self.total else 0.0


def pooled(tallies: Sequence[Tally]) -> Tally:
    """Return the tally of all turns together."""
    return Tally(sum(t.low for t in tallies), sum(t.total for t in tallies))


def spread_between_days(days: Sequence[Tally]) -> float:
    """Return the variance of the days' true shares, by moments; 0 if chance explains all.

    DerSimonian & Laird (1986), equation 8, with the days as studies.
    """
    whole = pooled(days).share
    if len(days) < 2 or whole in {0.0, 1.0}:
        return 0.0
    totals = np.array([day.total for day in days], dtype=float)
    shares = np.array([day.share for day in days])
    weights = totals / (whole * (1 - whole))
    excess = float(np.sum(weights * (shares - whole) ** 2)) - (len(days) - 1)
    return max(0.0, excess / float(np.sum(weights) - np.sum(weights**2) / np.sum(weights)))


def rise_p_value(today: Tally, days: Sequence[Tally]) -> float:
    """Return the one-sided p-value of today's share being higher than that of the days before.

    Args:
        today: at least one turn.
        days: the days before, at least two, each with at least one turn.

    Raises:
        ValueError: there are fewer days, or one is empty.
    """
    if len(days) < 2 or not all(day.total for day in (today, *days)):
        raise ValueError("a rise needs today and two days before, none of them empty")
    before = pooled(days)
    table = np.array([[tally.low, tally.total - tally.low] for tally in (today, before)])
    exact = float(stats.fisher_exact(table, alternative="greater").pvalue)
    return max(exact, _t_p_value(today, days))


def _t_p_value(today: Tally, days: Sequence[Tally]) -> float:
    before = pooled(days)
    whole = pooled([today, before]).share
    spread = spread_between_days(days)
    chance = whole * (1 - whole)
    # The mean of the days before is one of turns, so a day weighs as many as it has.
    unrest = spread * sum(day.total**2 for day in days) / before.total**2
    variance = chance / today.total + spread + chance / before.total + unrest
    if variance == 0:
        return 1.0
    return float(stats.t.sf((today.share - before.share) / math.sqrt(variance), len(days) - 1))


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg, in the same order; empty for none."""
    if not p_values:
        return []
    return [float(p) for p in stats.false_discovery_control(list(p_values), method="bh")]
