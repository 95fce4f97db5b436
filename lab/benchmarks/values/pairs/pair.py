"""A pair of answers with the right verdict, and numbers as people write them."""

# ruff: noqa: SIM905  # word lists read better as running text

from __future__ import annotations

import random
from dataclasses import dataclass

HOLDS = "holds"
DIFFERS = "differs"
UNSURE = "unsure"
"""Neither holds nor differs for certain, so that the judge or half a point has to decide."""


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """The reply's and the knowledge's answer to a question, with the right verdict.

    ``units_differ`` tells pairs whose units are not the same.
    """

    kind: str
    question: str
    claim: str
    known: str
    verdict: str
    units_differ: bool = False


Draw = random.Random

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()


def written(draw: Draw, number: int) -> str:
    """Write a whole number in one of the ways that people have."""
    forms = [f"{number:,}", str(number)]
    if number < len(_SMALL):
        forms += [_SMALL[number]] * 2
    if number >= 1_000_000 and number % 100_000 == 0:
        forms += [f"{number / 1e6:g} million"] * 2
    if 1_000 <= number < 1_000_000 and number % 1_000 == 0:
        forms.append(f"{number // 1000} thousand")
    return draw.choice(forms)


def another(draw: Draw, number: int) -> int:
    """Return a number that is no rounding of another one."""
    return number + draw.choice([-1, 1]) * max(1, round(number * draw.uniform(0.3, 0.8)))
