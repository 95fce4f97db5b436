"""Probabilities and thresholds from judged replies, measured on held-out folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qsquared.method.bootstrap import Array
from qsquared.method.rates.estimate import FOLDS
from qsquared.method.rates.logistic import fit_logistic
from qsquared.method.roc_auc import roc_auc

KNOTS = 21


@dataclass(frozen=True, slots=True)
class Curve:
    """A falling curve from a score to the probability that a reply is inconsistent.

    Between the knots it is a straight line, and outside of them it is level.
    """

    scores: tuple[float, ...]
    chances: tuple[float, ...]

    def __call__(self, scores: Array) -> Array:
        """Return the probability at each score."""
        return np.interp(scores, self.scores, self.chances)


def fit_curve(scores: Array, judged: Array, weights: Array) -> Curve:
    """Fit Platt's curve to judged replies.

    Args:
        scores: of the judged replies, higher where one is consistent.
        judged: 1 for an inconsistent reply, 0 for another, one half at a tie.
        weights: how many turns each stands for.
    """
    knots = np.linspace(scores.min(), scores.max(), KNOTS)
    fitted = fit_logistic(scores, judged, weights)(knots)
    return Curve(tuple(knots.tolist()), tuple(np.minimum.accumulate(fitted).tolist()))


def held_out(scores: Array, judged: Array, weights: Array) -> Array:
    """Return the probability of each judged reply by the curve that was fitted to the other folds.

    The arguments are those of `fit_curve`.
    """
    folds = np.random.default_rng(0).permutation(len(judged)) % FOLDS
    chances = np.zeros(len(judged))
    for fold in range(FOLDS):
        inside = folds == fold
        curve = fit_curve(scores[~inside], judged[~inside], weights[~inside])
        chances[inside] = curve(scores[inside])
    return chances


def brier(chances: Array, judged: Array, weights: Array) -> float:
    """Return the weighted mean square of what the probabilities miss."""
    return float(np.average((chances - judged) ** 2, weights=weights))


def auc(chances: Array, judged: Array) -> float:
    """Return the probability that an inconsistent reply has the higher probability.

    Replies on which the judgements are tied are left out.
    """
    decided = judged != 0.5
    return roc_auc(judged[decided], chances[decided])


@dataclass(frozen=True, slots=True)
class Bin:
    """Replies of like probability: their mean, the judged share, and their number."""

    chance: float
    share: float
    labels: int


def reliability(chances: Array, judged: Array, weights: Array, bins: int = 5) -> list[Bin]:
    """Return bins of about equally many judged replies, by their held-out probability."""
    order = np.argsort(chances, kind="stable")
    return [
        Bin(
            float(np.average(chances[part], weights=weights[part])),
            float(np.average(judged[part], weights=weights[part])),
            len(part),
        )
        for part in np.array_split(order, bins)
        if len(part)
    ]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold at or below which a score is called inconsistent, with what it catches."""

    value: float
    precision: float
    recall: float


def threshold_for(
    scores: Array, judged: Array, weights: Array, *, precision: float = 0.0, recall: float = 0.0
) -> Threshold | None:
    """Return the threshold with the highest recall (or precision) that has the wanted precision (recall).

    ``None`` where no threshold has it.
    """
    thresholds = []
    bad = float(weights @ judged)
    for value in np.unique(scores):
        called = scores <= value
        hits = float(weights[called] @ judged[called])
        threshold = Threshold(
            float(value), hits / float(weights[called].sum()), hits / bad if bad else 0.0
        )
        if threshold.precision >= precision and threshold.recall >= recall:
            thresholds.append(threshold)
    if not thresholds:
        return None
    return max(
        thresholds,
        key=lambda t: (t.precision, t.recall) if recall else (t.recall, t.precision),
    )
