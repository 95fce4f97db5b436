"""The probability that the knowledge supports all that a reply says.

Q² is a mean over questions, so one false sentence of three leaves two thirds of it; a judge of
sentences sees no details; a question sees no condition.
Support is a logistic model of what both say of a reply: how surely its least entailed sentence is
entailed, how surely its most contradicted one is not contradicted, its Q², and whether the words
of all that was asked about stand in the knowledge, which says less of a reply of many sentences.
How much each of the first three counts depends on how long the knowledge is.
It goes beyond the papers; docs/decisions/0042 to 0045 say by what it was chosen, and how good it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

SUPPORT_VERSION = 11
"""Raised whenever the same judgements and questions would give another support, of a reply or of a sentence."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of support, none below 0, and the intercept."""

    intercept: float
    least_entailed: float
    least_uncontradicted: float
    q2: float


FEW_WORDS, MANY_WORDS = 25, 125
"""Words of knowledge whose weights are chosen; between them weights are on a line, in their logarithm.

Beside a sentence or two of knowledge an answer that differs is a mistake, and Q² tells most; a page
has answers to many questions, and the judge tells most.
"""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weights beside few and beside many words of knowledge, and that of ``all_stand`` beside any number."""

    few: Weights
    many: Weights
    all_stand: float


WEIGHTINGS = {
    "compact": Weighting(
        Weights(-0.310, 0.209, 0.0, 2.735), Weights(0.555, 0.519, 0.282, 0.664), all_stand=1.352
    ),
    "base": Weighting(
        Weights(-1.043, 0.227, 0.275, 2.586), Weights(-0.236, 0.481, 0.351, 1.326), all_stand=1.452
    ),
}
"""Chosen by ``python -m lab.training.support --profile NAME``: a surer judge counts for more."""

_SUREST = 0.999
"""Probabilities are read as no surer than this, so that one judgement never decides alone."""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A claim of a reply: P(entailment), P(contradiction), and Q² over the questions about it, each 0 to 1.

    ``q2`` is ``None`` where no question about it is valid.
    ``in_knowledge`` says whether the words of each span that was asked about stand in the knowledge, and
    ``questions`` how many valid questions ``q2`` is the mean of.
    """

    entailment: float
    contradiction: float
    q2: float | None = None
    in_knowledge: bool = True
    questions: int = 1


def support(
    sentences: Sequence[JudgedSentence], knowledge_words: int, weighting: str = "compact"
) -> float:
    """Return the probability, 0 to 1, that the knowledge supports all that a reply says.

    Args:
        sentences: the claims of the reply.
        knowledge_words: the number of words of its knowledge, all passages together.
        weighting: the name in ``WEIGHTINGS`` of the weights that fit the judge.

    Raises:
        ValueError: there is none.
    """
    return 1 / (1 + math.exp(-log_odds(parts(sentences), knowledge_words, WEIGHTINGS[weighting])))


def support_of_each(
    sentences: Sequence[JudgedSentence], knowledge_words: int, weighting: str = "compact"
) -> list[float]:
    """Return the probability, 0 to 1, that the knowledge supports each claim of a reply.

    The weights were fitted to replies of which half are supported.
    If half of the replies of n claims are, each of these is with a probability of 2^(-1/n), so its log
    odds are higher by those of this share (docs/decisions/0048).
    No claim is less surely supported than all of them.

    Args:
        sentences: all claims of the reply.
        knowledge_words: the number of words of its knowledge, all passages together.
        weighting: the name in ``WEIGHTINGS`` of the weights that fit the judge.

    Raises:
        ValueError: there is no claim.
    """
    whole = log_odds(parts(sentences), knowledge_words, WEIGHTINGS[weighting])
    usual = _logit(0.5 ** (1 / len(sentences)))
    alone = (
        log_odds(parts([sentence]), knowledge_words, WEIGHTINGS[weighting]) + usual
        for sentence in sentences
    )
    return [1 / (1 + math.exp(-max(odds, whole))) for odds in alone]


def number_of_words(knowledge: Sequence[str]) -> int:
    """Return the number of words of all passages together."""
    return sum(len(passage.split()) for passage in knowledge)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of support.

    They are the least log odds of entailment and of no contradiction, Q² of the reply, and a half or minus a
    half for whether all that was asked about stands in the knowledge, divided by the number of sentences.
    """

    least_entailed: float
    least_uncontradicted: float
    q2: float
    all_stand: float


def parts(sentences: Sequence[JudgedSentence]) -> Parts:
    """Return the parts of support of some sentences.

    Raises:
        ValueError: there is none.
    """
    if not sentences:
        raise ValueError("a reply that claims nothing has no support")
    return Parts(
        min(_logit(sentence.entailment) for sentence in sentences),
        min(_logit(1 - sentence.contradiction) for sentence in sentences),
        _q2_of_reply(sentences),
        (all(sentence.in_knowledge for sentence in sentences) - 0.5) / len(sentences),
    )


def _q2_of_reply(sentences: Sequence[JudgedSentence]) -> float:
    """Return the mean over the valid questions of all sentences, which is Q² of the reply.

    Where none is valid the judge's word stands for it; what nobody can ask about, such as an opinion, is
    left out as the paper leaves it out.
    """
    asked = [(sentence.q2, sentence.questions) for sentence in sentences if sentence.q2 is not None]
    if not asked:
        return fmean(sentence.entailment for sentence in sentences)
    return math.fsum(q2 * number for q2, number in asked) / sum(number for _, number in asked)


def log_odds(read: Parts, knowledge_words: int, weighting: Weighting) -> float:
    """Return the logarithm of the odds of support beside so many words of knowledge."""
    many = share_of_many(knowledge_words)
    weighed = (1 - many) * _weighed(read, weighting.few) + many * _weighed(read, weighting.many)
    return weighed + weighting.all_stand * read.all_stand


def share_of_many(knowledge_words: int) -> float:
    """Return the share of the way from few words to many, 0 to 1, on a logarithmic scale."""
    bounded = min(max(knowledge_words, FEW_WORDS), MANY_WORDS)
    return math.log(bounded / FEW_WORDS) / math.log(MANY_WORDS / FEW_WORDS)


def _weighed(read: Parts, weights: Weights) -> float:
    return (
        weights.intercept
        + weights.least_entailed * read.least_entailed
        + weights.least_uncontradicted * read.least_uncontradicted
        + weights.q2 * read.q2
    )


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1 - _SUREST), _SUREST)
    return math.log(bounded / (1 - bounded))
