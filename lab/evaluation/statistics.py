"""Statistics of agreement: correlations, accuracy, detection of a class, and the best threshold.

The figures are those of scipy and scikit-learn (tested against them).
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from qsquared.method.bootstrap import Array, Statistic
from qsquared.method.threshold import THRESHOLD, is_inconsistent


def pearson(labels: Array, values: Array) -> float:
    """Return Pearson's correlation; NaN where either does not vary."""
    first, second = labels - labels.mean(), values - values.mean()
    scale = np.sqrt((first @ first) * (second @ second))
    # Constant values leave only rounding.
    tiny = 1e-12 * max(1.0, len(labels))
    return float(first @ second / scale) if scale > tiny else float("nan")


def spearman(labels: Array, values: Array) -> float:
    """Return Spearman's rank correlation, ties at their mean rank."""
    return pearson(rankdata(labels), rankdata(values))


def mean_value(_labels: Array, values: Array) -> float:
    """Return the mean of the values, whatever the labels."""
    return float(values.mean()) if len(values) else float("nan")


def accuracy_at(threshold: float) -> Statistic:
    """Return the share of items on the right side of a threshold, as a statistic.

    A value at the threshold counts as inconsistent, in the paper and its published code: a neutral
    verdict of the NLI baseline is 0.5.
    """

    def accuracy(labels: Array, values: Array) -> float:
        return float((is_inconsistent(values, threshold) == (labels <= 0.5)).mean())

    return accuracy


def detection(kind: str, consistent: bool, threshold: float = THRESHOLD) -> Statistic:
    """Return precision, recall or F1 (``kind``) of one class, as a statistic; 0 where none is called."""

    def found(labels: Array, values: Array) -> float:
        truth = (labels > 0.5) == consistent
        called = is_inconsistent(values, threshold) != consistent
        hits = float((truth & called).sum())
        precision = hits / max(1, int(called.sum()))
        recall = hits / max(1, int(truth.sum()))
        if kind == "precision":
            return precision
        if kind == "recall":
            return recall
        return 2 * precision * recall / (precision + recall) if hits else 0.0

    return found


def best_threshold(labels: Array, values: Array, statistic: Callable[[float], Statistic]) -> float:
    """Return the threshold that is best on these items; of equal ones the lowest.

    It is one of the values, or, where all items are best called consistent, just below them.
    """
    candidates = np.unique(values)
    candidates = np.append(np.nextafter(candidates[0], -np.inf), candidates)
    scores = [statistic(float(candidate))(labels, values) for candidate in candidates]
    return float(candidates[int(np.nanargmax(scores))])


def alpha_of_two(first: Array, second: Array) -> float:
    """Return Krippendorff's alpha for two nominal values, from how often each item was given them.

    Items of one annotator say nothing about agreement and are left out; NaN where all agree on one.
    """
    votes = first + second
    there = votes > 1
    first, second, votes = first[there], second[there], votes[there]
    observed = float((first * second / (votes - 1)).sum())
    expected = float(first.sum() * second.sum() / max(1.0, votes.sum() - 1))
    return 1 - observed / expected if expected else float("nan")
