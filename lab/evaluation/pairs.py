"""Differences between any two metrics on the same items, by the paired bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from qsquared.method.bootstrap import (
    Array,
    Statistic,
    distribution,
    p_value,
    percentile_interval,
)


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
