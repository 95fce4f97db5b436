"""Look again at a question's score with the judgement of its whole sentence in mind.

Not in the paper: there a question without an answer, or with another one, scores 0, and one whose
answers are equal, or called equal by the NLI model, scores 1 (section 2).
With small models a failed question is often the reader's mistake, or it has two right answers ("What
is swimming?"), so it scores at least the probability that the knowledge entails the sentence which its
span stands in.
A value that the knowledge contradicts is no matter of reading, so the questions of such a sentence
gain nothing.
Nor do those of a sentence with another name, unless the name stands in the knowledge and the judge
finds the sentence entailed all the same: then the question had two right answers ("Who directed it?").
A supported question is sometimes a mistake, too: two answers of a few words are little to judge by,
and equal answers do not see a "not" beside them.
So it loses the probability that the knowledge contradicts its sentence; one with equal answers loses
the fourth power of that probability, which is little unless the judge is sure.
Last, a question that the knowledge answers scores the mean of its score and of its sentence's: a few
words of the sentence were compared, and the judge reads the others.
A sentence's score is the expected one of the paper's fallback: 1 for entailment, 1/2 for neutral, 0 for
contradiction (section 2).
A value that the knowledge contradicts keeps its score, and so does a question without an answer.
A sentence that stands in the knowledge word for word is contradicted in nothing: the reader took the
value of another clause ("Books for 28 days. Films for 7 days.").
A pronoun that is found contradicted scores 0 as before, but its verdict is that of no answer.
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
"""Spans that no knowledge contradicts: "Who can keep films?" has more right answers than "you"."""

SENTENCE = "sentence"
"""The value of ``decided_by`` for a question that its sentence decided."""


def is_refuted(
    comparison: Comparison, span_kind: str, entailment: float, *, in_knowledge: bool
) -> bool:
    """Whether a value or a name of the reply is another one in the knowledge.

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
    """Return a question's scores and verdict with those of its sentence in mind.

    Args:
        comparison: by the two answers.
        entailment: probability that the knowledge entails the question's sentence, 0 to 1.
        contradiction: probability that it contradicts the sentence, 0 to 1.
        refuted: whether a question of the sentence is refuted (`is_refuted`).
    """
    if comparison.decided_by == "values" and comparison.verdict != "supported":
        return comparison
    looked = _raised_or_lowered(comparison, entailment, contradiction, refuted=refuted)
    if comparison.decided_by == "no_answer":
        return looked
    return replace(looked, score=(looked.score + (1 + entailment - contradiction) / 2) / 2)


def _raised_or_lowered(
    comparison: Comparison, entailment: float, contradiction: float, *, refuted: bool
) -> Comparison:
    if comparison.decided_by == "values":
        return comparison
    if comparison.verdict == "supported":
        return replace(comparison, score=comparison.score - _loss(comparison, contradiction))
    if refuted or comparison.score >= entailment:
        return comparison
    looked = replace(comparison, score=entailment)
    if entailment < ENTAILED:
        return looked
    return replace(looked, verdict="supported", decided_by=SENTENCE)


def supported_word_for_word(contradicted: Comparison) -> Comparison:
    """Return the comparison of a question whose sentence stands in the knowledge word for word."""
    return replace(contradicted, score=1.0, verdict="supported", decided_by=SENTENCE)


def verdict_on_span(comparison: Comparison, span: str) -> Comparison:
    """Return a comparison whose verdict is never that the knowledge contradicts a pronoun."""
    if comparison.verdict == "contradicted" and span.casefold() in PRONOUNS:
        return replace(comparison, verdict="no_answer")
    return comparison


def _loss(supported: Comparison, contradiction: float) -> float:
    """Return how much a supported question loses by the probability of contradiction."""
    return contradiction**LOST_IF_EQUAL if supported.decided_by == "tokens" else contradiction
