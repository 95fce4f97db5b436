"""A blend of Q² with two views of the whole response, which goes beyond the paper.

Q² sees single facts and misses what holds them together; end-to-end NLI sees the whole response at
once and misses details; token overlap sees neither, and is the floor that both are measured against.
The mean of the three needs no weights that could have been fitted to anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from qsquared.method.q2.score import FALLBACK_SCORES
from qsquared.method.q2.token_f1 import token_f1
from qsquared.records import Judgement


@dataclass(frozen=True, slots=True)
class Blend:
    """The blend and its three parts, each 0 to 1."""

    blend: float
    q2: float
    nli: float
    token_f1: float


def expected_nli(judgement: Judgement) -> float:
    """Return the end-to-end score's expected value under the judgement's probabilities.

    The paper's baseline scores the likeliest label: entailment 1, neutral 0.5, contradiction 0.
    """
    return (
        judgement.entailment * FALLBACK_SCORES["entailment"]
        + judgement.neutral * FALLBACK_SCORES["neutral"]
        + judgement.contradiction * FALLBACK_SCORES["contradiction"]
    )


def blend(q2: float, judgement: Judgement, response: str, knowledge: Sequence[str]) -> Blend:
    """Return the mean of Q², expected end-to-end NLI and token F1 of response and knowledge.

    Args:
        q2: Q² of the response, the fallback included.
        judgement: whether the knowledge entails the response.
        response: the reply.
        knowledge: its passages; they are joined by a space.
    """
    parts = (q2, expected_nli(judgement), token_f1(response, " ".join(knowledge)))
    return Blend(fmean(parts), *parts)
