"""The share of inconsistent turns, corrected by judgements, overall and by group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from qsquared.errors import UsageError
from qsquared.method.rates.design import strata
from qsquared.method.rates.estimate import Population, Share, estimate, labels_for, unlabelled
from qsquared.method.threshold import THRESHOLD, is_inconsistent
from qsquared.storage.labels.chances import chances_and_judgements
from qsquared.storage.labels.records import RATE, judged_replies, read_all
from qsquared.storage.records.store_index import store_option
from qsquared.storage.tables.registry import DRAWS, LABELS

if TYPE_CHECKING:
    import numpy.typing as npt

    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store

LEAST_LABELS = 30
LEAST_IN_GROUP = 20
MOST_UNLABELLED = 0.34
_MOST_OUTSIDE = 0.05


@dataclass(frozen=True, slots=True)
class Labelled:
    """Replies with their judgements, as a population, and the turns of each group.

    ``unscored`` turns have no score and are not counted, ``outside`` turns came after the draws.
    ``others`` judged replies were drawn by other scores only and are not counted; ``unjudged`` drawn
    ones have no judgement.
    """

    population: Population
    pairs: tuple[str, ...]
    groups: dict[str, npt.NDArray[np.float64]]
    unscored: int
    outside: int
    others: int = 0
    unjudged: int = 0


@dataclass(frozen=True, slots=True)
class Rate:
    """The inconsistent share of some turns: by the scores alone, by the labels alone, and corrected."""

    group: str
    turns: int
    raw: float
    alone: Share
    corrected: Share
    worth: float
    """Judgements of a simple sample, without scores, that would have the variance."""
    halved: int
    """Judgements that would halve the interval."""
    unlabelled: float
    """The share of the turns that is in strata of the score without a judgement."""

    def to_json(self) -> dict[str, Any]:
        """Return the rate as plain JSON; what is infinite becomes None."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return None if isinstance(value, float) and not np.isfinite(value) else value


def labelled(
    store: Store, replies: pl.DataFrame, score: Score, *, any_scores: bool = False
) -> Labelled:
    """Return the selected replies with their judgements and chances.

    Args:
        store: the store.
        replies: the selected ones (`qsquared.storage.labels.selection.selected`).
        score: the score that corrects.
        any_scores: also count judgements of replies that another score drew.

    Raises:
        UsageError: the judgements do not allow an estimate.
    """
    draws = read_all(store, DRAWS)
    for_rates = draws.filter(pl.col("purpose") == RATE)
    if for_rates.is_empty():
        raise UsageError("No reply of the store was drawn to be judged.", _draw(store))
    alike = for_rates.filter(any_scores | (pl.col("configuration") == score.configuration))
    if alike.is_empty():
        raise UsageError(
            f"The labels are older than the scores: they were drawn by the {for_rates['measure'][0]} of "
            "another configuration.",
            "The rate stays right, but its interval may be wider: add --any-scores. Or draw anew.",
        )
    known = chances_and_judgements(draws, read_all(store, LABELS), set(alike["draw"].to_list()))
    if not known["drawn"].any():
        number = alike.filter("drawn")["pair_id"].n_unique()
        raise UsageError(
            f"0 of {number:,} drawn replies are judged; a rate takes {LEAST_LABELS}.", _read(store)
        )
    unscored = int(replies.filter(pl.col("score").is_null())["turns"].sum())
    scored = replies.filter(pl.col("score").is_not_null())
    frame = scored.group_by("pair_id").agg(pl.first("score"), pl.sum("turns")).sort("pair_id")
    frame = frame.join(known, "pair_id", "left", maintain_order="left")
    inside = frame.filter(pl.col("chance") > 0)
    every = int(frame["turns"].sum())
    outside = every - int(inside["turns"].sum())
    if outside > _MOST_OUTSIDE * every:
        raise UsageError(
            f"{outside:,} of the {every:,} selected turns could not be drawn: they came "
            "after the draw, or it was of other turns.",
            f"Select the turns of the draw (--from, --to, --where). {_draw(store)}",
        )
    judged = inside["judged"].fill_null(np.nan).to_numpy()
    labels = int((~np.isnan(judged)).sum())
    others = _judged_by_others(store, for_rates, inside)
    if labels < LEAST_LABELS:
        hint = f"{others:,} more were drawn by other scores: add --any-scores. " if others else ""
        raise UsageError(
            f"{labels:,} of {int(inside['drawn'].sum()):,} drawn replies of these turns are judged; a "
            f"rate takes {LEAST_LABELS}.",
            hint + _read(store),
        )
    unjudged = inside.filter(pl.col("drawn") & pl.col("judged").is_null())
    _refuse_unjudged(store, unjudged, inside, labels)
    turns = inside["turns"].to_numpy().astype(float)
    predictions = 1 - inside["score"].to_numpy()
    cells = strata(predictions, turns, labels)
    population = Population(turns, predictions, cells, inside["chance"].to_numpy(), judged)
    _refuse_unlabelled(store, population)
    pairs = inside["pair_id"]
    groups = {}
    for (name,), part in scored.group_by("group"):
        own = inside.select("pair_id").join(
            part.select("pair_id", held="turns"), "pair_id", "left", maintain_order="left"
        )
        groups["(none)" if name is None else str(name)] = own["held"].fill_null(0).to_numpy() * 1.0
    ordered = dict(sorted(groups.items()))
    return Labelled(
        population, tuple(pairs.to_list()), ordered, unscored, outside, others, len(unjudged)
    )


def _draw(store: Store) -> str:
    """Return the remedy for too few drawn replies."""
    return f"Draw more: q2 label draw --n 100 --out form.html {store_option(store)}"


def _read(store: Store) -> str:
    """Return the remedy for too few judged replies."""
    return (
        f"Read the filled forms: q2 label read FORM.csv {store_option(store)}. "
        f"Write the rest of one again: {_again(store)}"
    )


def _again(store: Store) -> str:
    """Return the command that writes the rest of a form."""
    return f"q2 label draw --again DRAW --out rest.html {store_option(store)}"


def _judged_by_others(store: Store, for_rates: pl.DataFrame, inside: pl.DataFrame) -> int:
    """Return the number of replies that are judged, but in draws that are not counted only."""
    counted = inside.filter(pl.col("judged").is_not_null())["pair_id"]
    drawn = for_rates.filter(
        pl.col("drawn") & pl.col("pair_id").is_in(inside["pair_id"].to_list())
    ).select(pl.col("pair_id").unique())
    judged = drawn.join(judged_replies(store), "pair_id", "semi")["pair_id"]
    return len(set(judged.to_list()) - set(counted.to_list()))


def _refuse_unjudged(
    store: Store, unjudged: pl.DataFrame, inside: pl.DataFrame, labels: int
) -> None:
    """Refuse to let judged replies stand for drawn ones that are too frequent for that.

    The judged ones stand for the others of their stratum, each for about as many turns as all turns
    divided by the labels. A reply of more turns was drawn to speak for itself.

    Raises:
        UsageError: such replies have no judgement, and together too many turns.
    """
    every = int(inside["turns"].sum())
    frequent = unjudged.filter(pl.col("turns") > every / labels)
    share = int(frequent["turns"].sum()) / every
    if share > _MOST_OUTSIDE:
        raise UsageError(
            f"Of the drawn replies, {len(frequent):,} without a judgement gave {share:.0%} of the turns, "
            "and no others can stand for so many.",
            f"Judge them. Write the rest of the form again: {_again(store)}",
        )


def _refuse_unlabelled(store: Store, population: Population) -> None:
    """Refuse judgements that leave out a part of the scores.

    Raises:
        UsageError: too many turns are in strata without a judgement.
    """
    without, missed = unlabelled(population)
    if missed > _MOST_OUTSIDE:
        raise UsageError(
            f"{missed:.0%} of the selected turns are in strata of the score of which replies were drawn "
            "and none is judged: the unjudged are no random part.",
            f"Judge the rest of the form. Write it again: {_again(store)}",
        )
    if without > MOST_UNLABELLED:
        raise UsageError(
            f"{without:.0%} of the selected turns are in strata of the score without a label.",
            f"Judge the rest of the form. {_draw(store)}",
        )


def rate_of(labels: Labelled, group: str | None = None) -> Rate | None:
    """Return the rate of all selected turns or of a group; ``None`` where it has too few labels."""
    population, name = labels.population, "all"
    if group is not None:
        population, name = population.part(labels.groups[group]), group
        if not len(population.turns) or population.labels < LEAST_IN_GROUP:
            return None
    corrected, alone = estimate(population), estimate(population.without_scores())
    wrong = is_inconsistent(1 - population.predictions, THRESHOLD)
    return Rate(
        name,
        int(population.turns.sum()),
        float(population.turns[wrong].sum() / population.turns.sum()),
        alone,
        corrected,
        corrected.observations,
        labels_for(corrected, corrected.width / 2),
        unlabelled(population)[0],
    )
