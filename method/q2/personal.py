"""Personal questions, about the speakers, which no knowledge text can answer.

Q², section 2: questions whose subject is "I" or "you", or with the possessive "my" or "your".
The subject of a passive is a subject ("Where was I born?"); the published code has active ones only.
"""

import re

from qsquared.records import ParsedText

_SPEAKERS = frozenset({"i", "you"})
_PERSONS = {"nsubj": _SPEAKERS, "nsubjpass": _SPEAKERS, "poss": frozenset({"my", "your"})}

# A tokenizer may split "youre", "Im" or "you-all", never a letter off the front of another word.
_NAMES_A_SPEAKER = re.compile(
    r"(?<![^\W\d_])(you|my|your|i(?:m|ma|ve|d|ll|llve|dve)?(?![^\W\d_]))", re.IGNORECASE
)


def may_be_personal(question: str) -> bool:
    """Whether a word of the question could be "I", "you", "my" or "your", however it is parsed.

    Most questions hold none of the four and need no parse.
    """
    return _NAMES_A_SPEAKER.search(question) is not None


def is_personal(question: ParsedText) -> bool:
    """Whether the parse has "I"/"you" as subject or "my"/"your" as possessive."""
    return any(
        token.text.lower() in _PERSONS.get(token.dep, frozenset()) for token in question.tokens
    )
