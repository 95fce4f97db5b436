"""Sentences of the knowledge, and whether a claim is one of them, word for word.

A copy is of whole sentences: "Tickets are refundable." is no copy of "It is a myth that tickets are
refundable.", though its words stand there.
"""

import re
from collections.abc import Iterator, Sequence

from qsquared.method.plain.markup.blocks import TEXT, blocks
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.sentences import sentences

Position = tuple[int, int]
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


def is_sentence_of(claim: str, knowledge: Sequence[str]) -> bool:
    """Whether a claim is a sentence of the knowledge, word for word, and points at none before it."""
    return not refers_back(claim) and normalised(claim) in sentence_positions(knowledge)


def refers_back(claim: str) -> bool:
    """Whether a claim has a word that may point at the sentence before ("It was cancelled.")."""
    return _REFERS.search(claim) is not None


def sentence_positions(knowledge: Sequence[str]) -> dict[str, list[Position]]:
    """Return each sentence of the passages, normalised, with its positions."""
    positions: dict[str, list[Position]] = {}
    for passage_number, passage in enumerate(knowledge):
        for number, sentence in enumerate(_whole_sentences(passage)):
            if sentence:
                positions.setdefault(normalised(sentence), []).append((passage_number, number))
    return positions


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


def normalised(sentence: str) -> str:
    """Return a sentence in lower case, without marks, quotes and the full stop at its end."""
    tokens = _TOKENS.findall(sentence.casefold())
    while tokens and tokens[-1] in _ENDS:
        tokens.pop()
    return " ".join(tokens)
