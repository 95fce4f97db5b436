"""Cut a reply into its sentences, and choose the knowledge that speaks of each.

A small judge decides on a page of knowledge hardly better than chance, and on two or three sentences
well.
So a long text is not read from end to end: each sentence of the reply is judged beside the sentences
of the knowledge that share its rarest words, as retrieval by inverse document frequency does.
SummaC (Laban et al. 2022) asks each sentence of the document instead, MiniCheck (Tang et al. 2024)
chunks as long as its window; docs/decisions/0024 says what was measured.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from qsquared.method.plain.sentences import sentences
from qsquared.records import Judgement

READ_AT_ONCE = 130
"""Words of knowledge and reply that a judge reads together; above, evidence is chosen."""
READ_WORDS = 120
"""Words of knowledge that a judge reads beside one sentence of a reply."""
_NEIGHBOUR = 0.4
"""A sentence beside one that shares the claim's words has so much of that one's share."""
VIEWS = (1, 2, 3)
"""A sentence is judged beside its best sentence of the knowledge, its best two, and its best three."""

_WORD = re.compile(r"\w+")
_STEM = 6
"""Letters that two forms of a word share."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a reply that is judged by itself, and the texts that may make it true."""

    text: str
    premises: tuple[str, ...]


def claims(response: str, knowledge: Sequence[str]) -> tuple[Claim, ...]:
    """Return what a judge has to read to judge a response.

    Args:
        response: the reply.
        knowledge: its passages; a sentence of evidence never crosses two of them.

    Returns:
        The whole response beside the whole knowledge, joined by spaces, where both are short; else
        its sentences in their order, each with the evidence chosen for it.
    """
    together = " ".join(knowledge)
    if len(together.split()) + len(response.split()) <= READ_AT_ONCE:
        return (Claim(response, (together,)),)
    parts = [response[a:b] for a, b in sentences(response)] or [response]
    return tuple(Claim(part, evidence(part, tuple(knowledge))) for part in parts)


def evidence(claim: str, knowledge: tuple[str, ...]) -> tuple[str, ...]:
    """Return the views of the knowledge that speak of a claim, each in the order of the text.

    A view that is equal to a smaller one is left out; knowledge without a word gives one empty view.
    """
    index = _index(knowledge)
    wanted = _words(claim)
    shares = [sum(index.rarity[word] for word in words & wanted) for words in index.words]
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    views = (" ".join(index.sentences[i] for i in sorted(order[:size])) for size in VIEWS)
    return tuple(dict.fromkeys(views))


def relevant(claim: str, knowledge: tuple[str, ...], words: int = READ_WORDS) -> str:
    """Return the part of the knowledge that speaks of a claim, in the order of the text.

    It is all of the knowledge if that has few words; else the sentences that share the claim's rarest
    words, and their neighbours before others, as many as there is room for.

    Args:
        claim: a sentence of a reply.
        knowledge: its passages.
        words: how many words there is room for; the best sentence is there, however long.
    """
    together = " ".join(knowledge)
    if len(together.split()) <= words:
        return together
    index = _index(knowledge)
    wanted = _words(claim)
    own = [sum(index.rarity[word] for word in found & wanted) for found in index.words]
    near = [max(own[max(0, i - 1) : i] + own[i + 1 : i + 2], default=0.0) for i in range(len(own))]
    shares = [share + _NEIGHBOUR * beside for share, beside in zip(own, near, strict=True)]
    room, chosen = words, []
    for i in sorted(range(len(shares)), key=lambda i: (-shares[i], i)):
        length = len(index.sentences[i].split())
        if length <= room or not chosen:
            chosen.append(i)
            room -= length
    return " ".join(index.sentences[i] for i in sorted(chosen))


@dataclass(frozen=True, slots=True)
class _Index:
    sentences: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    rarity: dict[str, float]


# A text is asked about once for each sentence of each of its replies.
@lru_cache(maxsize=64)
def _index(knowledge: tuple[str, ...]) -> _Index:
    found = tuple(text[a:b] for text in knowledge for a, b in sentences(text))
    words = tuple(_words(sentence) for sentence in found)
    counts = Counter(word for each in words for word in each)
    rarity = {word: math.log(1 + len(found) / count) for word, count in counts.items()}
    return _Index(found, words, rarity)


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower()))


def judgement_of_claim(views: Sequence[Judgement]) -> Judgement:
    """Combine the judgements of a claim beside its views: the most entailing view counts.

    Raises:
        ValueError: there is none.
    """
    return max(views, key=lambda judgement: judgement.entailment)


def judgement_of_response(judged: Sequence[Judgement]) -> Judgement:
    """Combine the judgements of a response's claims: their mean.

    Raises:
        ValueError: there is none.
    """
    if not judged:
        raise ValueError("a response has at least one claim")
    return Judgement(
        fmean(judgement.entailment for judgement in judged),
        fmean(judgement.neutral for judgement in judged),
        fmean(judgement.contradiction for judgement in judged),
    )
