"""Estimates of a share from judged replies and the scores of all replies (PPI++).

Angelopoulos, Duchi and Zrnic 2023: the mean of the predictions over all replies, times a factor
lambda, plus the mean of what the judgements differ from that.
Here the judged replies are a stratified sample with known inclusion probabilities, so the second
mean is weighted, stratum by stratum.

The interval is Wilson's, for the number of independent judgements that would have the estimate's
variance, with Student's quantile, whose degrees of freedom the rarer judgement bounds.
A few judgements of a rare class say little of their own variance: it is mixed with that of a logistic
regression of the judgements on the scores.
``docs/results/rates-simulation.md`` has its coverage on judged replies.

`independent_turns` tells what the turns of conversations are worth, by judgements of some of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from qsquared.method.bootstrap import Array, Indices
from qsquared.method.intervals import (
    NORMAL,
    clustered_number,
    effective_number,
    newcombe_interval,
    wilson_interval,
)
from qsquared.method.rates.logistic import fit_logistic

FOLDS = 5
MODEL_JUDGEMENTS = 24
"""The variance by the regression counts as much as that of so many judgements of a stratum."""

FREEDOM_OF_A_COUNT = 4
"""At most so many degrees of freedom for each of the rarer judgements, and for one more.

The variance of k counts alone has 2 k (Satterthwaite), and the regression adds to what is known.
"""

SURELY_LABELLED = 7.0
"""A cell of which the design expects so many judgements has none once in a thousand samples (e⁻⁷)."""

_SEED = 0


@dataclass(frozen=True, slots=True)
class Population:
    """The replies that a share is about.

    ``turns`` is how often each was given, above 0.
    ``predictions`` are higher where a reply is more likely unfaithful, at best its probability.
    ``cells`` are the strata, numbered in the order of their scores, and ``chances`` the inclusion
    probabilities of the design.
    ``judged`` is 1 for an unfaithful reply, 0 for another, NaN for one without a judgement.
    """

    turns: Array
    predictions: Array
    cells: Indices
    chances: Array
    judged: Array

    @property
    def labels(self) -> int:
        """The number of judgements."""
        return int((~np.isnan(self.judged)).sum())

    def part(self, turns: Array) -> Population:
        """Return a part of the turns, by how many of them gave each reply."""
        present = turns > 0
        return Population(
            turns[present],
            self.predictions[present],
            self.cells[present],
            self.chances[present],
            self.judged[present],
        )

    def without_scores(self) -> Population:
        """Return the same replies in one stratum and with equal predictions."""
        nothing = np.zeros(len(self.turns))
        return replace(self, predictions=nothing, cells=nothing.astype(np.intp))


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share with its 95 % interval.

    ``variance`` is that of the estimate, ``labels`` the number of judgements it rests on, ``power`` the
    lambda of the predictions, and ``freedom`` the degrees of freedom of the interval.
    """

    value: float
    low: float
    high: float
    variance: float
    labels: int
    power: float
    freedom: float

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.high - self.low

    def of_bot(self, turns: float) -> Share:
        """Return the share of these turns as one of what the bot would say; its interval is wider.

        The turns are a sample, too: their own variance is added to that of the estimate.

        Args:
            turns: how many independent ones they are worth.
        """
        chance = _spread(self.value, self.labels) / max(1.0, turns)
        parts = ((self.variance, self.freedom), (chance, turns - 1))
        variance, freedom = self.variance + chance, _satterthwaite(*parts)
        low, high = _interval(self.value, variance, self.labels, freedom)
        return replace(self, low=low, high=high, variance=variance, freedom=freedom)


def _spread(value: float, labels: int) -> float:
    """Return the variance of one judgement, also where all of these labels are the same."""
    middle = (value * labels + 1) / (labels + 2)
    return middle * (1 - middle)


def _satterthwaite(*parts: tuple[float, float]) -> float:
    """Return the degrees of freedom of a sum of variances that have these."""
    below = sum(variance**2 / max(1.0, freedom) for variance, freedom in parts)
    return sum(variance for variance, _ in parts) ** 2 / below if below else math.inf


def estimate(population: Population, power: float | None = None) -> Share:
    """Estimate the share of unfaithful turns.

    Args:
        population: replies of which at least two are judged.
        power: lambda; chosen by cross-fitting between 0 and 1 if ``None``.

    Raises:
        ValueError: fewer than two replies are judged.
    """
    if population.labels < 2:
        raise ValueError("an estimate needs at least two judgements")
    labelled = np.flatnonzero(~np.isnan(population.judged))
    cells = merged_cells(population.cells, population.judged)
    sizes = np.bincount(cells, weights=population.turns)
    share_of = sizes / sizes.sum()
    cell_of, chances = cells[labelled], population.chances[labelled]
    weights = population.turns[labelled] / chances
    weights /= np.bincount(cell_of, weights=weights)[cell_of]
    judged = population.judged[labelled]
    # A prediction counts by what it differs from the mean of its cell, which all replies tell.
    means = np.bincount(cells, weights=population.turns * population.predictions) / sizes
    gain = population.predictions[labelled] - means[cell_of]
    pull = (share_of[cell_of] * weights) ** 2 * (1 - chances)
    powers = (
        np.full(len(labelled), power)
        if power is not None
        else _powers(judged, gain, pull, cell_of, weights)
    )
    adjusted = judged - powers * gain
    by_cell = np.bincount(cell_of, weights=weights * adjusted)
    spread = np.bincount(cell_of, weights=weights * (adjusted - by_cell[cell_of]) ** 2)
    labels = np.bincount(cell_of)
    fitted = fit_logistic(population.predictions[labelled], judged)(population.predictions)
    modelled = np.bincount(cells, weights=population.turns * fitted * (1 - fitted)) / sizes
    mixed = labels * spread + MODEL_JUDGEMENTS * modelled
    mixed /= labels - 1 + MODEL_JUDGEMENTS
    variance = float(np.bincount(cell_of, weights=pull) @ mixed)
    value = min(1.0, max(0.0, float(share_of @ by_cell)))
    rarer = float(min(judged.sum(), (1 - judged).sum()))
    freedom = min(len(labelled) - len(labels), FREEDOM_OF_A_COUNT * (rarer + 1))
    low, high = _interval(value, variance, len(labelled), freedom)
    return Share(value, low, high, variance, len(labelled), float(powers.mean()), freedom)


def unlabelled(population: Population) -> float:
    """Return the share of the turns that is in cells without a judgement, by no chance.

    The design expects so many judgements of such a cell that none is rarer than once in a thousand
    samples.
    """
    labelled = ~np.isnan(population.judged)
    size = int(population.cells.max()) + 1
    labels = np.bincount(population.cells[labelled], minlength=size)
    expected = np.bincount(population.cells, weights=population.chances, minlength=size)
    missed = (labels == 0) & (expected >= SURELY_LABELLED)
    return float(population.turns[missed[population.cells]].sum() / population.turns.sum())


def merged_cells(cells: Indices, judged: Array, least: int = 2) -> Indices:
    """Number the cells anew, each with at least ``least`` judgements; the others join a neighbour."""
    _, dense = np.unique(cells, return_inverse=True)
    labels = np.bincount(dense[~np.isnan(judged)], minlength=int(dense.max()) + 1)
    target = np.zeros(len(labels), dtype=np.intp)
    current, judgements = 0, 0
    for cell, number in enumerate(labels):
        if judgements >= least:
            current, judgements = current + 1, 0
        target[cell] = current
        judgements += int(number)
    if current and judgements < least:
        target[target == current] = current - 1
    return np.asarray(target[dense], dtype=np.intp)


def _powers(judged: Array, gain: Array, pull: Array, cell_of: Indices, weights: Array) -> Array:
    """Return for each judgement the lambda that those of the other folds choose."""
    folds = np.random.default_rng(_SEED).permutation(len(judged)) % FOLDS
    outcome = judged - np.bincount(cell_of, weights=weights * judged)[cell_of]
    gain = gain - np.bincount(cell_of, weights=weights * gain)[cell_of]
    cross, square = pull * outcome * gain, pull * gain**2
    powers = np.zeros(len(judged))
    for fold in range(FOLDS):
        inside = folds == fold
        total = float(square[~inside].sum())
        if total > 0:
            powers[inside] = min(1.0, max(0.0, float(cross[~inside].sum()) / total))
    return powers


def _interval(value: float, variance: float, labels: int, freedom: float) -> tuple[float, float]:
    """Return the ends of the interval: Wilson's, for as many judgements as have the variance."""
    if variance <= 0:
        return value, value
    quantile = float(stdtrit(max(1.0, freedom), 0.975))
    observations = _spread(value, labels) / variance * (NORMAL / quantile) ** 2
    low, high = wilson_interval(value, observations)
    return min(low, value), max(high, value)


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """The difference of two shares with its 95 % interval and two-sided p-value."""

    value: float
    low: float
    high: float
    p_value: float


def difference(first: Share, second: Share) -> ShareDifference:
    """Return the first share less the second, of two bots or versions (`Share.of_bot`).

    Their turns and judgements are independent.
    """
    low, high = newcombe_interval(
        (first.value, first.low, first.high), (second.value, second.low, second.high)
    )
    value = first.value - second.value
    spread = math.sqrt(first.variance + second.variance)
    freedom = _satterthwaite(*((share.variance, share.freedom) for share in (first, second)))
    p_value = float(2 * stdtr(freedom, -abs(value) / spread)) if spread else float(value == 0)
    return ShareDifference(value, low, high, p_value)


LEAST_PAIRS = 60
"""So many ordered pairs of judged turns of one conversation say how alike they are."""


def independent_turns(
    sizes: Array, conversations: Indices, turns: Array, judged: Array, share: float
) -> float:
    """Return the number of independent turns that some are worth, by the likeness of judged ones of a conversation.

    A score that errs sees less of that than there is.
    What is seen in the pairs of judged turns is taken for all pairs; too few pairs say nothing.

    Args:
        sizes: the turns of each reply.
        conversations: of each reply in a conversation, from 0.
        turns: how often the conversation has the reply.
        judged: 1, 0, or NaN without a judgement.
        share: of unfaithful turns.
    """
    observations = effective_number(sizes)
    if not len(turns):
        return observations
    is_judged = ~np.isnan(judged)
    product = np.where(is_judged, turns * (judged - share), 0.0)
    judged_pairs = _between(conversations, np.where(is_judged, turns, 0.0))
    if judged_pairs < LEAST_PAIRS:
        return observations
    excess = _between(conversations, product) / judged_pairs * _between(conversations, turns)
    number = len(np.unique(conversations))
    return clustered_number(share, float(sizes.sum()), observations, excess, number)


def _between(conversations: Indices, values: Array) -> float:
    """Return the sum of the products of each two values of a conversation, in both orders."""
    together = np.bincount(conversations, weights=values)
    return float((together**2).sum() - (values**2).sum())
