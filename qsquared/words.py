"""The words and colours of verdicts and statuses, the same on terminals and pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The words of a verdict, its style on a terminal, and its colour on a light or dark page."""

    words: str
    style: str
    colour: str


VERDICTS = {
    "contradicted": Verdict("contradicted", "red", "#d0312d"),
    "no_answer": Verdict("no answer to a question about it", "magenta", "#a050c8"),
    "partial": Verdict("partly supported", "yellow", "#b8860b"),
    "supported": Verdict("supported", "green", "#2e8b57"),
}
"""The verdicts on spans and questions, gravest first."""

IN_KNOWLEDGE = "its words stand in the knowledge"
"""The words beside `no_answer` where the question only missed them."""

BY_SENTENCE = "by its sentence as a whole"
"""The words beside a verdict that the judge of the whole sentence gave."""

RELATIONS = {
    "equal": "same value",
    "within": "true by its value",
    "members": "same members",
    "compatible": "more exact than the knowledge",
    "some_members": "some of its members only",
    "different": "another value",
}
"""The relations of two answers by their values (``method/values/decide.py``)."""

STATUSES = {
    "scored": "scored by questions",
    "fallback_nli": "scored by the NLI fallback (no valid question)",
    "no_claim": "not scored: the reply claims nothing",
    "other_language": "not scored: the reply is not in English",
    "empty_response": "not scored: empty response",
    "no_knowledge": "not scored: no knowledge",
    "error": "not scored: a model failed",
    "pending": "not scored yet with this profile",
}
"""The statuses of turns."""
