"""Attribute a response's lost score to its spans, which goes beyond the paper.

Q² is the mean over the valid questions (Q², section 2), so what a response lacks to 1 is the sum of
what its questions lack, each divided by their number.
The share of a span is the sum over its questions, and the shares of all spans add up to what the
response lacks: nothing is estimated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import get_args

from qsquared.records import Verdict

GRAVITY: tuple[Verdict, ...] = get_args(Verdict)
"""The verdicts, worst first; the worst of its questions is a span's verdict."""

UNASKED, _ABSENT = 0.5, 0.5
"""The doubt of a span without a valid question, and what it adds that the knowledge lacks the span's words."""


@dataclass(frozen=True, slots=True)
class Questioned:
    """A valid question's span, score (0 to 1) and verdict."""

    span_index: int
    score: float
    verdict: str


@dataclass(frozen=True, slots=True)
class SpanShare:
    """A span's share of the points that its response lost, with its worst verdict.

    ``score`` is the mean over its questions, 0 to 1; ``verdict`` the worst among theirs.
    ``pull`` is the part of ``1 - q2`` that the span accounts for, 0 to 1.
    ``without`` is what Q² would be if its questions had not been asked; None if there were no others.
    """

    span_index: int
    questions: int
    score: float
    verdict: str
    pull: float
    without: float | None


def attribute(questions: Sequence[Questioned]) -> list[SpanShare]:
    """Return the share of each span that has a valid question, the largest first.

    Ties go to the span that comes first in the response.
    A response without a valid question has no shares: the fallback judges it as a whole.
    """
    total = len(questions)
    shares = []
    for index in dict.fromkeys(question.span_index for question in questions):
        about_span = [q for q in questions if q.span_index == index]
        others = [q.score for q in questions if q.span_index != index]
        shares.append(
            SpanShare(
                index,
                len(about_span),
                fmean(q.score for q in about_span),
                worst(q.verdict for q in about_span) or about_span[0].verdict,
                sum(1.0 - q.score for q in about_span) / total,
                fmean(others) if others else None,
            )
        )
    return sorted(shares, key=lambda share: (-share.pull, share.span_index))


def worst(verdicts: Iterable[str | None]) -> Verdict | None:
    """Return the gravest of some verdicts; ``None`` for no verdict."""
    given = set(verdicts)
    return next((verdict for verdict in GRAVITY if verdict in given), None)


def doubt(score: float | None, *, stands_in: bool) -> float:
    """Return how much a span of an unsupported sentence is doubted, 0 to 1.5.

    What its questions lack to 1, and a half more where the knowledge lacks its words; docs/decisions/0053
    says how often the spans that are doubted most are the wrong ones.

    Args:
        score: the mean over its valid questions, 0 to 1; None where there is none, which counts a half.
        stands_in: whether its words stand in the knowledge.
    """
    lacking = UNASKED if score is None else 1.0 - score
    return lacking + (0.0 if stands_in else _ABSENT)
