"""The probability that the knowledge supports all that a reply says.

Q² is a mean over questions, so one false sentence of three leaves two thirds of it; a judge of
sentences sees no details; a question sees no condition.
Support is a logistic model of what both say of a reply's sentences, of the least supported one and on
average.
It goes beyond the papers; docs/decisions/0031 says by what it was chosen, and how good it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

SUPPORT_VERSION = 1
"""Raised whenever the same judgements and questions would give another support."""

INTERCEPT = -0.114
LEAST_ENTAILED = 0.281
MEAN_ENTAILED = 0.188
LEAST_Q2 = 0.234
MEAN_Q2 = 0.938
"""The weights of the parts, chosen by ``python -m lab.training.support`` for the profile ``compact``."""

_SUREST = 0.999
"""Probabilities are read as no surer than this, so that one judgement never decides alone."""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A claim of a reply: P(entailment), and Q² over the questions about it, each 0 to 1.

    ``q2`` is ``None`` where no question about it is valid; the judge's word then stands for it.
    """

    entailment: float
    q2: float | None = None


def support(sentences: Sequence[JudgedSentence]) -> float:
    """Return the probability, 0 to 1, that the knowledge supports all of some sentences.

    Args:
        sentences: the claims of a reply, or one of them.

    Raises:
        ValueError: there is none.
    """
    return 1 / (1 + math.exp(-log_odds(parts(sentences))))


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


def log_odds(read: Parts) -> float:
    """Return the logarithm of the odds of support."""
    return (
        INTERCEPT
        + LEAST_ENTAILED * read.least_entailed
        + MEAN_ENTAILED * read.mean_entailed
        + LEAST_Q2 * read.least_q2
        + MEAN_Q2 * read.mean_q2
    )


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1 - _SUREST), _SUREST)
    return math.log(bounded / (1 - bounded))
