"""The independent turns that the turns of conversations are worth, by judgements of some of them."""

from __future__ import annotations

import numpy as np

from qsquared.method.bootstrap import Array, Indices
from qsquared.method.intervals import clustered_number, effective_number

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
