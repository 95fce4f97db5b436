"""The score of a response: the mean over its questions, else the NLI fallback (Q², section 2).

``tasks/q2/compute_scores.py`` chooses between the two.
A response that scores 0.5 or below counts as inconsistent (section 5.1), by the rule of all metrics
in ``method/threshold.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from qsquared.method.q2.comparison import Comparison
from qsquared.records import InferenceRequest, Label

FALLBACK_SCORES: dict[Label, float] = {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}
"""The score of a response without a valid question, by its NLI label (Q², section 2)."""

FALLBACK_PREMISES = ("knowledge", "response")
"""The values of the parameter ``fallback_premise``; the other text is the hypothesis."""


@dataclass(frozen=True, slots=True)
class MeanScores:
    """The mean scores of a response's valid questions, with NLI and without, 0 to 1."""

    q2: float
    q2_without_nli: float


def mean_over_questions(comparisons: Sequence[Comparison]) -> MeanScores:
    """Return Q² of a response, the mean over its valid questions.

    Raises:
        ValueError: there is no valid question; the fallback scores such a response.
    """
    if not comparisons:
        raise ValueError("a response without a valid question is scored by the fallback")
    return MeanScores(fmean(c.score for c in comparisons), fmean(c.token_f1 for c in comparisons))


def fallback_request(
    response: str, knowledge: Sequence[str], premise: str = "knowledge"
) -> InferenceRequest:
    """Return the NLI request of the published fallback, on the whole texts; a space joins passages.

    By default ``q2 score`` makes no such request: its fallback is the mean over the response's judged
    claims, and ``--as-published`` asks on the whole texts (``tasks/end_to_end_nli.py``).
    Without ``premise`` the knowledge is the premise, as in section 5.1 of the paper and its published
    code: the request asks whether the knowledge supports the response.
    Section 2 has it as the hypothesis.

    Raises:
        ValueError: ``premise`` is not one of ``FALLBACK_PREMISES``.
    """
    if premise not in FALLBACK_PREMISES:
        raise ValueError(f"unknown premise {premise!r}, expected one of {FALLBACK_PREMISES}")
    text = " ".join(knowledge)
    if premise == "knowledge":
        return InferenceRequest(text, response)
    return InferenceRequest(response, text)
