"""Choose the part of the knowledge that speaks of a sentence of a reply, or may answer a question.

A small judge decides on a page of knowledge hardly better than chance, and on a few sentences well.
So a sentence of a reply is judged beside all of its knowledge only where that is short; else beside
the sentences that share its rarest words, as retrieval by inverse document frequency does, and their
neighbours: as many as the judge was trained beside, and of a page also beside few of these.
SummaC (Laban et al. 2022) asks each sentence of the document instead, MiniCheck (Tang et al. 2024)
chunks as long as its window; docs/decisions/0024, 0031 and 0047 say what was measured.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from qsquared.method.plain.sentences import sentences
from qsquared.method.support import number_of_words
from qsquared.records import Judgement

VIEWS = (40, 120)
"""Words of knowledge that a judge reads beside one sentence of a reply: few, then more.

Few make it sure of what is said in nearly the same words, more are needed for a sum or a summary.
"""

VIEWS_VERSION = 2
"""Raised whenever a claim would be judged beside other parts of its knowledge."""

PAGE = 200
"""Words of knowledge beyond which the few are read, too: of less they leave out what speaks against a claim."""

_LEAST_SHARE = 1e-6
"""The share that a label keeps in a view, so that a wholly sure one does not decide alone."""
_NEUTRAL, _CONTRADICTED = 0.3, 3.6
"""The factor by which a claim oftener has an opposite in its knowledge if it is neutral, or contradicted, than if
it is entailed.

Of the written claims (``lab/training/claims``) 5 of 6,601, 115 of 9,851 and 42 of 12,833 had one before
its words were chosen by them, now 3, 79 and 21; of those on passages kept apart 0, 10 and 5.
"""
_NOT_SHORTENED = 0.1
"""The factor by which a neutral or contradicted claim is oftener a shortened sentence of its knowledge than an
entailed one.

Of the written claims 128 of 12,833 entailed ones are shortened and none of 16,452 others; but these were written
to change words and seldom leave any out, and of those in replies that people judged one in fourteen is in a bad one.
"""
_NEIGHBOUR = 0.4
"""A sentence beside one that shares the claim's words has so much of that one's share."""
_WORD = re.compile(r"\w+")
_STEM = 6
"""Letters that two forms of a word share."""


def views(claim: str, knowledge: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the knowledge that a claim is judged beside, the shortest first.

    Only a page gives two; knowledge without a word gives one empty view.
    """
    read = VIEWS if number_of_words(knowledge) > PAGE else VIEWS[-1:]
    return tuple(evidence(claim, knowledge, words) for words in read)


def judgement_of_claim(
    judged: Sequence[Judgement], opposed: Judgement | None = None, *, shortened: bool = False
) -> Judgement:
    """Combine the judgements of a claim beside its views, each counting the same (see `pooled`).

    Args:
        judged: beside its views.
        opposed: of a clause of it, beside the clause of the knowledge that says the opposite, if there
            is one; it counts alone, unless entailment stays likelier than contradiction.
        shortened: whether it is a sentence of the knowledge with words left out (`is_shortened`), which
            counts by Bayes' rule.

    Raises:
        ValueError: there is none.
    """
    if opposed is not None:
        weighed = _weighed(opposed, _NEUTRAL, _CONTRADICTED)
        if weighed.contradiction >= weighed.entailment:
            return weighed
    judgement = pooled(judged, [1] * len(judged))
    return _weighed(judgement, _NOT_SHORTENED, _NOT_SHORTENED) if shortened else judgement


def pooled(judgements: Sequence[Judgement], weights: Sequence[float]) -> Judgement:
    """Combine judgements of one claim by the weighted geometric mean of their shares, made to sum to 1.

    So one that is sure against a label is heard (a logarithmic pool, Genest and Zidek 1986).

    Args:
        judgements: one at least.
        weights: how much each counts, beside the others.

    Raises:
        ValueError: there is none, or not as many weights.
    """
    if len(judgements) == 1:
        return judgements[0]
    shares = zip(
        *(
            (judgement.entailment, judgement.neutral, judgement.contradiction)
            for judgement in judgements
        ),
        strict=True,
    )
    surest = [[max(share, _LEAST_SHARE) for share in of_label] for of_label in shares]
    total = sum(weights)
    return _summing_to_one(
        [
            math.prod(share**weight for share, weight in zip(of_label, weights, strict=True))
            ** (1 / total)
            for of_label in surest
        ]
    )


def _weighed(judged: Judgement, neutral: float, contradicted: float) -> Judgement:
    """Return a judgement by Bayes' rule.

    Each factor is how much oftener what was found beside the claim is found if it is neutral, or
    contradicted, than if it is entailed.
    """
    return _summing_to_one(
        [judged.entailment, judged.neutral * neutral, judged.contradiction * contradicted]
    )


def _summing_to_one(shares: Sequence[float]) -> Judgement:
    return Judgement(*(share / sum(shares) for share in shares))


def evidence(claim: str, knowledge: Sequence[str], words: int) -> str:
    """Return the part of the knowledge that speaks of a claim, in the order of the text.

    It is all of the knowledge if that has few words; else the sentences that share the claim's rarest
    words, and neighbours of these before others, as many as there is room for.

    Args:
        claim: a sentence of a reply.
        knowledge: its passages; a sentence of evidence never crosses two of them.
        words: how many words there is room for; the best sentence is there, however long.
    """
    together = " ".join(knowledge)
    if len(together.split()) <= words:
        return together
    index = sentences_of(tuple(knowledge))
    return " ".join(index.sentences[i] for i in choose_sentences(index, claim, words))


def choose_sentences(
    index: Sentences, text: str, words: int, ignored: frozenset[str] = frozenset()
) -> list[int]:
    """Return the sentences that share the rarest words of a text, and neighbours of these, in order.

    Args:
        index: the sentences to choose from.
        text: a claim or a question.
        words: how many words there is room for; the best sentence is there, however long.
        ignored: words of the text, in small letters, that tell nothing.
    """
    wanted = _words(text) - ignored
    # Exact, since words of a set have another order in each process.
    shared = [
        math.fsum(index.rarity[word] for word in sentence & wanted) for sentence in index.words
    ]
    beside = [
        max(shared[max(0, i - 1) : i] + shared[i + 1 : i + 2], default=0.0)
        for i in range(len(shared))
    ]
    shares = [share + _NEIGHBOUR * near for share, near in zip(shared, beside, strict=True)]
    room, chosen = words, list[int]()
    for i in sorted(range(len(shares)), key=lambda i: (-shares[i], i)):
        length = index.lengths[i]
        if length <= room or not chosen:
            chosen.append(i)
            room -= length
    return sorted(chosen)


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of some passages.

    Of each its passage with its bounds there, its text, the number of its words, and the beginnings of
    these; of each such beginning how rare it is.
    """

    places: tuple[tuple[int, int, int], ...]
    sentences: tuple[str, ...]
    lengths: tuple[int, ...]
    words: tuple[frozenset[str], ...]
    rarity: dict[str, float]


# A text is asked about once for each sentence of each of its replies.
@lru_cache(maxsize=64)
def sentences_of(knowledge: tuple[str, ...]) -> Sentences:
    """Return the sentences of some passages; none crosses two of them."""
    places = tuple((i, a, b) for i, text in enumerate(knowledge) for a, b in sentences(text))
    texts = tuple(knowledge[i][a:b] for i, a, b in places)
    words = tuple(_words(sentence) for sentence in texts)
    counts = Counter(word for each in words for word in each)
    rarity = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}
    lengths = tuple(len(sentence.split()) for sentence in texts)
    return Sentences(places, texts, lengths, words, rarity)


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower()))


def judgement_of_response(judged: Sequence[Judgement]) -> Judgement:
    """Combine the judgements of a response's claims: their mean.

    Raises:
        ValueError: there is none.
    """
    if not judged:
        raise ValueError("a response has at least one claim")
    each = (
        (judgement.entailment, judgement.neutral, judgement.contradiction) for judgement in judged
    )
    return Judgement(*map(fmean, zip(*each, strict=True)))
