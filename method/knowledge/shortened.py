"""Claims that are a sentence of the knowledge with words left out.

A small judge distrusts a claim in the passage's own words, and cannot tell which words were changed;
where none was, and nothing was left out that limits the sentence, the claim is nearly always true
(docs/decisions/0055).
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from qsquared.method.knowledge.evidence import sentences_of

_TOKENS = re.compile(r"\d[\d.,:/]*\d|\w+(?:['\u2019]\w+)*|[$%\u00a3\u20ac\u00a5&+=<>\u00b0]")
"""Numbers whole, words, and signs such as those of money."""
_LEAST_WORDS = 4
_LEAST_SHARE = 0.5
"""The share of a sentence's words that is left, unless they follow each other."""
_LIMITS = re.compile(
    r"(?:not?|never|nor|none|neither|cannot|without|unless|if|only|except|until|provided|but|hardly|"
    r"rarely|false|wrong|untrue|incorrect|myths?|mistaken|mistakenly|doubt\w*|rumou?rs?|\w+n['\u2019]t)",
    re.IGNORECASE,
)
"""Words that deny what stands beside them, or set it a condition."""


def is_shortened(claim: str, knowledge: Sequence[str]) -> bool:
    """Whether a claim is a sentence of the knowledge from which some words are left out, none that limits it.

    The words that are left stand in their order; where they do not follow each other, half of the
    sentence is left at least.

    Args:
        claim: a sentence of a reply.
        knowledge: the passages in plain text.
    """
    words = _words(claim)
    if len(words) < _LEAST_WORDS:
        return False
    return any(_is_left_of(sentence, words) for sentence in _sentences(tuple(knowledge)))


def _is_left_of(sentence: tuple[str, ...], words: tuple[str, ...]) -> bool:
    left_out = Counter(sentence) - Counter(words)
    if len(words) + left_out.total() != len(sentence) or any(map(_LIMITS.fullmatch, left_out)):
        return False
    following = any(
        sentence[start : start + len(words)] == words
        for start in range(len(sentence) - len(words) + 1)
    )
    rest = iter(sentence)
    long = len(words) >= _LEAST_SHARE * len(sentence)
    return following or (long and all(word in rest for word in words))


# A passage is asked about once for each sentence of each of its replies.
@lru_cache(maxsize=64)
def _sentences(knowledge: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_words, sentences_of(knowledge).sentences))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKENS.findall(text.casefold()))
