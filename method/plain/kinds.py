"""Kinds of the sentences of a reply: a claim, or talk about the chat, as a small network tells them."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from qsquared.method.plain.bounds import bounds_of_claim
from qsquared.method.plain.markup import blocks
from qsquared.method.plain.network import Network, tokens, unpacked

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
