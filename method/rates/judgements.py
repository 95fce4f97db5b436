"""The judgements of several annotators on one reply, and the agreement of two."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

CONSISTENT = "consistent"
INCONSISTENT = "inconsistent"
VERDICTS = (CONSISTENT, INCONSISTENT)


def resolved(verdicts: Iterable[str]) -> float:
    """Return 1 if most call the reply inconsistent, 0 if most do not, and one half at a tie."""
    votes = [verdict == INCONSISTENT for verdict in verdicts]
    against = 2 * sum(votes)
    return 0.5 if against == len(votes) else float(against > len(votes))


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
