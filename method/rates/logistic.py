"""Logistic regression for a few judgements, with a weak prior so that it always has a solution."""

from dataclasses import dataclass

import numpy as np

from qsquared.method.bootstrap import Array

SLOPE_PRIOR = 0.25
"""Precision of the slope's prior around 0, the feature having the standard deviation 1."""

_STEPS = 50
_EXACT = 1e-7


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted regression: the probability of 1 by a feature."""

    centre: float
    scale: float
    coefficients: Array

    def __call__(self, feature: Array) -> Array:
        """Return the probability at each value of the feature."""
        return _expit(_design((feature - self.centre) / self.scale) @ self.coefficients)


def fit_logistic(feature: Array, outcomes: Array, weights: Array | None = None) -> Logistic:
    """Fit a regression by Newton's method.

    Half a positive and half a negative outcome at the mean of the feature are added, so that outcomes
    that are all the same give no probability of 0 or 1.

    Args:
        feature: of each outcome.
        outcomes: 0 or 1.
        weights: of the outcomes; 1 if left out.
    """
    counts = np.ones(len(feature)) if weights is None else weights / weights.mean()
    centre = float(np.average(feature, weights=counts))
    scale = float(np.sqrt(np.average((feature - centre) ** 2, weights=counts)))
    if scale <= 1e-9 * (1 + abs(centre)):
        scale = np.inf
    design = _design(np.append((feature - centre) / scale, [0.0, 0.0]))
    outcomes = np.append(outcomes, [0.0, 1.0])
    counts = np.append(counts, [0.5, 0.5])
    precision = np.diag([0.0, SLOPE_PRIOR])
    coefficients = np.zeros(2)
    for _ in range(_STEPS):
        chances = _expit(design @ coefficients)
        slope = design.T @ (counts * (outcomes - chances)) - precision @ coefficients
        bend = (design.T * (counts * chances * (1 - chances))) @ design + precision
        step = np.clip(np.linalg.solve(bend, slope), -2, 2)
        coefficients = coefficients + step
        if np.abs(step).max() < _EXACT:
            break
    return Logistic(centre, scale, coefficients)


def _design(feature: Array) -> Array:
    return np.column_stack([np.ones(len(feature)), feature])


def _expit(values: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
