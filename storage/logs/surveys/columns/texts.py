"""Texts of an unknown log by their words: how they end, the words that they share, and the share of them that fit."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import fsum
from statistics import fmean
from typing import Any

from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
"""A character of Chinese or Japanese, which put no blanks between words: two of them count as one."""
_PAIR = re.compile(f"({_UNSPACED}{{2}})(?=\\S)")
_NEXT = re.compile(f"({_UNSPACED})(?=({_UNSPACED}))")
WORD = re.compile(r"\w+")
ENDS = (".", "!", "?", "…", "\u3002", "\uff1f", "\uff01", '."', ".)")
_TAGS = re.compile(r"(?:\s|</?\w[^<>]{0,200}>|\[\d{1,3}\])+\Z|\s+[A-Z]{4,}\s*\Z")
"""The end of a text after its last word: blanks, tags, citations, and a word such as ``TERMINATE``."""
_REFERENCE = re.compile(r"\[[^\[\]]{1,40}\]:")
"""The begin of a line on which Markdown has the address of a link."""
ADDRESS = re.compile(r"\s*(?:https?|s3|gs|file|mailto)://\S+\s*|\s*/\S*\s*")
_STEM = 5
_LAST = 500
"""The characters of a text that tell how it ends."""
_REMEMBERED = 20_000
"""The texts whose words are kept: each is compared with many others."""
_INDEXED = 8
"""The words of a text beyond which a person would write a capital, a comma or a full stop."""


@lru_cache(maxsize=_REMEMBERED)
def words(text: str) -> frozenset[str]:
    """Return the words of a text by their stems; short ones are left out unless they hold a digit."""
    found = WORD.findall(_NEXT.sub(r"\1\2 ", text.lower()))
    long = (one for one in found if len(one) > 3 or _NEXT.match(one) or any(map(str.isdigit, one)))
    return frozenset(one[:_STEM] for one in long)


def spaced(text: str) -> str:
    """Return a text with a blank between two words also in Chinese and Japanese, which write none."""
    return _PAIR.sub(r"\1 ", text)


def said_in(text: str) -> str:
    """Return a text up to its last word or mark, without tags, citations and addresses of links that follow."""
    lines = text[-_LAST:].rstrip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _REFERENCE.match(lines[-1])):
        lines.pop()
    return _TAGS.sub("", "\n".join(lines))


def begins_to_ask(text: str) -> bool:
    """Whether a text begins as a question and has no end."""
    return _V["asking"].match(text) is not None and not said_in(text).endswith(ENDS)


def is_address(text: str) -> bool:
    """Whether texts of a unit are addresses of pages or files, one a line."""
    return all(map(ADDRESS.fullmatch, text.splitlines()))


def share_of(found: Sequence[Any]) -> float:
    """Return the share of what is true, 0 of nothing."""
    return sum(map(bool, found)) / len(found) if found else 0.0


def is_index(text: str) -> bool:
    """Whether a text has the words of another for a search: in small letters, without commas or an end."""
    plain = text == text.lower() and "," not in text and not text.endswith(ENDS)
    return plain and len(text.split()) > _INDEXED


class Shared:
    """An index of rare words, which tells how far texts share them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.seen = Counter(word for text in texts for word in words(text))

    def within(self, text: str, other: str, *, but: str = "") -> float:
        """Return the share of a text's words that another holds, rare words counting more, without those of a third."""
        weights = {word: 1 / (1 + self.seen[word]) for word in words(text)}
        # Exact sums, since the order of a set is another in each process.
        held = fsum(weights[word] for word in (words(text) & words(other)) - words(but))
        return held / fsum(weights.values()) if weights else 0.0

    def lift(self, texts: Sequence[str], others: Sequence[str]) -> tuple[float, float]:
        """Return the mean share with the text of the same unit, and with those of other units."""
        pairs = [(a, b) for a, b in zip(texts, others, strict=True) if a and b]
        if not pairs:
            return 0.0, 0.0
        same = fmean(self.within(a, b) for a, b in pairs)
        apart = [
            self.within(a, d)
            for n, (a, _) in enumerate(pairs)
            for m, (_, d) in enumerate(pairs)
            if 0 < abs(n - m) < 6 and pairs[n][1] != d
        ]
        return same, fmean(apart) if apart else 0.0

    def beyond(self, texts: Sequence[str], others: Sequence[str]) -> float:
        """Return the mean share with the text of the same unit, less that with those of other units."""
        same, apart = self.lift(texts, others)
        return same - apart
