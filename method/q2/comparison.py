"""Compare the span with the answer on the knowledge (Q², section 2).

Equal answers score 1 and no answer scores 0.
Else an NLI model compares "question knowledge_answer." (premise) with "question span."
(hypothesis): entailment scores 1, contradiction 0, and neutral the token F1.
"""

from dataclasses import dataclass

from qsquared.method.q2.token_f1 import exact_match, token_f1
from qsquared.records import InferenceRequest, Judgement


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question's scores, 0 to 1, and its verdict in one word (see the data dictionary)."""

    token_f1: float
    exact_match: bool
    score: float
    verdict: str


def entailment_request(
    question: str, span: str, knowledge_answer: str | None
) -> InferenceRequest | None:
    """Return the question for the NLI model; ``None`` if token F1 or a missing answer decides."""
    if knowledge_answer is None or token_f1(span, knowledge_answer) == 1.0:
        return None
    return InferenceRequest(f"{question} {knowledge_answer}.", f"{question} {span}.")


def compare_answers(
    span: str, knowledge_answer: str | None, judgement: Judgement | None
) -> Comparison:
    """Score one question.

    ``judgement`` answers ``entailment_request``; it is ``None`` exactly where that was.
    Without NLI the score is ``token_f1``.
    """
    if knowledge_answer is None:
        return Comparison(0.0, exact_match=False, score=0.0, verdict="no_answer")
    f1 = token_f1(span, knowledge_answer)
    equal = exact_match(span, knowledge_answer)
    label = judgement.label if judgement else "entailment"
    if label == "entailment":
        return Comparison(f1, equal, 1.0, "supported")
    if label == "contradiction":
        return Comparison(f1, equal, 0.0, "contradicted")
    return Comparison(f1, equal, f1, "partial")
