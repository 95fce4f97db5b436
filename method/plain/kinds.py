"""Kinds of the sentences of a reply, by rules over a documented lexicon (`lexicon.py`)."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from qsquared.method.plain import lead_ins, lexicon, other_languages, service_talk
from qsquared.method.plain.markup import blocks

CLAIM = "claim"
WHOLE = "reply"
"""The whole reply, which is read as logged, as one claim."""
CLAIMED = (CLAIM, WHOLE)
KINDS = (
    CLAIM,
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

_CHARACTERS = 600
"""A longer sentence is a claim, whatever it begins with."""
_WORDS_OF_ACKNOWLEDGEMENT = 9
_WORDS_OF_CLAIM = 3
"""After thanks or a greeting so many words at least are a claim of their own."""
_WORDS_OF_ANNOUNCEMENT = 3
_WORDS_OF_SIGNATURE = 8
_WORDS_OF_QUESTION = 25
_MOST_LEAD_INS = 5
_TITLE_AT_END = re.compile(
    r"[a-z,] (?:Why|What|Who|Where|How|When|Which)(?: [A-Z][\w'-]*)+\?[\"')]*$"
)
"""The title of a film or a book that is a question."""
_ASKING = re.compile(
    r"(?:(?:and|but|so|well),? )?(?:what|how|where|when|which|who|why|whose|do|did|does|have|has|is|are|was|were|would|can|could|will|should)\b"
)
_CALLED = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?[.!]*$")
_STRAIGHT = str.maketrans("’‘“”", "''\"\"")
_POLITE = ("greeting", "thanks", "apology", "acknowledgement", "yes_or_no")
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
        after = _behind(text, lower, start)
        words = len(rest.split())
        if name == CLAIM:
            name = after
        elif after == CLAIM and words >= _WORDS_OF_CLAIM:
            name = CLAIM
        elif after not in (CLAIM, "heading", "acknowledgement"):
            name = after
    if name != CLAIM:
        return Kind(name, 0, len(text))
    tail = lead_ins.TAIL.search(lower, start)
    end = tail.start() if tail and len(lower[start : tail.start()].split()) > 2 else len(text)
    return Kind(CLAIM, *_unquoted(text, start, end))


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds within the quotation marks around a claim that is quoted after a lead-in."""
    quoted = start and text[start] == text[end - 1] == '"' and text.count('"', start, end) == 2
    return (start + 1, end - 1) if quoted and end - start > 2 else (start, end)


def signs(text: str) -> bool:
    """Whether after this line the writer signs."""
    lower = text.translate(_STRAIGHT).lower()
    return any(line.match(lower) for line in (lexicon.CLOSING_LINE, other_languages.CLOSING_LINE))


def _is_signature(text: str, lower: str) -> bool:
    """Whether a line is the name of a team or a bot, or a closing in another language."""
    patterns = (lexicon.SIGNATURE, other_languages.CLOSING_LINE)
    return any(one.match(lower) for one in patterns) or bool(service_talk.SIGNATURE.match(text))


def _is_source(lower: str) -> bool:
    """Whether a line says where or when an answer was found, or is the words of a link to it."""
    patterns = (lexicon.SOURCE, service_talk.AS_OF, service_talk.LINK)
    return any(pattern.match(lower) for pattern in patterns)


def _behind_lead_ins(lower: str) -> int:
    """Return the place behind all lead-ins."""
    start = 0
    for _ in range(_MOST_LEAD_INS):
        match = lead_ins.LEAD_INS.match(lower, start)
        if match is None or match.end() == start:
            break
        start = match.end()
    return start


def _behind(text: str, lower: str, start: int) -> str:
    """Return the kind of what stands behind the lead-ins."""
    rest = lower[start:]
    if not rest.strip(" .!,"):
        return "heading" if lower.endswith(":") else "acknowledgement"
    if lexicon.PRAISED.match(lower) and _CALLED.match(text, start):
        return "acknowledgement"
    # "Thanks for asking, and I hope you are well!"
    joined = len("and ") if rest.startswith("and ") else 0
    return _simple(text[start + joined :], rest[joined:])


def _simple(text: str, lower: str) -> str:
    """Return the kind of a sentence as it begins, without a look behind its lead-in."""
    name = _polite(text, lower)
    if name in _MAY_STATE and lexicon.FACT.search(lower):
        return CLAIM
    return name


def _polite(text: str, lower: str) -> str:
    words = len(lower.split())
    rules: tuple[tuple[str, Callable[[], object]], ...] = (
        ("yes_or_no", lambda: lexicon.YES_OR_NO.match(lower)),
        (
            "greeting",
            lambda: (
                (lexicon.GREETING.match(lower) or other_languages.GREETING.match(lower))
                and _greets(text)
            ),
        ),
        ("greeting", lambda: words <= lexicon.WORDS_OF_INTRODUCTION and _introduces(text, lower)),
        ("sign_off", lambda: words <= lexicon.SIGN_OFF_WORDS and lexicon.SIGN_OFF.match(lower)),
        ("sign_off", lambda: words <= _WORDS_OF_SIGNATURE and _is_signature(text, lower)),
        ("sign_off", lambda: other_languages.WISHES.match(lower)),
        ("source", lambda: _is_source(lower)),
        ("offer", lambda: lexicon.OFFER.match(lower)),
        ("offer", lambda: service_talk.speaks_of_the_chat(lower, words)),
        ("offer", lambda: words <= lexicon.WORDS_OF_POINTER and lexicon.POINTER.match(lower)),
        (
            "disclaimer",
            lambda: (
                words <= lexicon.WORDS_OF_DISCLAIMER
                and (lexicon.DISCLAIMER.match(lower) or service_talk.OF_A_BOT.match(lower))
            ),
        ),
        ("thanks", lambda: lexicon.THANKS.match(lower) or service_talk.PLEASED.match(lower)),
        (
            "thanks",
            lambda: (
                words <= other_languages.WORDS_OF_THANKS and other_languages.THANKS.match(lower)
            ),
        ),
        (
            "acknowledgement",
            lambda: words <= _WORDS_OF_ACKNOWLEDGEMENT and lexicon.ACKNOWLEDGEMENT.match(lower),
        ),
        ("apology", lambda: words <= lexicon.APOLOGY_WORDS and _is(lexicon.SYMPATHY, lower)),
        ("acknowledgement", lambda: _looks_up(lower, words)),
        ("refusal", lambda: _is(lexicon.REFUSAL, lower) and not lower.endswith("?")),
        ("apology", lambda: words <= lexicon.APOLOGY_WORDS and _is(lexicon.APOLOGY, lower)),
        ("question", lambda: _asks(text, lower) or lexicon.CHOICE.match(lower)),
        ("question", lambda: words <= _WORDS_OF_QUESTION and lexicon.RESTATED.match(lower)),
        ("heading", lambda: lexicon.HEADING.match(lower)),
        (
            "heading",
            lambda: words <= lexicon.WORDS_OF_SAID_BELOW and lexicon.SAID_BELOW.match(lower),
        ),
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
    return match is not None and words <= lexicon.WORDS_OF_LOOK_UP and ":" not in lower[:-1]


def _asks(text: str, lower: str) -> bool:
    """Whether a sentence is a question, and none that states something."""
    if lower.rstrip("\"') ").endswith("?"):
        if _TITLE_AT_END.search(text) and not _ASKING.match(lower):
            return False
        return not (lexicon.STATED_QUESTION.match(lower) or lexicon.TAG_QUESTION.match(lower))
    return lexicon.UNPUNCTUATED_QUESTION.match(lower) is not None


def _introduces(text: str, lower: str) -> bool:
    """Whether somebody says a name that is the own one."""
    match = lexicon.INTRODUCTION.match(lower)
    return match is not None and text[match.start("name")].isupper()


def _greets(text: str) -> bool:
    """Whether all words after the first are names or words of greetings."""
    words = [word.strip(",.!?:;'\"") for word in text.split()][1:]
    unknown = [
        word
        for word in words
        if word and not word[0].isupper() and word.lower() not in lexicon.GREETED
    ]
    return len(words) <= 8 and (not unknown or (len(words) == 1 and len(unknown) == 1))
