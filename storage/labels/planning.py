"""The number of replies to draw for an interval of a wanted width, by what is known so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from qsquared.errors import UsageError
from qsquared.method.rates.estimate import labels_for, labels_planned
from qsquared.method.threshold import is_inconsistent
from qsquared.storage.labels.drawing import least_drawn
from qsquared.storage.labels.rates import LEAST_LABELS, labelled, rate_of
from qsquared.storage.labels.records import draws_for_rates
from qsquared.storage.records.store_index import store_option

if TYPE_CHECKING:
    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store


def labels_for_width(
    store: Store, replies: pl.DataFrame, score: Score, width: float
) -> tuple[int, str]:
    """Return how many replies to draw for an interval of that width, and the reason as a sentence.

    Raises:
        UsageError: the judgements so far give such an interval already.
    """
    scored = replies.drop_nulls("score")
    distinct = scored["pair_id"].n_unique()
    least = min(least_drawn(scored["group"].n_unique()), distinct)
    try:
        rate = rate_of(labelled(store, replies, score))
    except UsageError:
        rate = None
    if rate is None:
        number, share = labels_by_scores(replies, width)
        return max(number, least), (
            f"By the scores alone, {share:.0%} are inconsistent: {number:,} labels would bound that to "
            f"{width:g}; fewer will do if the score is good.{_at_least(number, least)}"
        )
    if rate.corrected.width <= width:
        raise UsageError(
            f"The interval is {rate.corrected.width:.3f} wide already, and {width:g} was asked for.",
            f"See it: q2 rate {store_option(store)}",
        )
    needed = max(1, labels_for(rate.corrected, width) - rate.corrected.labels)
    return max(needed, least), (
        f"By the {rate.corrected.labels:,} labels so far, {needed:,} more give an interval of "
        f"{width:g}.{_at_least(needed, least)}"
    )


def lacking_for_a_rate(store: Store, replies: pl.DataFrame, score: Score) -> str:
    """Return in sentences how far the replies drawn for a rate are from one; empty if they are enough.

    Judged or not, each reply that a draw by that score took counts once.
    """
    draws = draws_for_rates(store).filter(
        pl.col("drawn") & (pl.col("configuration") == score.configuration)
    )
    there = replies.drop_nulls("score").select(pl.col("pair_id").unique())
    drawn = len(there.join(draws, "pair_id", "semi"))
    if drawn >= LEAST_LABELS:
        return ""
    takes = f"A rate takes {LEAST_LABELS} judged replies"
    if len(there) < LEAST_LABELS:
        return (
            f"{takes}, and the selected turns have only {len(there):,} distinct with a score: no "
            "rate can come of them. Select more turns, or score more logs."
        )
    return (
        f"{takes}, and with this draw only {drawn:,} replies of these turns are drawn or judged. Once they are "
        f"judged, draw {LEAST_LABELS - drawn:,} or more others."
    )


def _at_least(number: int, least: int) -> str:
    return f" A draw takes {least:,} at least." if number < least else ""


def labels_by_scores(replies: pl.DataFrame, width: float) -> tuple[int, float]:
    """Return how many labels give an interval of that width if the scores' share is the true one.

    The second value is that share of the turns.
    """
    scored = replies.drop_nulls("score")
    wrong = is_inconsistent(scored["score"].to_numpy())
    share = float(scored["turns"].to_numpy()[wrong].sum() / max(1, scored["turns"].sum()))
    return labels_planned(share, scored["pair_id"].n_unique(), width), share
