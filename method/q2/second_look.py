"""Correct a question's score by the judgement of its whole sentence, which goes beyond the paper.

In the paper a question without an answer scores 0, one with an equal answer 1, and one with another
answer 1, its token F1 or 0, as NLI says entailed, neutral or contradicted (section 2).
Small models err both ways, so here the judgement of the sentence that the span is in counts, too.
Let ``s`` be the score by the two answers, ``e`` and ``c`` the probabilities that the knowledge entails
and contradicts the sentence, and ``mean(x)`` the mean of ``x`` and of the sentence's expected score in
the paper's fallback, ``(1 + e - c) / 2``.

====================================== ==========================================================
a question with                        scores
====================================== ==========================================================
values that support the reply          ``mean(s)``
values that do not                     ``s``
equal answers                          ``mean(s - c**4)``: a "not" in the sentence is not in them
another answer that NLI calls entailed ``mean(s - c)``: NLI judges a few words less surely
any other answer                       ``mean(max(s, e))``, or ``mean(s)`` in a refuted sentence
no answer                              ``e``, or 0 in a refuted sentence
====================================== ==========================================================

A question without an answer, or with any other answer, is raised to ``e``, because the reader often
errs, or the question has two right answers ("What is swimming?").
It is not raised in a *refuted* sentence, which has another value or name than the knowledge.
A name that is in the knowledge refutes no sentence that the judge finds entailed, because then the
question had two right answers ("Who directed it?").
A sentence that is in the knowledge word for word cannot be contradicted: its contradicted questions
score 1, because the reader took the value of another clause ("Books for 28 days. Films for 7 days.").
The score of a question about a pronoun is corrected like any other; only its verdict changes, from
contradicted to no answer.
"""

from dataclasses import replace

from qsquared.method.q2.comparison import Comparison
from qsquared.method.q2.spans import ENTITY

ENTAILED = 0.5
"""The probability of entailment from which the sentence supports the question's answer."""

LOST_IF_EQUAL = 4
"""The power of the probability of contradiction that a question with equal answers loses."""

SECOND_LOOK = "sentence/7"
"""The value of the parameter ``second_look``; the number is raised whenever the rule changes."""

PRONOUNS = frozenset((
    "i", "me", "we", "us", "you", "he", "him", "she", "her", "it", "they", "them", "this", "that",
    "these", "those", "one", "who", "someone", "everyone", "anyone", "nobody",
))  # fmt: skip
"""Spans that are never contradicted: "Who can keep films?" has more right answers than "you"."""

SENTENCE = "sentence"
"""The value of ``decided_by`` for a question whose verdict is by its sentence."""


def is_refuted(
    comparison: Comparison, span_kind: str, entailment: float, *, in_knowledge: bool
) -> bool:
    """Whether the question shows that the knowledge has another value or name than the sentence.

    Args:
        comparison: by the two answers.
        span_kind: kind of the question's span.
        entailment: probability that the knowledge entails the question's sentence, 0 to 1.
        in_knowledge: whether the span's words stand in the knowledge.
    """
    if comparison.verdict != "contradicted":
        return False
    if comparison.decided_by == "values":
        return True
    return span_kind == ENTITY and not (in_knowledge and entailment >= ENTAILED)


def look_again(
    comparison: Comparison, entailment: float, contradiction: float, *, refuted: bool = False
) -> Comparison:
    """Return a question's scores and verdict, corrected by the judgement of its sentence.

    Args:
        comparison: by the two answers.
        entailment: probability that the knowledge entails the question's sentence, 0 to 1.
        contradiction: probability that it contradicts the sentence, 0 to 1.
        refuted: whether a question of the sentence is refuted (`is_refuted`).
    """
    if comparison.decided_by == "values" and comparison.verdict != "supported":
        return comparison
    corrected = _raised_or_lowered(comparison, entailment, contradiction, refuted=refuted)
    if comparison.decided_by == "no_answer":
        return corrected
    return replace(corrected, score=(corrected.score + (1 + entailment - contradiction) / 2) / 2)


def _raised_or_lowered(
    comparison: Comparison, entailment: float, contradiction: float, *, refuted: bool
) -> Comparison:
    if comparison.decided_by == "values":
        return comparison
    if comparison.verdict == "supported":
        return replace(comparison, score=comparison.score - _loss(comparison, contradiction))
    if refuted or comparison.score >= entailment:
        return comparison
    raised = replace(comparison, score=entailment)
    if entailment < ENTAILED:
        return raised
    return replace(raised, verdict="supported", decided_by=SENTENCE)


def supported_word_for_word(contradicted: Comparison) -> Comparison:
    """Return the comparison of a question whose sentence is in the knowledge word for word."""
    return replace(contradicted, score=1.0, verdict="supported", decided_by=SENTENCE)


def verdict_on_span(comparison: Comparison, span: str) -> Comparison:
    """Return the comparison, with no answer in place of contradicted if the span is a pronoun."""
    if comparison.verdict == "contradicted" and span.casefold() in PRONOUNS:
        return replace(comparison, verdict="no_answer")
    return comparison


def _loss(supported: Comparison, contradiction: float) -> float:
    """Return the loss of a supported question by the probability of contradiction."""
    return contradiction**LOST_IF_EQUAL if supported.decided_by == "tokens" else contradiction
