"""Bootstrap intervals of agreement with labels, over whole clusters such as all replies to one knowledge.

Statistics that a bootstrap takes thousands of times are written here so that they take microseconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Statistic = Callable[[Array, Array], float]
"""From labels and values to a figure; NaN where it is not defined."""
RESAMPLES = 1000
SEED = 7
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic, its 95 % interval (``None`` where there is none), and the number of its items."""

    value: float | None
    interval: tuple[float, float] | None
    support: int


def resamples(clusters: Sequence[str]) -> tuple[Indices, ...]:
    """Return the index sets of a bootstrap over whole clusters; the same clusters give the same."""
    return _resamples(tuple(clusters), RESAMPLES)


@lru_cache(maxsize=64)
def _resamples(clusters: tuple[str, ...], number: int) -> tuple[Indices, ...]:
    rng = np.random.default_rng(SEED)
    _, owner = np.unique(np.array(clusters, dtype=str), return_inverse=True)
    order = np.argsort(owner, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(owner))[:-1])
    drawn = rng.integers(0, len(members), (number, len(members)))
    if len(members) == len(clusters):
        return tuple(order[drawn])
    return tuple(np.concatenate([members[i] for i in row]) for row in drawn)


def distribution(
    statistic: Statistic, labels: Array, values: Array, clusters: Sequence[str]
) -> Array:
    """Return the statistic on each resample of the clusters; NaN where it is not defined."""
    return np.array([statistic(labels[drawn], values[drawn]) for drawn in resamples(clusters)])


def percentile_interval(values: Array) -> tuple[float, float] | None:
    """Return the percentile interval of a distribution; ``None`` where it has no value."""
    sound = values[~np.isnan(values)]
    if not len(sound):
        return None
    low, high = np.percentile(sound, [100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def bootstrap(
    statistic: Statistic, labels: Array, values: Array, clusters: Sequence[str]
) -> Figure:
    """Return a statistic of the items that have a value, with its interval over clusters."""
    defined = ~np.isnan(values)
    labels, values = labels[defined], values[defined]
    support = len(values)
    value = statistic(labels, values) if support else float("nan")
    if np.isnan(value):
        return Figure(None, None, support)
    kept = [name for name, has_value in zip(clusters, defined, strict=True) if has_value]
    if len(set(kept)) < 2:
        return Figure(value, None, support)
    return Figure(
        value, percentile_interval(distribution(statistic, labels, values, kept)), support
    )
