"""Personal questions, about the speakers, which no knowledge text can answer.

Q², section 2: questions whose subject is "I" or "you", or with the possessive "my" or "your".
The subject of a passive is a subject ("Where was I born?"); the published code has active ones only.
In `q2 score` only "I" and "my" make a question personal: what a bot tells its user to do ("You can
block a card in the app") is what its knowledge tells, too.
"""

import re

from qsquared.records import ParsedText

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_FIRST_PERSON = {"subject": frozenset({"i"}), "poss": frozenset({"my"})}
_BOTH = {"subject": frozenset({"i", "you"}), "poss": frozenset({"my", "your"})}

# A tokenizer may split "youre", "Im" or "you-all", never a letter off the front of another word.
_NAMES_A_SPEAKER = re.compile(
    r"(?<![^\W\d_])(you|my|your|i(?:m|ma|ve|d|ll|llve|dve)?(?![^\W\d_]))", re.IGNORECASE
)


def may_be_personal(question: str) -> bool:
    """Whether a word of the question could be "I", "you", "my" or "your", however it is parsed.

    Most questions hold none of the four and need no parse.
    """
    return _NAMES_A_SPEAKER.search(question) is not None


def is_personal(question: ParsedText, *, second_person: bool = False) -> bool:
    """Whether the parse has a speaker as subject or as possessive.

    Args:
        question: its parse.
        second_person: whether questions about "you" and "your" are asked; the paper leaves them out.
    """
    persons = _FIRST_PERSON if second_person else _BOTH
    return any(
        token.text.lower()
        in persons.get("subject" if token.dep in _SUBJECTS else token.dep, frozenset())
        for token in question.tokens
    )
