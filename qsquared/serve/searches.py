"""A search as the address of a page states it, and the parts of a text that it found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

PLACES = {
    "anywhere": "response || chr(10) || knowledge",
    "replies": "response",
    "knowledge": "knowledge",
}
"""The texts that a search may look into, as SQL."""

_LONGEST = 200
_NAMES = {"words": "q", "place": "in", "verdict": "which"}


@dataclass(frozen=True, slots=True)
class Search:
    """Words in a place, a verdict, and the value of a field of the log."""

    words: str = ""
    place: str = "anywhere"
    verdict: str = ""
    field: str = ""
    value: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Search:
        """Return the search of an address; what an address cannot state is left out."""
        given = {
            name: text[:_LONGEST]
            for name in asdict(cls())
            if (text := parameters.get(_NAMES.get(name, name), ""))
        }
        if given.get("place") not in PLACES:
            given.pop("place", None)
        return cls(**given)

    def address(self, **more: object) -> dict[str, object]:
        """Return the parameters of the search's address, with more of them."""
        unasked = asdict(Search())
        stated = {
            _NAMES.get(name, name): text
            for name, text in asdict(self).items()
            if text != unasked[name]
        }
        return stated | more


def number_of(text: str, most: int) -> int:
    """Return a number in an address, at most so large; 0 for anything else."""
    # Python reads no number of thousands of digits.
    return min(int(text[:6]), most) if text.isascii() and text.isdigit() else 0


def excerpt(text: str, words: str, length: int) -> list[tuple[str, bool]]:
    """Return the part of a text that begins near the first of some words, in pieces.

    Each piece has whether it is one of the words, in capitals or not.
    """
    sought = sorted(words.split(), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, sought)) or r"(?!)", re.IGNORECASE)
    first = pattern.search(text)
    beyond = first is not None and first.end() > length
    start = max(0, first.start() - length // 3) if first is not None and beyond else 0
    part = text[start : start + length]
    pieces, end = [("… ", False)] * (start > 0), 0
    for match in pattern.finditer(part):
        pieces += [(part[end : match.start()], False), (match[0], True)]
        end = match.end()
    pieces += [(part[end:], False), (" …", False)][: 1 + (start + length < len(text))]
    return [piece for piece in pieces if piece[0]]
