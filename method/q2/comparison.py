"""Compare the span with the answer on the knowledge (Q², section 2).

Equal answers score 1 and no answer scores 0.
Answers that have values are compared by these before the judge is asked, which goes beyond the paper
(``method/values/``).
Else an NLI model compares "question knowledge_answer." (premise) with "question span."
(hypothesis): entailment scores 1, contradiction 0, and neutral the token F1.
"""

from dataclasses import dataclass

from qsquared.method.q2.token_f1 import exact_match, token_f1
from qsquared.method.values.compare import COMPATIBLE, DIFFERENT, SOME_MEMBERS, Decision
from qsquared.records import InferenceRequest, Judgement, Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """A question's scores, 0 to 1, and its verdict in one word (see the data dictionary)."""

    token_f1: float
    exact_match: bool
    score: float
    verdict: Verdict
    decided_by: str = "nli"
    """``no_answer``, ``values``, ``tokens`` or ``nli``: what decided the verdict."""


def entailment_request(
    question: str, span: str, knowledge_answer: str | None, decision: Decision | None = None
) -> InferenceRequest | None:
    """Return the NLI request, or ``None`` if none is needed.

    Values, token F1 or a missing answer may decide without it.
    Equal tokens do not decide where the values may differ: "4.1 %" and "41 %" have the same.
    """
    if knowledge_answer is None or (decision is not None and decision.decides):
        return None
    if decision is None and token_f1(span, knowledge_answer) == 1.0:
        return None
    return InferenceRequest(f"{question} {knowledge_answer}.", f"{question} {span}.")


def compare_answers(
    span: str,
    knowledge_answer: str | None,
    judgement: Judgement | None,
    decision: Decision | None = None,
) -> Comparison:
    """Score one question.

    ``judgement`` answers ``entailment_request``; it is ``None`` exactly where that was.
    ``decision`` is that by value; without it the rules are the paper's.
    Without NLI the score is ``token_f1``.
    """
    if knowledge_answer is None:
        return Comparison(
            0.0, exact_match=False, score=0.0, verdict="no_answer", decided_by="no_answer"
        )
    f1 = token_f1(span, knowledge_answer)
    equal = exact_match(span, knowledge_answer)
    if decision is not None and decision.decides:
        verdict = _BY_VALUE.get(decision.relation, "supported")
        score = max(f1, decision.share) if decision.relation == COMPATIBLE else decision.share
        return Comparison(f1, equal, score, verdict, "values")
    if judgement is None:
        return Comparison(f1, equal, 1.0, "supported", "tokens")
    if judgement.label == "entailment":
        return Comparison(f1, equal, 1.0, "supported")
    if judgement.label == "contradiction":
        return Comparison(f1, equal, 0.0, "contradicted")
    return Comparison(f1, equal, f1, "partial")


_BY_VALUE: dict[str, Verdict] = {
    COMPATIBLE: "partial",
    SOME_MEMBERS: "partial",
    DIFFERENT: "contradicted",
}
"""The verdicts of the relations that do not support the reply."""
