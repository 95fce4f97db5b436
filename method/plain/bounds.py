"""Bounds of the claim within a sentence: behind "Yes, according to our guide," and before ", Maria."."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAD_IN, INSIDE, BEHIND = 0, 1, 2
"""Tags of tokens: before the claim, of the claim, behind it."""
_MARGIN, _AT_THE_END = np.log(0.9 / 0.1), np.log(0.99 / 0.01)
"""The log-odds by which a cut has to be likelier than none: "per kWh" is no attribution."""
_STOPS = frozenset([",", ":", ";", ".", "!", "…", "–", "—", "-"])
_ENDS = _STOPS | frozenset(["that", "but", "so", "like", "afraid"])
"""Words and marks that end a lead-in: nothing is cut off in the middle of a clause."""
_BEGINS = _STOPS | frozenset(["(", "according", "as", "based", "per"])
"""Words and marks that begin an attribution."""
_LINKS = _STOPS | frozenset(["but", "that"])
_JOINS = frozenset(["and", "or"])
"""Words that join two clauses: "You keep your router, and …" claims both."""
_WORDS = 2
"""A claim has so many words at least."""


def bounds_of_claim(
    text: str, tokens: Sequence[re.Match[str]], tags: NDArray[np.float32]
) -> tuple[int, int]:
    """Return the first character of the claim, and the one behind its last.

    Args:
        text: the sentence.
        tokens: its tokens, in order.
        tags: the logarithms of the probabilities of their tags [tokens, 3].
    """
    if len(tokens) != len(tags) or len(tokens) < _WORDS:
        return 0, len(text)
    inside, read = tags[:, INSIDE], [token.group().lower() for token in tokens]
    ends = [word in _ENDS for word in read]
    first = _best(np.cumsum(tags[:, LEAD_IN] - inside), ends, _MARGIN)
    begins = [word in _BEGINS for word in reversed(read)]
    last = len(tokens) - _best(np.cumsum((tags[:, BEHIND] - inside)[::-1]), begins, _AT_THE_END)
    if last < len(tokens) and _of_a_name(tokens, last):
        last = len(tokens)
    if first < len(read) and read[first] in _JOINS:
        first = 0
    words = [token for token in tokens[first:last] if token.group()[0].isalnum()]
    if len(words) < _WORDS:
        return 0, len(text)
    # "I'm only a bot, but the pool is open": neither the comma nor the "but" is of the claim.
    while 0 < first < last and tokens[first].group().lower() in _LINKS:
        first += 1
    start = tokens[first].start() if first else 0
    end = tokens[last - 1].end() if last < len(tokens) else len(text)
    return _unquoted(text, start, end)


def _of_a_name(tokens: Sequence[re.Match[str]], last: int) -> bool:
    """Whether what stands behind the claim belongs to a name before it, as in "Austin, Texas"."""
    pair = tokens[last - 1 : last + 2 : 2]
    return last > 1 and len(pair) == 2 and all(token.group()[0].isupper() for token in pair)


def _best(gains: NDArray[np.float32], allowed: Sequence[bool], margin: float) -> int:
    """Return the number of tokens to cut off, of which the gain in likelihood is the greatest."""
    sound = np.where(allowed, gains, 0.0)
    best = int(np.argmax(sound))
    return best + 1 if sound[best] > margin else 0


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds within the quotation marks around a claim that is quoted after a lead-in."""
    while end > start and text[start : start + 1].isspace():
        start += 1
    quoted = start and text[start] == text[end - 1] == '"' and text.count('"', start, end) == 2
    return (start + 1, end - 1) if quoted and end - start > 2 else (start, end)
