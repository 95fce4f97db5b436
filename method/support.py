"""The probability that the knowledge supports all that a reply says.

Q² is a mean over questions, so one false sentence of three leaves two thirds of it; a judge of
sentences sees no details; a question sees no condition.
Support is a logistic model of what both say of a reply's sentences, of the least supported one and on
average; how much each of them counts depends on how long the knowledge is.
It goes beyond the papers; docs/decisions/0031 says by what it was chosen, and how good it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

SUPPORT_VERSION = 4
"""Raised whenever the same judgements and questions would give another support."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of support, none below 0, and the intercept."""

    intercept: float
    least_entailed: float
    mean_entailed: float
    least_q2: float
    mean_q2: float


FEW_WORDS, MANY_WORDS = 25, 125
"""Words of knowledge whose weights are chosen; between them weights are on a line, in their logarithm.

Beside a sentence or two of knowledge an answer that differs is a mistake, and Q² tells most; a page
has answers to many questions, and the judge tells most.
"""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weights beside few and beside many words of knowledge."""

    few: Weights
    many: Weights


WEIGHTINGS = {
    "compact": Weighting(
        Weights(-0.807, 0.04, 0.141, 0.19, 2.851), Weights(-0.237, 0.35, 0.092, 0.81, 0.336)
    ),
    "base": Weighting(
        Weights(-1.28, 0.0, 0.229, 0.539, 2.77), Weights(-0.683, 0.392, 0.176, 0.554, 0.665)
    ),
}
"""Chosen by ``python -m lab.training.support --profile NAME``: a surer judge counts for more."""

_SUREST = 0.999
"""Probabilities are read as no surer than this, so that one judgement never decides alone."""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A claim of a reply: P(entailment), and Q² over the questions about it, each 0 to 1.

    ``q2`` is ``None`` where no question about it is valid; the judge's word then stands for it.
    """

    entailment: float
    q2: float | None = None


def support(
    sentences: Sequence[JudgedSentence], knowledge_words: int, weighting: str = "compact"
) -> float:
    """Return the probability, 0 to 1, that the knowledge supports all of some sentences.

    Args:
        sentences: the claims of a reply, or one of them.
        knowledge_words: the number of words of its knowledge, all passages together.
        weighting: the name in ``WEIGHTINGS`` of the weights that fit the judge.

    Raises:
        ValueError: there is none.
    """
    return 1 / (1 + math.exp(-log_odds(parts(sentences), knowledge_words, WEIGHTINGS[weighting])))


def number_of_words(knowledge: Sequence[str]) -> int:
    """Return how many words all passages have together."""
    return sum(len(passage.split()) for passage in knowledge)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of support: log odds of entailment, and Q², each of the least sentence and on average."""

    least_entailed: float
    mean_entailed: float
    least_q2: float
    mean_q2: float


def parts(sentences: Sequence[JudgedSentence]) -> Parts:
    """Return what the model of support reads of some sentences.

    Raises:
        ValueError: there is none.
    """
    if not sentences:
        raise ValueError("a reply that claims nothing has no support")
    entailed = [_logit(sentence.entailment) for sentence in sentences]
    q2 = [s.entailment if s.q2 is None else s.q2 for s in sentences]
    return Parts(min(entailed), fmean(entailed), min(q2), fmean(q2))


def log_odds(read: Parts, knowledge_words: int, weighting: Weighting) -> float:
    """Return the logarithm of the odds of support beside so many words of knowledge."""
    many = share_of_many(knowledge_words)
    return (1 - many) * _weighed(read, weighting.few) + many * _weighed(read, weighting.many)


def share_of_many(knowledge_words: int) -> float:
    """Return how far a number of words is on the way from few to many, 0 to 1."""
    bounded = min(max(knowledge_words, FEW_WORDS), MANY_WORDS)
    return math.log(bounded / FEW_WORDS) / math.log(MANY_WORDS / FEW_WORDS)


def _weighed(read: Parts, weights: Weights) -> float:
    return (
        weights.intercept
        + weights.least_entailed * read.least_entailed
        + weights.mean_entailed * read.mean_entailed
        + weights.least_q2 * read.least_q2
        + weights.mean_q2 * read.mean_q2
    )


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1 - _SUREST), _SUREST)
    return math.log(bounded / (1 - bounded))
