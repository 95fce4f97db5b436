"""Properties of single texts, and the words that two texts share.

A column asks them of its texts (``values.py``); shared words tell replies from the knowledge that they rest on.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import fsum
from statistics import fmean
from typing import Any

from qsquared.storage.logs.vocabulary import vocabulary

_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
"""A character of Chinese or Japanese, which put no blanks between words: two of them count as one."""
_UNSPACED_WORD = re.compile(f"({_UNSPACED}{{2}})(?=\\S)")
_UNSPACED_PAIR = re.compile(f"({_UNSPACED})(?=({_UNSPACED}))")
WORD = re.compile(r"\w+")
ENDS = (".", "!", "?", "…", "\u3002", "\uff1f", "\uff01", '."', ".)")
"""The signs that end a sentence."""
_AFTER_LAST_WORD = re.compile(r"(?:\s|</?\w[^<>]{0,200}>|\[\d{1,3}\])+\Z|\s+[A-Z]{4,}\s*\Z")
"""Blanks, tags and citations, or a word such as ``TERMINATE``."""
_LINK_TARGET = re.compile(r"\[[^\[\]]{1,40}\]:")
"""The begin of a line on which Markdown has the address of a link."""
_HUMP = re.compile(r"([a-z])([A-Z])")
_ADDRESS = re.compile(r"\s*(?:https?|s3|gs|file|mailto)://\S+\s*|\s*/\S*\s*")


@lru_cache(maxsize=20_000)  # Each text is compared with many others.
def words(text: str) -> frozenset[str]:
    """Return the words of a text by their first five letters; of short ones only numbers and Chinese or Japanese."""
    found = WORD.findall(_UNSPACED_PAIR.sub(r"\1\2 ", text.lower()))
    return frozenset(
        word[:5]
        for word in found
        if len(word) > 3 or _UNSPACED_PAIR.match(word) or any(map(str.isdigit, word))
    )


def spaced(text: str) -> str:
    """Return a text with a blank between two words also in Chinese and Japanese, which write none."""
    return _UNSPACED_WORD.sub(r"\1 ", text)


def up_to_last_word(text: str) -> str:
    """Return the end of a text up to its last word or mark, without tags, citations and link targets after it."""
    lines = text[-500:].rstrip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _LINK_TARGET.match(lines[-1])):
        lines.pop()
    return _AFTER_LAST_WORD.sub("", "\n".join(lines))


def ends_as_sentence(text: str) -> bool:
    """Whether a text ends with a full stop, or another mark that ends a sentence."""
    return up_to_last_word(text).endswith(ENDS)


def begins_to_ask(text: str) -> bool:
    """Whether a text begins with the words of a question, and does not end as a sentence."""
    asking = vocabulary("survey")["asking"]
    return asking.match(text) is not None and not ends_as_sentence(text)


def is_address(text: str) -> bool:
    """Whether a text is the address of a page or a file."""
    return _ADDRESS.fullmatch(text) is not None


def are_addresses(text: str) -> bool:
    """Whether each line of a text is the address of a page or a file."""
    return all(map(is_address, text.splitlines()))


def is_for_search(text: str) -> bool:
    """Whether a text has the words of another for a search: many in small letters, without comma or full stop."""
    plain = text == text.lower() and "," not in text and not text.endswith(ENDS)
    # A person would write a capital, a comma or a full stop in so many words.
    return plain and len(text.split()) > 8


def share_of(signs: Sequence[Any]) -> float:
    """Return the share of the signs that are true, 0 if there are none."""
    return sum(map(bool, signs)) / len(signs) if signs else 0.0


class SharedWords:
    """The words of all texts of a log by their frequency: two texts that share rare ones belong together."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.counts = Counter(word for text in texts for word in words(text))

    def within(self, text: str, other: str, *, but: str = "") -> float:
        """Return the share of a text's words that another has, rare words counting more, without those of a third."""
        weights = {word: 1 / (1 + self.counts[word]) for word in words(text)}
        # Exact sums, since the order of a set is another in each process.
        shared = fsum(weights[word] for word in (words(text) & words(other)) - words(but))
        return shared / fsum(weights.values()) if weights else 0.0

    def same_and_apart(self, texts: Sequence[str], others: Sequence[str]) -> tuple[float, float]:
        """Return the mean share of words that texts have in the other text of their own unit, and in those near by."""
        pairs = [(text, other) for text, other in zip(texts, others, strict=True) if text and other]
        if not pairs:
            return 0.0, 0.0
        same = fmean(self.within(text, other) for text, other in pairs)
        apart = [
            self.within(text, foreign)
            for place, (text, own) in enumerate(pairs)
            for _, foreign in (*pairs[max(0, place - 5) : place], *pairs[place + 1 : place + 6])
            if own != foreign
        ]
        return same, fmean(apart) if apart else 0.0

    def lift(self, texts: Sequence[str], others: Sequence[str]) -> float:
        """Return how much more words texts share with the other text of their own unit than with those near by."""
        same, apart = self.same_and_apart(texts, others)
        return same - apart


def words_in(name: str) -> list[str]:
    """Return the words of a name in small letters; ``isUser`` has two."""
    return re.findall(r"[^\W\d_]+", _HUMP.sub(r"\1 \2", name).lower())
