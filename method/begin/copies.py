"""Replies whose claims are sentences of the knowledge, word for word.

Whoever reads a reply beside its knowledge calls such a copy entailed, and a small classifier does not
always.
Not in the paper, whose classifier decides on every reply.
"""

import re
from collections.abc import Mapping, Sequence

from qsquared.method.knowledge.verbatim import (
    Position,
    normalised,
    refers_back,
    sentence_positions,
)
from qsquared.method.plain.kinds import CLAIM
from qsquared.method.plain.reply import Sentence, reply_sentences
from qsquared.records import ReplyClasses

VERBATIM = "sentences/1"
"""The value of the parameter ``verbatim``; the number is raised whenever the rule changes."""

COPY, CLASSIFIER = "copy", "classifier"
"""The values of ``decided_by``."""

ENTAILED = ReplyClasses(1.0, 0.0, 0.0, 0.0, 0.0)
"""The probabilities of a copy."""

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
    sentences = reply_sentences(response)
    if not any(sentence.kind == CLAIM for sentence in sentences):
        return False
    in_knowledge = sentence_positions(knowledge)
    before: list[Position] = []
    for sentence in sentences:
        if sentence.kind != CLAIM:
            if _DENIES.search(sentence.text):
                return False
            continue
        positions = _positions(sentence, in_knowledge)
        if before and refers_back(sentence.text):
            positions = [
                (passage, number)
                for passage, number in positions
                if (passage, number - 1) in before
            ]
        if not positions:
            return False
        before = positions
    return True


def _positions(claim: Sentence, in_knowledge: Mapping[str, list[Position]]) -> list[Position]:
    """Return the positions of a claim as a sentence: whole, or without its lead-in and attribution."""
    whole = in_knowledge.get(normalised(claim.text))
    if whole:
        return whole
    start, end = claim.claim_start, claim.claim_end
    if _DENIES.search(claim.text[:start]) or _DENIES.search(claim.text[end:]):
        return []
    return in_knowledge.get(normalised(claim.text[start:end]), [])
