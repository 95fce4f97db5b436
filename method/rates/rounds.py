"""Several draws of the same replies, one after another, as one sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Round:
    """One draw, with a value for each reply.

    Attributes:
        chances: that the draw takes a reply, if it can.
        answered: that a reply is judged, if the draw takes it.
        family: draws of one family do not take a reply that another of them brought a judgement of.
        counted: whether its judgements count.
        once: whether it could not take a reply that any draw had taken before, judged or not.
    """

    chances: Array
    answered: Array
    family: str = ""
    counted: bool = True
    once: bool = False


def chances_of_judgement(rounds: Sequence[Round]) -> Array:
    """Return the probability that any counted draw brings the judgement of a reply.

    Args:
        rounds: all draws of these replies, oldest first.
    """
    never_taken = np.ones_like(rounds[0].chances)
    found: dict[str, Array] = {}
    for one in rounds:
        if one.counted:
            so_far = found.get(one.family, np.zeros_like(never_taken))
            free = never_taken if one.once else 1 - so_far
            found[one.family] = so_far + free * one.chances * one.answered
        never_taken = never_taken * (1 - one.chances)
    missed = np.ones_like(never_taken)
    for chances in found.values():
        missed = missed * (1 - chances)
    return 1 - missed
