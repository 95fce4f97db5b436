"""Claims that are a sentence of the knowledge with words left out.

A small judge distrusts a claim in the passage's own words, and cannot tell which words were changed;
where none was, and nothing was left out that limits the sentence, the claim is nearly always true
(docs/decisions/0055).
"""

# ruff: noqa: SIM905  # a word list reads better as running text

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from qsquared.method.knowledge.evidence import sentences_of

_AROUND = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026"
"""Marks around a word; within one they belong to it, as in "non-toxic", "12-15" and "$1,500"."""
_ARTICLES = frozenset({"a", "an", "the"})
_LEAST_WORDS = 4
_LEAST_SHARE = 0.5
"""The share of a sentence's words that is left, unless they follow each other."""
_LIMITS = re.compile(
    r"not?|never|nor|none|neither|nobody|nothing|nowhere|cannot|without|unless|if|only|except\w*|exclud\w*|"
    r"until|provided|assuming|whether|when|but|apart|other|hardly|rarely|den(?:y|ied|ies)|refus\w*|fail\w*|"
    r"lack\w*|forb[ai]d\w*|ban(?:ned|s)?|false|wrong|untrue|incorrect|myths?|hoax\w*|mistaken|mistakenly|"
    r"doubt\w*|rumou?rs?|alleg\w*|claim(?:s|ed)?|former|formerly|vice|deputy|\w+n['\u2019]t"
)
"""Words that deny what stands beside them, doubt it, or set it a condition."""
_GOVERNS = frozenset(
    """of in on at to for from by with as into over under between among after before during since than within
    against per is are was were be been being am has have had do does did may might can could must shall should
    will would almost nearly about around roughly half most some few several part up least fewer less more
    that who which whose""".split()
)
"""Words that change the next one: without them "was bought by" would be "bought", and "half of all" all."""

_RELATIVE = frozenset({"who", "whom", "whose", "which", "that"})
"""Words behind whose clause another subject may begin: "Tom, who succeeded Ann, became king"."""


def is_shortened(claim: str, knowledge: Sequence[str]) -> bool:
    """Whether a claim is a sentence of the knowledge, perhaps with words left out, none of which limits it.

    The words that are left stand in their order; where they do not follow each other, half of the
    sentence is left at least.
    Articles do not count, and no claim is what is left of a question.

    Args:
        claim: a sentence of a reply.
        knowledge: the passages in plain text.
    """
    words = _words(claim)
    if len(words) < _LEAST_WORDS:
        return False
    return any(_is_left_of(sentence, words) for sentence in _sentences(tuple(knowledge)))


def _is_left_of(sentence: Sequence[str], words: Sequence[str]) -> bool:
    kept = _kept(sentence, words)
    if not kept:
        return False
    if not _RELATIVE.isdisjoint(sentence[: min(kept)]):
        return False
    left_out = (word for place, word in enumerate(sentence) if place not in kept)
    alone = (a for (n, a), (m, _) in pairwise(enumerate(sentence)) if n not in kept and m in kept)
    return not any(map(_LIMITS.fullmatch, left_out)) and _GOVERNS.isdisjoint(alone)


def _kept(sentence: Sequence[str], words: Sequence[str]) -> set[int]:
    """Return the places in a sentence of the words that are left of it, none if it has others or another order."""
    number = len(words)
    for start in range(len(sentence) - number + 1):
        if sentence[start : start + number] == words:
            return {*range(start, start + number)}
    if number < _LEAST_SHARE * len(sentence):
        return set()
    kept: set[int] = set()
    place = 0
    for word in words:
        if word not in sentence[place:]:
            return set()
        place = sentence.index(word, place) + 1
        kept.add(place - 1)
    return kept


# A passage is asked about once for each sentence of each of its replies.
@lru_cache(maxsize=64)
def _sentences(knowledge: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    told = (one for one in sentences_of(knowledge).sentences if not one.rstrip().endswith("?"))
    return tuple(map(_words, told))


def _words(text: str) -> tuple[str, ...]:
    words = (word.strip(_AROUND) for word in text.casefold().split())
    return tuple(word for word in words if word and word not in _ARTICLES)
