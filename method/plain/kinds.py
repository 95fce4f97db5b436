"""Kinds of the sentences of a reply, by rules over a documented lexicon (`lexicon.py`)."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from qsquared.method.plain import lexicon
from qsquared.method.plain.markup import blocks

CLAIM = "claim"
WHOLE = "reply"
"""The whole reply, which is read as logged, as one claim."""
CLAIMED = (CLAIM, WHOLE)
KINDS = (
    CLAIM,
    "refusal",
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

_CHARACTERS = 600
"""A longer sentence is a claim, whatever it begins with."""
_WORDS_OF_ACKNOWLEDGEMENT = 9
_WORDS_OF_CLAIM = 3
"""After thanks or a greeting so many words at least are a claim of their own."""
_WORDS_OF_ANNOUNCEMENT = 3
_WORDS_OF_SIGNATURE = 8
_MOST_LEAD_INS = 5
_STRAIGHT = str.maketrans("’‘“”", "''\"\"")
_POLITE = ("greeting", "thanks", "apology", "acknowledgement")
_MAY_STATE = ("offer", "thanks", "sign_off", "apology", "acknowledgement", "disclaimer")


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a sentence, and the bounds of its claim: behind a lead-in, before an attribution."""

    name: str
    start: int
    end: int


def kind_of(text: str, block: str = blocks.TEXT) -> Kind:
    """Return the kind of a sentence of plain text.

    Args:
        text: the sentence, with single spaces.
        block: the kind of its block; sentences of headings and of lists of sources are of that kind.
    """
    whole = Kind(CLAIM, 0, len(text))
    lower = text.translate(_STRAIGHT).lower()
    if len(text) > _CHARACTERS or len(lower) != len(text):
        return whole if block == blocks.TEXT else Kind(block, 0, len(text))
    name = _simple(text, lower)
    if (
        block == blocks.SOURCE
        and name not in ("offer", "thanks")
        and not lexicon.SIGN_OFF.match(lower)
    ):
        return Kind("source", 0, len(text))
    if block in (blocks.HEADING, blocks.SIGNATURE):
        return Kind(block, 0, len(text))
    start = _behind_lead_ins(lower)
    # "Did you know that …?" claims, though what is behind its lead-in looks like a question.
    asks = lower.rstrip("\"') ").endswith("?") and name == CLAIM
    if start and not asks and (name == CLAIM or name in _POLITE):
        rest = lower[start:]
        after = (
            _simple(text[start:], rest)
            if rest.strip(" .!,")
            else ("heading" if lower.endswith(":") else "acknowledgement")
        )
        words = len(rest.split())
        if name == CLAIM:
            name = after
        elif after == CLAIM and words >= _WORDS_OF_CLAIM:
            name = CLAIM
        elif after not in (CLAIM, "heading", "acknowledgement"):
            name = after
    if name != CLAIM:
        return Kind(name, 0, len(text))
    tail = lexicon.TAIL.search(lower, start)
    end = tail.start() if tail and len(lower[start : tail.start()].split()) > 2 else len(text)
    return Kind(CLAIM, start, end)


def signs(text: str) -> bool:
    """Whether after this line the writer signs."""
    return lexicon.CLOSING_LINE.match(text.translate(_STRAIGHT).lower()) is not None


def _behind_lead_ins(lower: str) -> int:
    """Return the place behind all lead-ins."""
    start = 0
    for _ in range(_MOST_LEAD_INS):
        match = lexicon.LEAD_INS.match(lower, start)
        if match is None or match.end() == start:
            break
        start = match.end()
    return start


def _simple(text: str, lower: str) -> str:
    """Return the kind of a sentence as it begins, without a look behind its lead-in."""
    name = _polite(text, lower)
    if name in _MAY_STATE and lexicon.FACT.search(lower):
        return CLAIM
    return name


def _polite(text: str, lower: str) -> str:
    words = len(lower.split())
    rules: tuple[tuple[str, Callable[[], object]], ...] = (
        ("greeting", lambda: lexicon.GREETING.match(lower) and _greets(text)),
        ("sign_off", lambda: words <= lexicon.SIGN_OFF_WORDS and lexicon.SIGN_OFF.match(lower)),
        ("sign_off", lambda: words <= _WORDS_OF_SIGNATURE and lexicon.SIGNATURE.match(lower)),
        ("source", lambda: lexicon.SOURCE.match(lower)),
        ("offer", lambda: lexicon.OFFER.match(lower)),
        ("offer", lambda: words <= lexicon.WORDS_OF_POINTER and lexicon.POINTER.match(lower)),
        (
            "disclaimer",
            lambda: words <= lexicon.WORDS_OF_DISCLAIMER and lexicon.DISCLAIMER.match(lower),
        ),
        ("thanks", lambda: lexicon.THANKS.match(lower)),
        (
            "acknowledgement",
            lambda: words <= _WORDS_OF_ACKNOWLEDGEMENT and lexicon.ACKNOWLEDGEMENT.match(lower),
        ),
        ("apology", lambda: words <= lexicon.APOLOGY_WORDS and _is(lexicon.SYMPATHY, lower)),
        ("acknowledgement", lambda: _looks_up(lower, words)),
        ("refusal", lambda: _is(lexicon.REFUSAL, lower) and not lower.endswith("?")),
        ("apology", lambda: words <= lexicon.APOLOGY_WORDS and _is(lexicon.APOLOGY, lower)),
        ("question", lambda: _asks(lower)),
        (
            "heading",
            lambda: words <= _WORDS_OF_ANNOUNCEMENT and lexicon.ANNOUNCEMENT.match(lower),
        ),
    )
    return next((name for name, holds in rules if holds()), CLAIM)


def _is(pattern: re.Pattern[str], lower: str) -> bool:
    """Whether a sentence is a refusal or apology and goes on with no claim."""
    match = pattern.match(lower)
    return match is not None and not lexicon.TURN.search(lower, match.end())


def _looks_up(lower: str, words: int) -> bool:
    """Whether a sentence only says that something is being looked up."""
    match = lexicon.LOOK_UP.match(lower)
    return match is not None and words <= lexicon.WORDS_OF_LOOK_UP and ":" not in lower


def _asks(lower: str) -> bool:
    """Whether a sentence is a question, and none that states something."""
    if lower.rstrip("\"') ").endswith("?"):
        return not (lexicon.STATED_QUESTION.match(lower) or lexicon.TAG_QUESTION.match(lower))
    return lexicon.UNPUNCTUATED_QUESTION.match(lower) is not None


def _greets(text: str) -> bool:
    """Whether all words after the first are names or words of greetings."""
    words = [word.strip(",.!?:;'\"") for word in text.split()][1:]
    unknown = [
        word
        for word in words
        if word and not word[0].isupper() and word.lower() not in lexicon.GREETED
    ]
    return len(words) <= 8 and (not unknown or (len(words) == 1 and len(unknown) == 1))
