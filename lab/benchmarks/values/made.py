"""Pairs of answers made from known values, with the verdict that these give.

A pair is written from numbers, dates and times, never by reading a text, so the verdicts do not
depend on what is measured.
"""

# ruff: noqa: SIM905  # word lists read better as running text

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from lab.benchmarks.values.pairs.measures import durations, measures, temperatures
from lab.benchmarks.values.pairs.numbers import bounds, counts, money, percentages, rounded
from lab.benchmarks.values.pairs.pair import DIFFERS, HOLDS, UNSURE, AnswerPair, Draw
from lab.benchmarks.values.pairs.times import dates, periods, times

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIRS = 300
_NAMES = ("apples", "pears", "plums", "figs", "Anna", "Bruno", "Chile", "Peru", "tennis", "chess")


def made_pairs(number: int = PAIRS, seed: int = 16) -> list[AnswerPair]:
    """Return pairs of all kinds in turn; the same number and seed give the same pairs."""
    return list(_made(number, random.Random(seed)))


def _made(number: int, draw: Draw) -> Iterator[AnswerPair]:
    for index in range(number):
        yield _MAKERS[index % len(_MAKERS)](draw)


def _lists(draw: Draw) -> AnswerPair:
    names = draw.sample(_NAMES, 4)
    turned = names[:3][::-1]
    case = draw.choice(["same", "fewer", "another", "pair"])
    claim, known, verdict = _listed(draw, names[:3]), _listed(draw, turned), HOLDS
    if case == "fewer":
        claim = _listed(draw, names[:2])
    elif case == "another":
        claim, verdict = _listed(draw, [names[0], names[3]]), UNSURE
    elif case == "pair":
        claim, known = _listed(draw, names[:2]), _listed(draw, names[1::-1])
    return AnswerPair("list", "What is on the list?", claim, known, verdict)


def _listed(draw: Draw, names: list[str]) -> str:
    last = draw.choice([" and ", ", and "]) if len(names) > 2 else " and "
    return ", ".join(names[:-1]) + last + names[-1]


def _places(draw: Draw) -> AnswerPair:
    words = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
    place = draw.randint(1, 10)
    other = place if draw.random() < 0.5 else place % 10 + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(other, "th")
    verdict = HOLDS if place == other else DIFFERS
    return AnswerPair(
        "place", "In which place did they finish?", words[place - 1], f"{other}{ending}", verdict
    )


_MAKERS = (
    counts, money, percentages, dates, periods, times, durations, measures,
    temperatures, bounds, rounded, _lists, _places, dates, bounds, money, durations, measures,
)  # fmt: skip
