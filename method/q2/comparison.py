"""Compare the span with the answer on the knowledge (Q², section 2).

No answer scores 0, and answers of the same words after cleaning, in any order, score 1.
Else an NLI model compares "question knowledge_answer." (premise) with "question span."
(hypothesis): entailment scores 1, contradiction 0, and neutral the token F1.
Beyond the paper, answers that have values, such as numbers and dates, are first compared by these
(``method/values/``), and ``method/q2/second_look.py`` may change score and verdict later.
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
    """The rule behind the verdict: ``no_answer``, ``values``, ``tokens``, ``nli`` or ``sentence``.

    ``second_look.py`` sets ``sentence``; where it gives a pronoun the verdict ``no_answer``, this
    field stays as it was.
    """


def entailment_request(
    question: str, span: str, knowledge_answer: str | None, decision: Decision | None = None
) -> InferenceRequest | None:
    """Return the NLI request, or ``None`` if none is needed.

    None is needed without an answer, where the values decide, or where the token F1 is 1 and the
    values cannot differ (those of "4.1 %" and "41 %" do).
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
    """Return the scores and the verdict of one question.

    The metric *Q² without NLI* uses the field ``token_f1``.

    Args:
        span: the reply's answer.
        knowledge_answer: the answer on the knowledge, or ``None``.
        judgement: the reply to `entailment_request`. ``None``: no judge was needed, and answers of
            the same words score 1.
        decision: the comparison by value; without it the rules are the paper's.
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
