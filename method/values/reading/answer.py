"""Read the values of a short answer, and the words beside them that carry meaning."""

# ruff: noqa: RUF001  # signs that people write; word lists read better as running text

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from qsquared.method.values.reading.dates import ORDINALS, read_clock, read_date
from qsquared.method.values.reading.quantities import read_quantity
from qsquared.method.values.reading.words import WORDS, any_of
from qsquared.method.values.value import Place, Reading, Value

LONGEST = 300
"""A longer answer is not read: its values would be those of a whole text."""

_VULGAR = {ord(sign): f" {sign}" for sign in "½¼¾⅓⅔⅕⅛"}
_PLAIN = str.maketrans("‐‑‒–—−’‘ʼ`⁄", "------''''/")

_BOUNDS: dict[str, str] = WORDS["bounds"]
_OF_QUANTITIES = frozenset({"about", "more", "less", "least", "most"})
_OF_DATES = frozenset({"about", "before", "after", "since", "until"})
_BOUND = re.compile(
    "|".join(
        rf"(?P<{name}>(?:{words})(?![a-z]))"
        for name, words in sorted(_BOUNDS.items(), key=lambda item: item[0] != "least")
    )
)
_LATER_BOUNDS = {
    "least": re.compile(
        r"\s*(?:\+|plus\b|(?:or|and) (?:more|above|over|older|longer)\b|minimum\b)"
    ),
    "most": re.compile(r"\s*(?:or (?:less|fewer|under|younger|shorter)\b|maximum\b|max\b)"),
    "about": re.compile(r"\s*or so\b"),
}
_LATER_DATES = {
    "after": re.compile(r"\s*(?:or|and) (?:later|after|onwards?)\b|\s*onwards?\b"),
    "before": re.compile(r"\s*(?:or|and) (?:earlier|before)\b"),
}
_FILLER = re.compile(r"(?:\s+|the |an? (?=\d)|exactly |only |just |a total of |year )*")
_PART = re.compile(
    r"(?:the\s+)?(?:(?P<early>early|beginning of|start of)|(?P<mid>mid|middle of)|"
    r"(?P<late>late|end of))[\s-]+(?:in\s+)?(?:the\s+)?"
)
_WORD = re.compile(r"[^\W_]+(?:['.&/-][^\W_]+)*")
_ORDINAL = re.compile(rf"(\d+)(?:st|nd|rd|th)\b|({any_of(ORDINALS)})\b")

_FUNCTION_WORDS = frozenset(WORDS["function"].split())
NEGATIONS = frozenset(WORDS["negations"].split())


def normalise(text: str) -> str:
    """Return the text in lower case with plain dashes, apostrophes, digits and single spaces."""
    plain = unicodedata.normalize("NFKC", text.translate(_VULGAR)).translate(_PLAIN)
    return " ".join(plain.lower().split()).strip(" .;:!?,\"'")


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, without the -s of the plural."""
    return frozenset(
        _singular(word) for word in _WORD.findall(normalise(text)) if word not in _FUNCTION_WORDS
    )


def _singular(word: str) -> str:
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def read(text: str) -> Reading | None:
    """Return the values and the other words of an answer; None for a long one."""
    if len(text) > LONGEST:
        return None
    plain = normalise(text)
    values: list[Value] = []
    rest: list[str] = []
    place, ended = 0, -1
    while place < len(plain):
        if plain[place].isspace():
            place += 1
            continue
        # "9:00-17:00": what follows a value and a dash may be one, too.
        after = ended >= 0 and plain[ended:place] == "-"
        begins = after or (_begins_word(plain, place))
        found = _value(plain, place) if begins else None
        if found is not None:
            values.append(found[0])
            place = ended = found[1]
            continue
        word = _WORD.match(plain, place)
        if word is None:
            place += 1
            continue
        rest.append(word[0])
        place = word.end()
    words = frozenset(_singular(word) for word in rest if word not in _FUNCTION_WORDS)
    return Reading(tuple(values), words)


def _begins_word(text: str, place: int) -> bool:
    """Whether a value may begin here; a number within a word or name, as in "covid-19", is none."""
    before = text[:place].rstrip("-") if place and text[place - 1] == "-" else text[:place]
    return not before or not before[-1].isalnum()


def _value(text: str, place: int) -> tuple[Value, int] | None:
    """Return the value that begins here, with the bound before it."""
    bound, start = _bound(text, place)
    return (
        _part_of_date(text, start, bound)
        or _clock(text, start, bound)
        or _date(text, start, bound)
        or _bounded_quantity(text, start, bound)
        or _place(text, start, bound)
    )


def _bound(text: str, place: int) -> tuple[str, int]:
    """Return the bound that begins here and where its value begins; empty where there is none."""
    found = _BOUND.match(text, place)
    if found is None:
        return "", place
    start = _after_filler(text, found.end())
    # "Since around 1990" has the weaker of two.
    nested = _BOUND.match(text, start)
    if nested is not None:
        return nested.lastgroup or "", _after_filler(text, nested.end())
    return found.lastgroup or "", start


def _after_filler(text: str, end: int) -> int:
    found = _FILLER.match(text, end)
    return found.end() if found else end


def _part_of_date(text: str, start: int, bound: str) -> tuple[Value, int] | None:
    part = _PART.match(text, start)
    found = read_date(text, part.end()) if part else None
    if part is None or found is None:
        return None
    return replace(found[0], part=part.lastgroup or "", bound=_of_date(bound)), found[1]


def _clock(text: str, start: int, bound: str) -> tuple[Value, int] | None:
    found = read_clock(text, start)
    return (replace(found[0], bound=bound), found[1]) if found else None


def _bounded_quantity(text: str, start: int, bound: str) -> tuple[Value, int] | None:
    found = read_quantity(text, start)
    if found is None or (bound and bound not in _OF_QUANTITIES):
        return None
    quantity, end = found
    for later, words in _LATER_BOUNDS.items():
        after = words.match(text, end)
        if after is not None and not bound:
            return replace(quantity, bound=later), after.end()
    return replace(quantity, bound=bound), end


def _place(text: str, start: int, bound: str) -> tuple[Value, int] | None:
    found = _ORDINAL.match(text, start)
    if found is None or bound:
        return None
    return Place(int(found[1]) if found[1] else ORDINALS[found[2]]), found.end()


def _of_date(bound: str) -> str:
    return {"more": "after", "less": "before", "most": "until", "least": "since"}.get(bound, bound)


def _date(text: str, start: int, bound: str) -> tuple[Value, int] | None:
    found = read_date(text, start)
    if found is None:
        return None
    date, end = found
    if date.bare:
        quantity = read_quantity(text, start)
        if quantity is not None and quantity[1] > end:
            return None  # "1500 kg", "2000 to 2500 metres"
        if bound in {"more", "less", "least", "most"}:
            return None  # "more than 1500"
    for later, words in _LATER_DATES.items():
        after = words.match(text, end)
        if after is not None and not bound:
            return replace(date, bound=later), after.end()
    if bound not in _OF_DATES or (bound == "since" and date.last is not None):
        return date, end  # "from 1939 to 1945"
    return replace(date, bound=bound), end
