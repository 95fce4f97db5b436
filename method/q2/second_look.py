"""Look again at a question's score with the judgement of its whole sentence in mind.

Not in the paper: there a question without an answer, or with another one, scores 0, and one whose
answers the NLI model calls equal scores 1 (section 2).
With small models the first is often the reader's mistake, or the question has two right answers ("What
is swimming?"), so such a question scores at least the probability that the knowledge entails the
sentence which its span stands in.
The second is sometimes the judge's mistake, since two answers of a few words are little to judge by, so
such a question loses half the probability that the knowledge contradicts its sentence.
A name or a value that the knowledge contradicts is no matter of reading, so the questions of its
sentence gain nothing.
"""

from dataclasses import replace

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.spans import ENTITY

ENTAILED = 0.5
"""The probability of entailment from which the sentence supports the question's answer."""

LOST = 0.5
"""The share of the probability of contradiction that a question loses which only the judge supports."""

SECOND_LOOK = "sentence/2"
"""The value of the parameter ``second_look``; the number is raised whenever the rule changes."""

SENTENCE = "sentence"
"""The value of ``decided_by`` for a question that its sentence decided."""


def is_refuted(comparison: Comparison, span_kind: str) -> bool:
    """Whether a name or a value of the reply is another one in the knowledge."""
    return comparison.verdict == "contradicted" and (
        comparison.decided_by == "values" or span_kind == ENTITY
    )


def look_again(
    comparison: Comparison, entailment: float, contradiction: float, *, refuted: bool = False
) -> Comparison:
    """Return a question's scores and verdict with those of its sentence in mind.

    Args:
        comparison: by the two answers.
        entailment: probability that the knowledge entails the question's sentence, 0 to 1.
        contradiction: probability that it contradicts the sentence, 0 to 1.
        refuted: whether a name or a value of the sentence is another one in the knowledge.
    """
    if comparison.decided_by in {"values", "tokens"}:
        return comparison
    if comparison.verdict == "supported":
        return replace(comparison, score=comparison.score - LOST * contradiction)
    if refuted or comparison.score >= entailment:
        return comparison
    looked = replace(comparison, score=entailment)
    if entailment < ENTAILED:
        return looked
    return replace(looked, verdict="supported", decided_by=SENTENCE)
