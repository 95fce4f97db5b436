"""Sentences of a reply that are copies of the knowledge: word for word, or with words left out.

Whoever reads such a copy beside its knowledge calls it entailed, and a small judge is not always sure.
A copy is of a whole sentence, or of one up to its first semicolon: "Tickets are refundable." is no copy
of "It is a myth that tickets are refundable.", though its words stand there.
A small judge also distrusts a claim that is a sentence of the knowledge with words left out, and cannot
tell which words were changed; where none was, and nothing was left out that limits the sentence, the
claim is nearly always true.
Not in the papers, whose models decide on every reply (docs/decisions/0055; of BEGIN's classes 0016).
"""

# ruff: noqa: SIM905  # a word list reads better as running text

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import pairwise
from typing import Any

from qsquared.method.knowledge.evidence import sentences_of
from qsquared.method.plain.markup.blocks import TEXT, blocks
from qsquared.method.plain.markup.offset_mapping import Mapped
from qsquared.method.plain.reply import reply_sentences
from qsquared.method.plain.sentence_kinds import CLAIM, CLAIMED
from qsquared.method.plain.sentences import sentences
from qsquared.records import ReplyClasses

COPIES_VERSION = 2
"""Raised whenever other sentences would be copies."""

COPY, SHORTENED, JUDGE = "copy", "shortened", "judge"
"""The values of ``decided_by``: a claim stands in the knowledge word for word, or was judged, as one that stands
there in part or by the judge alone."""
VERBATIM = f"sentences/{COPIES_VERSION}"
"""The value of the parameter ``verbatim`` of BEGIN's classes."""

CLASSIFIER = "classifier"
"""The value of ``decided_by`` of a reply that is no copy."""

ENTAILED = ReplyClasses(1.0, 0.0, 0.0, 0.0, 0.0)
"""The probabilities of a copy."""

_Position = tuple[int, int]
"""The number of a passage and of a sentence in it."""

_TOKENS = re.compile(r"\w+|[^\w\s\"'`“”„«»]")
_ENDS = frozenset(".!?…:;,")
_LEAST_WORDS = 4
"""A line without a full stop is a sentence if it has so many words, and so is what stands before a semicolon;
"Free bags" is none."""
_POINTS = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|former|latter)\b",
    re.IGNORECASE,
)
"""Words that may point at the sentence before."""
_CONTINUES = re.compile(
    r"\W*(?:that|those|such|both|neither|either|another|others?|same|then|there|however|but|so|and|"
    r"therefore|thus|instead|otherwise|yet|still|also|nor|or)\b",
    re.IGNORECASE,
)
"""Words that continue the sentence before where a sentence begins with them."""
_DENIES = re.compile(
    r"\b(?:no|not|never|nor|none|cannot|without|unless|un(?:true|likely|sure|certain)|false|wrong|"
    r"incorrect|myths?|mistake[sn]?|mistaken|doubt\w*|rumou?rs?|outdated|used to|joking|kidding)\b|n't\b",
    re.IGNORECASE,
)
"""Words beside the copied sentences of a reply that may take them back."""
_TAKES_BACK = re.compile(
    r"\b(?:false|wrong|untrue|not true|incorrect|myths?|mistak\w*|rumou?rs?|hoax\w*|outdated|no longer)\b",
    re.IGNORECASE,
)
"""Words beside a sentence of the knowledge that say that it is not so."""
_ON_IT = re.compile(
    r"\W*(?:this|that|these|those|it(?!.*\bthat\b)|no|but|however|not)\b", re.IGNORECASE
)
"""Words with which a sentence speaks of the one before."""

_AROUND = ".,;:!?()[]\"'\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026"
"""Marks around a word; within one they belong to it, as in "non-toxic", "12-15" and "$1,500"."""
_ARTICLES = frozenset({"a", "an", "the"})
_LEAST_OF_CLAIM = 4
"""A claim of fewer words is not looked for in longer sentences."""
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


def copied_sentences(reply: Sequence[Mapping[str, Any]], knowledge: Sequence[str]) -> list[bool]:
    """Return of each sentence of a reply whether it is a claim that stands in the knowledge word for word.

    Marks, quotes and case do not count.
    A claim behind another one that may point at it ("It was cancelled.") has to stand behind it in the
    knowledge, too, and nothing beside the claims may deny them.

    Args:
        reply: its rows of the table `sentences`, in order.
        knowledge: the passages.
    """
    claims = [row["kind"] in CLAIMED for row in reply]
    beside = (row["text"] for row, claims_it in zip(reply, claims, strict=True) if not claims_it)
    if not any(claims) or any(map(_DENIES.search, beside)):
        return [False] * len(reply)
    in_knowledge = _positions(tuple(knowledge))
    copied = [False] * len(reply)
    before: list[_Position] | None = None
    for number, (row, claims_it) in enumerate(zip(reply, claims, strict=True)):
        if claims_it:
            found = _of_claim(row, in_knowledge)
            if before is not None and _refers_back(row["text"]):
                found = [
                    (passage, place) for passage, place in found if (passage, place - 1) in before
                ]
            copied[number], before = bool(found), found
    return copied


def _refers_back(text: str) -> bool:
    return _POINTS.search(text) is not None or _CONTINUES.match(text) is not None


def _of_claim(
    row: Mapping[str, Any], in_knowledge: Mapping[str, list[_Position]]
) -> list[_Position]:
    """Return the positions of a claim as a sentence: whole, or without its lead-in and attribution."""
    text, start, end = row["text"], row["claim_start"], row["claim_end"]
    if whole := in_knowledge.get(_normalised(text)):
        return whole
    if _DENIES.search(text[:start]) or _DENIES.search(text[end:]):
        return []
    return in_knowledge.get(_normalised(text[start:end]), [])


# A passage is asked about once for each of its replies.
@lru_cache(maxsize=64)
def _positions(knowledge: tuple[str, ...]) -> dict[str, list[_Position]]:
    """Return each sentence of the passages, and what stands before its first semicolon, with its positions.

    What the text beside it may take back is left out.
    """
    positions: dict[str, list[_Position]] = {}
    for passage_number, passage in enumerate(knowledge):
        texts = [("", False), *_texts(passage), ("", False)]
        for number, (sentence, whole) in enumerate(texts):
            if not whole or _taken_back(*texts[number - 1], texts[number + 1][0]):
                continue
            lead, _, rest = sentence.partition(";")
            alone = len(lead.split()) >= _LEAST_WORDS and not (
                _refers_back(rest) or _DENIES.search(rest)
            )
            for text in {sentence, lead if alone else sentence}:
                positions.setdefault(_normalised(text), []).append((passage_number, number))
    return positions


def _taken_back(before: str, whole: bool, behind: str) -> bool:
    """Whether a line such as "Myths:" stands before a sentence, or one such as "That is wrong." behind it."""
    told = "" if whole and not before.endswith(":") else before
    return bool(_TAKES_BACK.search(told) or (_ON_IT.match(behind) and _TAKES_BACK.search(behind)))


def _texts(passage: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a passage in order, and whether each is a whole sentence."""
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
            long = len(sentence.split()) >= _LEAST_WORDS and not sentence.endswith((":", "?"))
            yield sentence, block.kind == TEXT and not cut and (ended or long)


def _normalised(sentence: str) -> str:
    """Return a sentence in lower case, without marks, quotes and the full stop at its end."""
    tokens = _TOKENS.findall(sentence.casefold())
    while tokens and tokens[-1] in _ENDS:
        tokens.pop()
    return " ".join(tokens)


def copies_knowledge(response: str, knowledge: Sequence[str]) -> bool:
    """Whether each claim of a reply is a sentence of the knowledge, but for marks, quotes and case."""
    reply = [asdict(sentence) for sentence in reply_sentences(response)]
    copied = copied_sentences(reply, knowledge)
    claims = [copy for row, copy in zip(reply, copied, strict=True) if row["kind"] == CLAIM]
    return bool(claims) and all(claims)


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
    if len(words) < _LEAST_OF_CLAIM:
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
