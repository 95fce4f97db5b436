"""Personal questions: those about the speakers, which no knowledge text can answer.

Q², section 2: questions whose subject is "I" or "you", or with the possessive "my" or "your".
"""

from __future__ import annotations

from qsquared.records import ParsedText

_PERSONS = {"nsubj": frozenset({"i", "you"}), "poss": frozenset({"my", "your"})}


def is_personal(question: ParsedText) -> bool:
    """Whether the parse has "I"/"you" as nominal subject or "my"/"your" as possessive."""
    return any(
        token.text.lower() in _PERSONS.get(token.dep, frozenset()) for token in question.tokens
    )
