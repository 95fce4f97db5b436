"""Put a question that the answers decide against the reply to the judge of its whole sentence.

Not in the paper: there a question without an answer, or with another one, scores 0 (section 2).
With small models that is often the reader's mistake, or the question has two right answers ("What is
swimming?"), so such a question scores at least the probability that the knowledge entails the sentence
which its span stands in.
A name or a value that the knowledge contradicts is no matter of reading, so its sentence gets no
second look.
"""

from dataclasses import replace

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.spans import ENTITY

ENTAILED = 0.5
"""The probability of entailment from which the sentence supports the question's answer."""

SENTENCE = "sentence"
"""The value of ``decided_by`` for a question that its sentence decided."""


def is_refuted(comparison: Comparison, span_kind: str) -> bool:
    """Whether a name or a value of the reply is another one in the knowledge."""
    return comparison.verdict == "contradicted" and (
        comparison.decided_by == "values" or span_kind == ENTITY
    )


def look_again(comparison: Comparison, entailment: float) -> Comparison:
    """Return a question's scores and verdict with those of its sentence in mind.

    Args:
        comparison: by the two answers.
        entailment: probability that the knowledge entails the question's sentence, 0 to 1.
    """
    if comparison.decided_by in {"values", "tokens"} or comparison.score >= entailment:
        return comparison
    looked = replace(comparison, score=entailment)
    if entailment < ENTAILED:
        return looked
    return replace(looked, verdict="supported", decided_by=SENTENCE)
