"""Kinds of the sentences of a reply: a claim, or talk about the chat, as a small network tells them.

A claim has bounds within its sentence: behind "Yes, according to our guide," and before ", Maria.".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from qsquared.method.plain.markup import blocks
from qsquared.method.plain.sentence_network import Network, tokens, unpacked

CLAIM = "claim"
WHOLE = "reply"
"""The whole reply, which is read as logged, as one claim."""
CLAIMED = (CLAIM, WHOLE)
OTHER_LANGUAGE = "other_language"
"""The kind of a sentence that is not in English."""
KINDS = (
    CLAIM,
    OTHER_LANGUAGE,
    "refusal",
    "yes_or_no",
    "question",
    "apology",
    "offer",
    "thanks",
    "greeting",
    "sign_off",
    "acknowledgement",
    "disclaimer",
    "heading",
    "source",
    "symbols",
)
"""All kinds; a reply without a claim is called by the first of these that it has."""
LEARNED = tuple(kind for kind in KINDS if kind not in (OTHER_LANGUAGE, "symbols"))
"""The kinds that the network tells apart."""
SURE = 0.9
"""The probability of no claim from which on a sentence is left out."""
_SHOWN = 0.7
"""The same where the form of a sentence bears out its kind."""
_RATHER = 0.5
_OPENING = re.compile(
    r"(?:(?:yes|yeah|yep|no|nope|sure|okay|ok|well|oh)[,!]|did you know(?: that)?|[QA]:)\s+(?=\S+\s+\S)",
    re.IGNORECASE,
)
"""Words that answer or ask, and are of no claim."""
_ASKS = re.compile(
    r"(?:wh(?:o|om|ose|at|ich|en|ere|y)|how|is|are|was|were|do|does|did|has|have|had|can|could|will|"
    r"would|shall|should|may|might)\b.*\?\s*",
    re.IGNORECASE | re.DOTALL,
)
_VALUE = re.compile(r"\W*\d[\d.,:]*\W*(?:[ap]\.m|\w+)?\W*")
"""A number with at most one word, such as "11 p.m." and "£20": the answer to a question."""
_I = re.compile(r"\bI\b")
_SHORT = 3
"""Words of thanks and apologies such as "You're welcome." and "Sorry!"."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a sentence, and the bounds of its claim: behind a lead-in, before an attribution.

    ``certainty`` is the probability, 0 to 1, that a claim claims something, and that any other kind
    claims nothing; 1 where the layout of the reply decides.
    """

    name: str
    certainty: float
    start: int
    end: int


@cache
def _network() -> Network:
    return unpacked((files("qsquared.models") / "sentence-kinds/model.safetensors").read_bytes())


def share_of_known(words: list[str]) -> float:
    """Return the share of words, 0 to 1, that the network knows, which are frequent in English; 1 of none."""
    return _network().known(words)


def kind_of(text: str, block: str = blocks.TEXT, network: Network | None = None) -> Kind:
    """Return the kind of a sentence of plain text, which is left out only where it surely claims nothing.

    Args:
        text: the sentence, with single spaces.
        block: the kind of its block; sentences of headings and of lists of sources are of that kind.
        network: another one than the bundled one.
    """
    if block != blocks.TEXT:
        return Kind(block, 1.0, 0, len(text))
    return _judged(network or _network(), text)


@lru_cache(maxsize=4096)
def _judged(network: Network, text: str) -> Kind:
    """Return the kind of a sentence by a network; what a log repeats is judged once."""
    matches = tokens(text)
    if not matches or _VALUE.fullmatch(text):
        return Kind(CLAIM, 1.0, 0, len(text))
    judged = network.judge([token.group() for token in matches])
    claims = judged.kinds[CLAIM]
    name = max((kind for kind in judged.kinds if kind != CLAIM), key=judged.kinds.__getitem__)
    talks = 1 - claims >= (_SHOWN if _shows_itself(text, name) else SURE)
    start, end = bounds_of_claim(text, matches, judged.tags)
    opening = None if talks else _OPENING.match(text)
    start = max(start, opening.end() if opening else 0)
    if end - start < len(text):
        # "Good news: according to our guide, …": a lead-in may stand behind another one.
        inner = _judged(network, text[start:end])
        if inner.name == CLAIM and (inner.certainty >= SURE or not talks):
            certainty = max(inner.certainty, round(claims, 4))
            return Kind(CLAIM, certainty, start + inner.start, start + inner.end)
        if inner.name != CLAIM and claims <= _RATHER and not talks:
            # "According to our guide, I don't know."
            return Kind(inner.name, inner.certainty, 0, len(text))
    if talks:
        return Kind(name, round(1 - claims, 4), 0, len(text))
    return Kind(CLAIM, round(claims, 4), opening.end() if opening else 0, len(text))


def _shows_itself(text: str, name: str) -> bool:
    """Whether the form of a sentence bears out its kind: a question asks, a refusal says "I", thanks are short."""
    if name == "question":
        return bool(_ASKS.fullmatch(text))
    if name in ("thanks", "apology"):
        return len(text.split()) <= _SHORT
    return name == "refusal" and bool(_I.search(text))


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
