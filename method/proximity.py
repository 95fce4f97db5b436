"""Measure how near the words of a claim stand to each other in the knowledge, too.

A claim that exchanges two things keeps every word of the knowledge ("The city drills, and our technician
brings the cable"), so overlap does not see it, and a small judge hardly; but words that stand together
in it stand apart in the knowledge.
Retrieval ranks documents by the proximity of a query's terms (Tao and Zhai 2007); docs/decisions/0038
says what it tells of a claim.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from qsquared.method.plain.sentences import sentences

_WORD = re.compile(r"\w+")
_STEM = 6
"""Letters that two forms of a word share."""
_SHORTEST = 4
"""Letters of the shortest word that counts, unless it begins with a digit."""
_NEAR = 3
"""Words of a claim at most so far apart are a pair."""
_SENTENCE, _PASSAGE = 8, 20
"""How many words further apart two words are for each end of a sentence, or of a passage, between them."""
_DOUBT = 6.0
"""The weight of a proximity of one half that each claim has before any pair of its words is found."""


def proximity(claim: str, knowledge: Sequence[str]) -> float:
    """Return how near the words of a claim stand to each other in the knowledge, 0 to 1.

    Of each pair of near words that the knowledge has, it is 1 where they stand as near in it, and less
    with each word more between them; pairs of rare words weigh more.
    A claim without such a pair has one half.

    Args:
        claim: a sentence of a reply.
        knowledge: its passages.
    """
    known = _places_of(tuple(knowledge))
    own = _words(claim)
    total, near = _DOUBT, _DOUBT / 2
    for i, first in enumerate(own):
        for apart, second in enumerate(own[i + 1 : i + 1 + _NEAR], start=1):
            if first != second and first in known.places and second in known.places:
                weight = known.rarity[first] * known.rarity[second]
                further = _least(known.places[first], known.places[second]) - apart
                near += weight / (1 + max(0, further))
                total += weight
    return near / total


@dataclass(frozen=True, slots=True)
class _Places:
    """Where each word of the knowledge stands, counted in words, and how rare it is."""

    places: Mapping[str, Sequence[int]]
    rarity: Mapping[str, float]


# A text is asked about once for each sentence of each of its replies.
@lru_cache(maxsize=64)
def _places_of(knowledge: tuple[str, ...]) -> _Places:
    places: dict[str, list[int]] = defaultdict(list)
    counts: Counter[str] = Counter()
    at = number = 0
    for passage in knowledge:
        for start, end in sentences(passage):
            words = _words(passage[start:end])
            counts.update(set(words))
            number += 1
            for word in words:
                places[word].append(at)
                at += 1
            at += _SENTENCE
        at += _PASSAGE
    rarity = {word: math.log(1 + number / count) for word, count in counts.items()}
    return _Places(places, rarity)


def _words(text: str) -> list[str]:
    return [
        word[:_STEM]
        for word in _WORD.findall(text.lower())
        if len(word) >= _SHORTEST or word[0].isdigit()
    ]


def _least(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the least distance of two ascending sequences."""
    return min(abs(a - b) for a, b in _neighbours(first, second))


def _neighbours(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are passed when both are walked through at once, the lesser one step ahead."""
    i = j = 0
    while i < len(first) and j < len(second):
        yield first[i], second[j]
        if first[i] < second[j]:
            i += 1
        else:
            j += 1
