"""The share of inconsistent turns, corrected by judgements, overall and by group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from qsquared.errors import UsageError
from qsquared.method.rates.design import strata
from qsquared.method.rates.estimate import Population, Share, estimate, labels_for, worth
from qsquared.method.threshold import THRESHOLD, is_inconsistent
from qsquared.storage.labels.records import draws_for_rates, judged_replies

if TYPE_CHECKING:
    import numpy.typing as npt

    from qsquared.storage.labels.selection import Score
    from qsquared.storage.store import Store

LEAST_LABELS = 30
LEAST_IN_GROUP = 20
_MOST_UNLABELLED = 0.34
_MOST_OUTSIDE = 0.05
_DRAW = "Draw more: q2 label draw --n 100 --out form.html"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Replies with their judgements, as a population, and the turns of each group.

    ``unscored`` turns have no score and are not counted, ``outside`` turns came after the draws.
    """

    population: Population
    pairs: tuple[str, ...]
    groups: dict[str, npt.NDArray[np.float64]]
    unscored: int
    outside: int


@dataclass(frozen=True, slots=True)
class Rate:
    """The inconsistent share of some turns: by the scores alone, by the labels alone, and corrected."""

    group: str
    turns: int
    raw: float
    alone: Share
    corrected: Share
    worth: float
    halved: int
    """Judgements that would halve the interval."""

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
    draws = draws_for_rates(store)
    if draws.is_empty():
        raise UsageError("No reply of the store was drawn to be judged.", _DRAW)
    others = draws.filter(pl.col("configuration") != score.configuration)
    if len(others) and not any_scores:
        raise UsageError(
            f"The labels are older than the scores: they were drawn by the {others['measure'][0]} of "
            "another configuration.",
            "The rate stays right, but its interval may be wider: add --any-scores. Or draw anew.",
        )
    unscored = int(replies.filter(pl.col("score").is_null())["turns"].sum())
    scored = replies.filter(pl.col("score").is_not_null())
    frame = scored.group_by("pair_id").agg(pl.first("score"), pl.sum("turns")).sort("pair_id")
    frame = frame.join(_chances(store, draws), "pair_id", "left", maintain_order="left")
    inside = frame.filter(pl.col("chance") > 0)
    every = int(frame["turns"].sum())
    outside = every - int(inside["turns"].sum())
    if outside > _MOST_OUTSIDE * every:
        raise UsageError(
            f"{outside:,} of the {every:,} selected turns could not be drawn: they came "
            "after the draw, or it was of other turns.",
            f"Select the turns of the draw (--from, --to, --where). {_DRAW}",
        )
    judged = inside["judged"].fill_null(np.nan).to_numpy()
    labels = int((~np.isnan(judged)).sum())
    if labels < LEAST_LABELS:
        raise UsageError(
            f"{labels:,} of the selected replies are judged; a rate takes {LEAST_LABELS}.",
            f"Read the filled forms (q2 label read FORM.csv), or draw more. {_DRAW}",
        )
    turns = inside["turns"].to_numpy().astype(float)
    predictions = 1 - inside["score"].to_numpy()
    cells = strata(predictions, turns, labels)
    _refuse_unlabelled(cells, turns, judged)
    population = Population(turns, predictions, cells, inside["chance"].to_numpy(), judged)
    pairs = inside["pair_id"]
    groups = {}
    for (name,), part in scored.group_by("group"):
        own = inside.select("pair_id").join(
            part.select("pair_id", held="turns"), "pair_id", "left", maintain_order="left"
        )
        groups["(none)" if name is None else str(name)] = own["held"].fill_null(0).to_numpy() * 1.0
    ordered = dict(sorted(groups.items()))
    return Labelled(population, tuple(pairs.to_list()), ordered, unscored, outside)


def _chances(store: Store, draws: pl.DataFrame) -> pl.DataFrame:
    """Return `pair_id`, `chance` (that some draw took it and it was judged) and `judged`.

    Drawn replies that nobody judged are taken for a random part of the drawn ones.
    """
    judged = judged_replies(store)
    drawn = draws.filter("drawn")
    answered = (
        drawn.join(judged, "pair_id", "left")
        .group_by("draw")
        .agg(answered=pl.col("judged").is_not_null().mean())
    )
    missed = 1 - pl.col("chance") * pl.col("answered").fill_null(0.0)
    chances = (
        draws.join(answered, "draw", "left").group_by("pair_id").agg(chance=1 - missed.product())
    )
    counted = drawn.select("pair_id").unique().join(judged, "pair_id")
    return chances.join(counted, "pair_id", "left")


def _refuse_unlabelled(
    cells: npt.NDArray[np.intp], turns: npt.NDArray[np.float64], judged: npt.NDArray[np.float64]
) -> None:
    """Refuse judgements that leave out a large part of the scores.

    Raises:
        UsageError: more than a third of the turns is in strata without a judgement.
    """
    there = np.bincount(cells[~np.isnan(judged)], minlength=int(cells.max()) + 1) > 0
    without = float(turns[~there[cells]].sum() / turns.sum())
    if without > _MOST_UNLABELLED:
        raise UsageError(
            f"{without:.0%} of the selected turns are in strata of the score without a label.",
            f"Judge the rest of the form. {_DRAW}",
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
        worth(corrected, alone),
        min(len(population.turns), labels_for(corrected, corrected.width / 2))
        if corrected.width
        else corrected.labels,
    )
