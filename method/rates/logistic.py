"""Logistic regression for a few judgements, with a weak prior so that it always has a solution."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SLOPE_PRIOR = 0.25
"""Precision of the slopes' prior around 0, the features having the standard deviation 1."""

_STEPS = 50
_EXACT = 1e-7


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted regression: the probability of 1 by features."""

    centre: Array
    scale: Array
    coefficients: Array

    def __call__(self, features: Array) -> Array:
        """Return the probability of each row of features."""
        return _expit(_design((_as_rows(features) - self.centre) / self.scale) @ self.coefficients)


def fit_logistic(features: Array, outcomes: Array, weights: Array | None = None) -> Logistic:
    """Fit a regression by Newton's method.

    Half a positive and half a negative outcome at the mean of the features are added, so that outcomes
    that are all the same give no probability of 0 or 1.

    Args:
        features: a row for each outcome, or one feature as a vector.
        outcomes: 0 or 1.
        weights: of the outcomes; 1 if left out.
    """
    rows = _as_rows(features)
    counts = np.ones(len(rows)) if weights is None else weights * (len(rows) / weights.sum())
    centre = np.average(rows, axis=0, weights=counts)
    scale = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=counts))
    scale[scale <= 1e-9 * (1 + np.abs(centre))] = np.inf
    design = _design(np.vstack([(rows - centre) / scale, np.zeros((2, rows.shape[1]))]))
    outcomes = np.append(outcomes, [0.0, 1.0])
    counts = np.append(counts, [0.5, 0.5])
    precision = np.diag([0.0] + [SLOPE_PRIOR] * rows.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chances = _expit(design @ found)
        slope = design.T @ (counts * (outcomes - chances)) - precision @ found
        bend = (design.T * (counts * chances * (1 - chances))) @ design + precision
        step = np.clip(np.linalg.solve(bend, slope), -2, 2)
        found = found + step
        if np.abs(step).max() < _EXACT:
            break
    return Logistic(centre, scale, found)


def _as_rows(features: Array) -> Array:
    return features[:, None] if features.ndim == 1 else features


def _design(rows: Array) -> Array:
    return np.column_stack([np.ones(len(rows)), rows])


def _expit(values: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))
