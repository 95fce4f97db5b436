"""Samples of replies with known inclusion probabilities.

The replies are divided into strata of like scores.
A stratum gets judgements by how many turns it holds and how uncertain they are (Neyman 1934).
Within a stratum a reply's probability grows with how often it was given, up to 1, and the sample has
a fixed size (systematic sampling in random order; Hartley and Rao 1962).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit, ndtri

from qsquared.method.bootstrap import Array, Indices

LABELS_IN_STRATUM = 12
"""Judgements that a stratum should get."""

MOST_STRATA = 10
USUAL_SHARE = 0.27
USUAL_SLOPE = 1.3
"""The share of unfaithful replies, and what a score tells of them, as long as nothing is known.

The slope is that of a score with an area of about .8 under its curve.
"""


def strata(predictions: Array, turns: Array, labels: int) -> Indices:
    """Return the stratum of each reply: ranges of the prediction with about equally many turns.

    Equal predictions are in one stratum; the strata are numbered from 0, without gaps.

    Args:
        predictions: higher where a reply is more likely unfaithful.
        turns: how many turns gave each reply.
        labels: how many replies will be drawn.
    """
    number = max(1, min(MOST_STRATA, labels // LABELS_IN_STRATUM))
    middle, index = _ranks(predictions, turns)
    ranges = np.minimum((middle * number).astype(np.intp), number - 1)
    _, dense = np.unique(ranges, return_inverse=True)
    return np.asarray(dense[index], dtype=np.intp)


def usual_risk(predictions: Array, turns: Array) -> Array:
    """Return the probability that each reply is unfaithful, by its rank, where nobody has judged yet."""
    middle, index = _ranks(predictions, turns)
    chances: Array = expit(logit(USUAL_SHARE) + USUAL_SLOPE * ndtri(middle))[index]
    return chances


def _ranks(predictions: Array, turns: Array) -> tuple[Array, Indices]:
    """Return the share of turns below each distinct prediction, ties half, and each reply's place."""
    values, index = np.unique(predictions, return_inverse=True)
    turns_of = np.bincount(index, weights=turns, minlength=len(values))
    return (np.cumsum(turns_of) - turns_of / 2) / max(1.0, turns_of.sum()), np.asarray(
        index, dtype=np.intp
    )


def equal_shares(most: Sequence[int], number: int) -> list[int]:
    """Return as many draws for each group; what a small group lacks, the others give.

    Args:
        most: how many replies each group has.
        number: how many to draw in all, or, if fewer, all replies.
    """
    shares = [0] * len(most)
    while (left := min(number, sum(most)) - sum(shares)) > 0:
        below = [group for group, share in enumerate(shares) if share < most[group]]
        for group in below[:left]:
            shares[group] += min(most[group] - shares[group], max(1, left // len(below)))
    return shares


def allocate(cells: Indices, turns: Array, risk: Array, labels: int) -> Indices:
    """Return the number of replies to draw from each cell, in all ``labels`` or, if fewer, all replies.

    A cell of two or more gives at least two, so that its variance is known, if there are enough.

    Args:
        cells: the cell of each reply.
        turns: how many turns gave each reply.
        risk: the probability that each is unfaithful.
        labels: how many replies to draw.
    """
    most = np.bincount(cells)
    turns_of = np.maximum(np.bincount(cells, weights=turns), 1e-12)
    mean = np.bincount(cells, weights=turns * risk) / turns_of
    demand = turns_of * np.sqrt(mean * (1 - mean)) + 1e-12
    total = min(labels, int(most.sum()))
    wanted = np.minimum(most, 2) if total >= 2 * len(most) else np.zeros(len(most), dtype=np.intp)
    while wanted.sum() < total:
        # The cell that is furthest below its share comes next (Sainte-Laguë).
        wanted[int(np.argmax(np.where(wanted < most, demand / (2 * wanted + 1), -1.0)))] += 1
    return np.asarray(wanted, dtype=np.intp)


def probabilities(turns: Array, number: int) -> Array:
    """Return inclusion probabilities in proportion to the turns, at most 1, with the sum ``number``."""
    if number >= len(turns):
        return np.ones(len(turns))
    chances = np.zeros(len(turns))
    certain = np.zeros(len(turns), dtype=bool)
    while True:
        rest = ~certain
        chances[rest] = turns[rest] * ((number - certain.sum()) / turns[rest].sum())
        above = rest & (chances >= 1)
        if not above.any():
            return chances
        chances[above] = 1.0
        certain |= above


def chances_of(cells: Indices, turns: Array, wanted: Indices) -> Array:
    """Return the inclusion probability of each reply, for so many draws from each cell."""
    chances = np.zeros(len(turns))
    for cell, number in enumerate(wanted):
        inside = cells == cell
        chances[inside] = probabilities(turns[inside], int(number))
    return chances


def draw(cells: Indices, chances: Array, rng: np.random.Generator) -> Indices:
    """Draw replies with these inclusion probabilities, a fixed number from each cell.

    Returns:
        The positions of the drawn replies, in random order.
    """
    drawn = [np.zeros(0, dtype=np.intp)]
    for cell in np.unique(cells):
        order = rng.permutation(np.flatnonzero(cells == cell))
        ends = np.cumsum(chances[order])
        # The sum is a whole number but for rounding.
        ticks = rng.random() + np.arange(round(float(ends[-1])))
        places = np.searchsorted(ends, np.minimum(ticks, np.nextafter(ends[-1], 0)), "right")
        drawn.append(order[places])
    return np.asarray(rng.permutation(np.concatenate(drawn)), dtype=np.intp)
