"""Simulated systems, to see whether a metric ranks systems as people would (Q², section 5.1).

From contexts with one consistent and one inconsistent response, systems are drawn that differ in
the share of inconsistent responses only.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from qsquared.method.bootstrap import Array

SHARES = (0.05, 0.10, 0.15, 0.20, 0.25)
"""Shares of inconsistent responses of the five systems."""

RESPONSES = 350
"""Responses of a simulated system, to contexts drawn with replacement."""

REPETITIONS = 1000


def simulate_systems(
    consistent: Array,
    inconsistent: Array,
    *,
    shares: tuple[float, ...] = SHARES,
    responses: int = RESPONSES,
    repetitions: int = REPETITIONS,
    seed: int = 7,
    same_contexts: bool = True,
) -> Array:
    """Return the mean score of each simulated system (repetitions by systems).

    Args:
        consistent: a metric's value of the consistent response of each context.
        inconsistent: that of the inconsistent one.
        shares: of inconsistent responses, one for each system.
        responses: of each system.
        repetitions: how often all systems are drawn.
        seed: the same seed draws the same contexts for every metric.
        same_contexts: whether the systems of a repetition answer the same contexts, as in the
            published code; else each system draws its own, as the text reads ("for each simulated system").

    Raises:
        ValueError: there is no context.
    """
    if not len(consistent):
        raise ValueError("there is no context with a consistent and an inconsistent response")
    size = (repetitions, len(shares), responses)
    drawn, is_wrong = _draw(len(consistent), shares, size, seed, same_contexts)
    scores = np.where(is_wrong, inconsistent[drawn], consistent[drawn])
    means: Array = np.nanmean(scores, axis=2)
    return means


@lru_cache(maxsize=2)
def _draw(
    contexts: int,
    shares: tuple[float, ...],
    size: tuple[int, int, int],
    seed: int,
    same_contexts: bool,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Draw each system's contexts, and mark those to which its response is the inconsistent one."""
    rng = np.random.default_rng(seed)
    repetitions, _, responses = size
    drawn = rng.integers(0, contexts, (repetitions, 1, responses) if same_contexts else size)
    order = rng.random(size).argsort(axis=2)
    wrong = np.round(np.array(shares) * responses).astype(int)
    return np.broadcast_to(drawn, size), order < wrong[:, None]


def rank_correlations(means: Array, shares: tuple[float, ...] = SHARES) -> Array:
    """Return Spearman's correlation of the systems' mean scores with people's, for each repetition.

    People's score of a system is its share of consistent responses.
    A repetition in which all systems score alike has no correlation (NaN).
    """
    human = rankdata(1 - np.array(shares))
    ranks = rankdata(means, axis=1)
    first, second = ranks - ranks.mean(axis=1, keepdims=True), human - human.mean()
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.where(scale > 0, first @ second / scale, np.nan)
    return found
