"""The score of a response from its questions' scores (Q², section 2), and the NLI fallback.

A response that scores 0.5 or below counts as inconsistent (section 5.1): see
``method/threshold.py``, whose rule is that of all metrics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from qsquared.method.q2.comparison import Comparison
from qsquared.records import InferenceRequest, Label

FALLBACK_SCORES: dict[Label, float] = {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}
"""The end-to-end NLI score of a response without a valid question (Q², section 2)."""

FALLBACK_PREMISES = ("knowledge", "response")


@dataclass(frozen=True, slots=True)
class ResponseScore:
    """Q² of a response with and without NLI, 0 to 1."""

    q2: float
    q2_without_nli: float


def score_response(comparisons: Sequence[Comparison]) -> ResponseScore:
    """Return the mean over the valid questions.

    Raises:
        ValueError: there is no valid question; the fallback scores such a response.
    """
    if not comparisons:
        raise ValueError("a response without a valid question is scored by the fallback")
    return ResponseScore(
        fmean(c.score for c in comparisons), fmean(c.token_f1 for c in comparisons)
    )


def fallback_request(
    response: str, knowledge: Sequence[str], premise: str = "knowledge"
) -> InferenceRequest:
    """Return the NLI request of the fallback, on the whole texts; passages are joined by a space.

    Section 2 of the paper takes the knowledge as hypothesis; its section 5.1 and its published code
    take it as premise, which asks whether the knowledge supports the response: the default.

    Raises:
        ValueError: ``premise`` is not one of ``FALLBACK_PREMISES``.
    """
    if premise not in FALLBACK_PREMISES:
        raise ValueError(f"unknown premise {premise!r}, expected one of {FALLBACK_PREMISES}")
    text = " ".join(knowledge)
    if premise == "knowledge":
        return InferenceRequest(text, response)
    return InferenceRequest(response, text)
