"""Statistics of agreement: correlations, accuracy, detection of a class, the best threshold, differences.

The figures are those of scipy and scikit-learn (tested against them).
Differences between two metrics on the same items are by the paired bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from qsquared.method.bootstrap import Array, Statistic, distribution, percentile_interval
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


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A statistic of the first metric minus that of the second, on the items that have both.

    ``p`` is two-sided; ``support`` is the number of items (or repetitions) behind it.
    """

    part: str
    first: str
    second: str
    difference: float
    interval: tuple[float, float] | None
    p: float | None
    support: int


def paired_bootstrap(
    statistic: Statistic, labels: Array, first: Array, second: Array, clusters: Sequence[str]
) -> float | None:
    """Return the two-sided p-value of the difference between two metrics on the same items.

    Each resample draws the same contexts for both; ``None`` where too few items have both.
    """
    defined = ~(np.isnan(first) | np.isnan(second))
    kept = [name for name, has_both in zip(clusters, defined, strict=True) if has_both]
    if len(set(kept)) < 2:
        return None
    return p_value(
        distribution(statistic, labels[defined], first[defined], kept)
        - distribution(statistic, labels[defined], second[defined], kept)
    )


def compare_all(
    part: str,
    statistic: Statistic,
    labels: Array,
    values: Mapping[str, Array],
    clusters: Sequence[str],
) -> tuple[MetricDifference, ...]:
    """Compare all pairs of metrics; each resample draws the same whole contexts for both of a pair.

    A pair without two contexts that have both, or without the statistic on them, is left out.
    """
    names = np.array(clusters, dtype=str)
    known: dict[tuple[str, bytes], Array] = {}

    def resampled(metric: str, there: npt.NDArray[np.bool_]) -> Array:
        key = (metric, there.tobytes())
        if key not in known:
            kept = names[there].tolist()
            known[key] = distribution(statistic, labels[there], values[metric][there], kept)
        return known[key]

    found = []
    for first, second in combinations(values, 2):
        there = ~(np.isnan(values[first]) | np.isnan(values[second]))
        if len(set(names[there])) < 2:
            continue
        gained = statistic(labels[there], values[first][there])
        lost = statistic(labels[there], values[second][there])
        if np.isnan(gained - lost):
            continue
        drawn = resampled(first, there) - resampled(second, there)
        support = int(there.sum())
        found.append(_difference(part, first, second, float(gained - lost), drawn, support))
    return tuple(found)


def compare_repetitions(part: str, repeated: Mapping[str, Array]) -> tuple[MetricDifference, ...]:
    """Compare all pairs of metrics by their figures in repetitions that drew alike for all."""
    found = []
    for first, second in combinations(repeated, 2):
        drawn = repeated[first] - repeated[second]
        sound = drawn[~np.isnan(drawn)]
        if len(sound):
            mean = float(sound.mean())
            found.append(_difference(part, first, second, mean, drawn, len(sound)))
    return tuple(found)


def _difference(
    part: str, first: str, second: str, value: float, drawn: Array, support: int
) -> MetricDifference:
    interval, p = percentile_interval(drawn), p_value(drawn)
    return MetricDifference(part, first, second, value, interval, p, support)


def p_value(differences: Array) -> float | None:
    """Return twice the smaller share of differences on one side of zero, at least 2 / (number + 1)."""
    sound = differences[~np.isnan(differences)]
    if not len(sound):
        return None
    below, above = (sound <= 0).sum() + 1, (sound >= 0).sum() + 1
    return float(min(1.0, 2 * min(below, above) / (len(sound) + 1)))
