"""Draw judgements from judged replies again and again, and compare the estimates with the truth."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lab.benchmarks.rates.judged import Judged
from qsquared.method.rates.design import allocate, chances_of, draw, strata, usual_risk
from qsquared.method.rates.estimate import Population, Share, estimate
from qsquared.method.roc_auc import roc_auc

Array = npt.NDArray[np.float64]

RARE = 0.05
MOST_REPEATS = 40


@dataclass(frozen=True, slots=True)
class Case:
    """Replies with what people say of each, a score, and how often each was given."""

    name: str
    unfaithful: Array
    predictions: Array
    turns: Array

    @property
    def truth(self) -> float:
        """The share of unfaithful turns."""
        return float(self.unfaithful @ self.turns / self.turns.sum())

    @property
    def auc(self) -> float:
        """The probability that an unfaithful reply has the higher prediction; ties count half."""
        return roc_auc(self.unfaithful, self.predictions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Coverage, bias (in widths of the interval) and mean width over all draws of one size.

    ``alone`` are coverage and width of as many judgements of a simple sample, without scores.
    """

    labels: int
    coverage: float
    bias: float
    width: float
    alone_coverage: float
    alone_width: float


def cases(judged: Judged, measure: str, seed: int = 0) -> list[Case]:
    """Return the replies that have a score: all, with a rare class, and with repeated replies."""
    rng = np.random.default_rng(seed)
    score = judged.scores[measure]
    there = ~np.isnan(score)
    bad = judged.unfaithful[there].astype(float)
    whole = Case(judged.name, bad, 1 - score[there], np.ones(len(bad)))
    wrong, right = np.flatnonzero(bad > 0), np.flatnonzero(bad == 0)
    few = rng.permutation(wrong)[: max(2, round(len(right) * RARE / (1 - RARE)))]
    kept = np.sort(np.concatenate([right, few]))
    rare = replace(
        whole,
        name=f"{judged.name}, {RARE:.0%} unfaithful",
        unfaithful=bad[kept],
        predictions=whole.predictions[kept],
        turns=whole.turns[kept],
    )
    repeats = np.minimum(rng.zipf(2.2, len(bad)), MOST_REPEATS).astype(float)
    repeated = replace(whole, name=f"{judged.name}, repeated replies", turns=repeats)
    return [whole, rare, repeated]


def simulate(case: Case, labels: int, draws: int, seed: int = 1) -> Outcome:
    """Draw so many judgements so often, by the design of ``q2 label draw`` and by a simple one."""
    rng = np.random.default_rng(seed)
    cells = strata(case.predictions, case.turns, labels)
    risk = usual_risk(case.predictions, case.turns)
    chances = chances_of(cells, case.turns, allocate(cells, case.turns, risk, labels))
    single = np.zeros_like(cells)
    plain = chances_of(single, case.turns, np.array([labels]))
    nobody = np.full(len(cells), np.nan)
    design = Population(case.turns, case.predictions, cells, chances, nobody)
    simple = replace(design, chances=plain).without_scores()
    found, alone = (
        [estimate(_drawn(case, one, rng)) for _ in range(draws)] for one in (design, simple)
    )
    width = _width(found)
    bias = (float(np.mean([share.value for share in found])) - case.truth) / width
    return Outcome(
        labels,
        _coverage(found, case.truth),
        bias,
        width,
        _coverage(alone, case.truth),
        _width(alone),
    )


def _drawn(case: Case, population: Population, rng: np.random.Generator) -> Population:
    judged = population.judged.copy()
    places = draw(population.cells, population.chances, rng)
    judged[places] = case.unfaithful[places]
    return replace(population, judged=judged)


def _coverage(shares: list[Share], truth: float) -> float:
    return float(np.mean([share.low <= truth <= share.high for share in shares]))


def _width(shares: list[Share]) -> float:
    return float(np.mean([share.width for share in shares]))
