"""The 95 % interval of a share of turns, in Python and as SQL.

The interval is about the bot: the turns are a sample of what it would say.
It is Wilson's (Wilson 1927; Brown, Cai and DasGupta 2001), for the number of independent turns that
would say as much.
Turns of one pair have one score and are one observation, however often the reply was given (Kish's
effective number (Σn)² / Σn², n being the turns of a pair).
Turns of one conversation are more alike than others: what their residuals covary by is added to the
variance, clustered by pair and by conversation (Cameron, Gelbach and Miller 2011), and Student's
quantile is taken for as many degrees of freedom as there are conversations less one.
"""

import math
from collections.abc import Iterable

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def effective_number(sizes: Iterable[float]) -> float:
    """Return Kish's effective number of observations for clusters of these sizes; 0 for none."""
    counts = list(sizes)
    squares = sum(size * size for size in counts)
    return sum(counts) ** 2 / squares if squares else 0.0


def clustered_number(
    share: float, turns: float, observations: float, excess: float, number: int
) -> float:
    """Return an effective number that conversations, too, have lowered; see `clustered_number_sql`."""
    spread = share * (1 - share)
    if number < 2 or spread <= 0:
        return observations
    more = max(0.0, excess) * number / (number - 1) / spread / turns**2
    quantile = 1 + (NORMAL**2 + 1) / 4 / (number - 1)
    return 1 / (1 / observations + more) / quantile**2


def wilson_interval(share: float, observations: float) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval of a share.

    Args:
        share: 0 to 1.
        observations: how many independent draws it rests on, not always a whole number.

    Raises:
        ValueError: there is no observation.
    """
    if observations <= 0:
        raise ValueError("an interval needs at least one observation")
    weight = NORMAL**2 / observations
    middle = (share + weight / 2) / (1 + weight)
    half = NORMAL * math.sqrt(share * (1 - share) / observations + weight / (4 * observations))
    half /= 1 + weight
    return max(0.0, middle - half), min(1.0, middle + half)


def newcombe_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """Return the ends of the 95 % interval of the difference of two shares.

    Newcombe's for independent shares (1998, method 10), made of the intervals that the shares have.

    Args:
        first: the share, and the lower and upper end of its interval.
        second: the same of the share that is taken from it.
    """
    value, low, high = first
    other, other_low, other_high = second
    below = math.hypot(value - low, other_high - other)
    above = math.hypot(high - value, other - other_low)
    return value - other - below, value - other + above


def effective_number_sql(size: str, counted: str) -> str:
    """Return the SQL aggregate of `effective_number` over rows that are clusters; NULL for none.

    Args:
        size: SQL of a cluster's number of turns.
        counted: SQL condition on the clusters that count.
    """
    where = f"FILTER (WHERE {counted})"
    return (
        f"CAST(sum({size}) {where} AS DOUBLE) ** 2 / CAST(sum({size} * {size}) {where} AS DOUBLE)"
    )


def clustered_number_sql(
    share: str, turns: str, observations: str, excess: str, number: str
) -> str:
    """Return the SQL of an effective number that conversations, too, have lowered.

    Args:
        share: SQL of the share, 0 to 1.
        turns: SQL of the number of turns.
        observations: SQL of the effective number by pairs.
        excess: SQL of the sum over all two turns of one conversation and different pairs of the
            product of what they differ from the share; NULL where no turn has a conversation.
        number: SQL of the number of conversations.
    """
    degrees, variance = f"({number} - 1.0)", f"({share} * (1 - {share}))"
    more = f"greatest(0, {excess}) * {number} / {degrees} / {variance} / {turns} ** 2"
    # Student's quantile over the normal one (Cornish and Fisher's expansion).
    quantile = f"(1 + {(NORMAL**2 + 1) / 4} / {degrees})"
    return (
        f"CASE WHEN {number} > 1 AND {variance} > 0 "
        f"THEN 1 / (1 / {observations} + {more}) / {quantile} ** 2 ELSE {observations} END"
    )


def wilson_interval_sql(share: str, observations: str) -> tuple[str, str]:
    """Return the SQL of both ends of `wilson_interval`; NULL where the share is NULL.

    Args:
        share: an SQL expression, 0 to 1.
        observations: an SQL expression above 0.
    """
    weight = f"({NORMAL**2} / {observations})"
    middle = f"(({share} + {weight} / 2) / (1 + {weight}))"
    half = (
        f"({NORMAL} * sqrt({share} * (1 - {share}) / {observations} + {weight} / (4 * {observations}))"
        f" / (1 + {weight}))"
    )
    # greatest and least would pass over a NULL, which has to stay one.
    low = f"CASE WHEN {middle} < {half} THEN 0 ELSE {middle} - {half} END"
    high = f"CASE WHEN {middle} + {half} > 1 THEN 1 ELSE {middle} + {half} END"
    return low, high
