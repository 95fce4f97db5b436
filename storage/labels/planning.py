"""The number of replies to draw for an interval of a wanted width, by what is known so far."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from qsquared.errors import UsageError
from qsquared.method.intervals import wilson_interval
from qsquared.method.rates.estimate import labels_for
from qsquared.method.threshold import is_inconsistent
from qsquared.storage.labels.rates import labelled, rate_of

if TYPE_CHECKING:
    import polars as pl

    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store


def labels_for_width(
    store: Store, replies: pl.DataFrame, score: Score, width: float
) -> tuple[int, str]:
    """Return how many replies to draw for an interval of that width, and the reason as a sentence.

    Raises:
        UsageError: the judgements so far give such an interval already.
    """
    try:
        rate = rate_of(labelled(store, replies, score, any_scores=True))
    except UsageError:
        rate = None
    if rate is None:
        scored = replies.drop_nulls("score")
        wrong = is_inconsistent(scored["score"].to_numpy())
        share = float(scored["turns"].to_numpy()[wrong].sum() / max(1, scored["turns"].sum()))
        number = 1
        while _width(share, number) > width:
            number = math.ceil(number * 1.02 + 1)
        return number, (
            f"By the scores alone, {share:.0%} are inconsistent: {number:,} labels would bound that to "
            f"{width:g}; fewer will do if the score is good."
        )
    needed = labels_for(rate.corrected, width) - rate.corrected.labels
    if needed <= 0:
        raise UsageError(
            f"The interval is {rate.corrected.width:.3f} wide already.", "Ask for it: q2 rate"
        )
    return needed, (
        f"By the {rate.corrected.labels:,} labels so far, {needed:,} more give an interval of {width:g}."
    )


def _width(share: float, number: int) -> float:
    low, high = wilson_interval(share, number)
    return high - low
