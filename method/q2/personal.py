"""Personal questions, about the speakers, which no knowledge text can answer.

By the paper (Q², section 2) a question is personal if its subject is "I" or "you", or it has the
possessive "my" or "your".
Subjects of the passive count ("Where was I born?"), which the published code leaves out.
By the defaults of `q2 score` only "I" and "my" make a question personal, because the knowledge,
too, tells users what to do ("You can block a card in the app").
"""

import re

from qsquared.records import ParsedText

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_FIRST_PERSON = {"subject": frozenset({"i"}), "poss": frozenset({"my"})}
_BOTH = {"subject": frozenset({"i", "you"}), "poss": frozenset({"my", "your"})}

# A tokenizer may split "youre", "Im" or "you-all", but never "Italy" into "I" and "taly".
_NAMES_A_SPEAKER = re.compile(
    r"(?<![^\W\d_])(you|my|your|i(?:m|ma|ve|d|ll|llve|dve)?(?![^\W\d_]))", re.IGNORECASE
)


def may_be_personal(question: str) -> bool:
    """Whether any parse of the question could have a token "I", "you", "my" or "your".

    Most questions have none of the four, so they need no parse for `is_personal`.
    """
    return _NAMES_A_SPEAKER.search(question) is not None


def is_personal(question: ParsedText, *, second_person: bool = False) -> bool:
    """Whether a question has a speaker as subject or as possessive.

    Args:
        question: the parse of the question.
        second_person: whether questions about "you" and "your" count as not personal; in the paper
            they are personal.
    """
    persons = _FIRST_PERSON if second_person else _BOTH
    return any(
        token.text.lower()
        in persons.get("subject" if token.dep in _SUBJECTS else token.dep, frozenset())
        for token in question.tokens
    )
