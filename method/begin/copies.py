"""Replies whose claims are sentences of the knowledge, word for word.

Whoever reads a reply beside its knowledge calls such a copy entailed, and a small classifier does not
always.
Not in the paper, whose classifier decides on every reply.

A copy is of whole sentences: "Tickets are refundable." is no copy of "It is a myth that tickets are
refundable.", though its words stand there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from qsquared.method.plain.kinds import CLAIM
from qsquared.method.plain.markup.blocks import TEXT, blocks
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.reply import Sentence, reply_sentences
from qsquared.method.plain.sentences import sentences
from qsquared.records import ReplyClasses

VERBATIM = "sentences/1"
"""The value of the parameter ``verbatim``; the number is raised whenever the rule changes."""

COPY, CLASSIFIER = "copy", "classifier"
"""The values of ``decided_by``."""

ENTAILED = ReplyClasses(1.0, 0.0, 0.0, 0.0, 0.0)
"""The probabilities of a copy."""

Place = tuple[int, int]
"""The number of a passage and of a sentence in it."""

_TOKENS = re.compile(r"\w+|[^\w\s\"'`“”„«»]")
_ENDS = frozenset(".!?…:;,")
_WORDS_WITHOUT_END = 4
"""A line without a full stop is a sentence if it has so many words; "Free bags" is none."""
_REFERS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|such|former|"
    r"latter|both|neither|either|another|others?|same|then|there|however|but|so|therefore|thus|"
    r"instead|otherwise|yet|still|also|nor|or)\b",
    re.IGNORECASE,
)
"""Words that may point at the sentence before."""
_DENIES = re.compile(
    r"\b(?:no|not|never|nor|none|cannot|without|unless|un(?:true|likely|sure|certain)|false|wrong|"
    r"incorrect|myths?|mistake[sn]?|mistaken|doubt\w*|rumou?rs?|outdated|used to|joking|kidding)\b|n't\b",
    re.IGNORECASE,
)
"""Words beside the copied sentences that may take them back."""


def copies_knowledge(response: str, knowledge: Sequence[str]) -> bool:
    """Whether each claim of a reply is a sentence of the knowledge, but for marks, quotes and case.

    A claim behind another one that may point at it ("It was cancelled.") has to stand behind it in the
    knowledge, too, and nothing beside the claims may deny them.
    """
    found = reply_sentences(response)
    if not any(one.kind == CLAIM for one in found):
        return False
    standing = _sentences_of(knowledge)
    before: list[Place] = []
    for one in found:
        if one.kind != CLAIM:
            if _DENIES.search(one.text):
                return False
            continue
        places = _places(one, standing)
        if before and _REFERS.search(one.text):
            places = [(passage, at) for passage, at in places if (passage, at - 1) in before]
        if not places:
            return False
        before = places
    return True


def is_sentence_of(claim: str, knowledge: Sequence[str]) -> bool:
    """Whether a claim is a sentence of the knowledge, word for word, and points at none before it."""
    return not _REFERS.search(claim) and _clean(claim) in _sentences_of(knowledge)


def _places(claim: Sentence, standing: Mapping[str, list[Place]]) -> list[Place]:
    """Return the places of a claim as a sentence: whole, or without its lead-in and attribution."""
    whole = standing.get(_clean(claim.text))
    if whole:
        return whole
    start, end = claim.claim_start, claim.claim_end
    if _DENIES.search(claim.text[:start]) or _DENIES.search(claim.text[end:]):
        return []
    return standing.get(_clean(claim.text[start:end]), [])


def _sentences_of(knowledge: Sequence[str]) -> dict[str, list[Place]]:
    """Return each sentence of the passages, cleaned, with its places."""
    found: dict[str, list[Place]] = {}
    for number, passage in enumerate(knowledge):
        for at, sentence in enumerate(_whole_sentences(passage)):
            if sentence:
                found.setdefault(_clean(sentence), []).append((number, at))
    return found


def _whole_sentences(passage: str) -> Iterator[str]:
    """Yield the sentences of a passage in order; empty in the place of what is none."""
    mixed = any(character.isupper() for character in passage)
    first = True
    for block in blocks(Mapped.of(passage)):
        text = block.text.text
        for start, end in sentences(text) if text.strip() else ():
            sentence = text[start:end]
            # A passage that was cut out of a text may begin within a sentence.
            cut = first and mixed and sentence[:1].islower()
            first = False
            ended = sentence.rstrip("\"') ").endswith((".", "!", "…"))
            long = len(sentence.split()) >= _WORDS_WITHOUT_END and not sentence.endswith((":", "?"))
            yield sentence if block.kind == TEXT and not cut and (ended or long) else ""


def _clean(sentence: str) -> str:
    tokens = _TOKENS.findall(sentence.casefold())
    while tokens and tokens[-1] in _ENDS:
        tokens.pop()
    return " ".join(tokens)
