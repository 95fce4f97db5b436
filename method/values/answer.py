"""Read the values of a short answer, and the words beside them that carry meaning."""

# ruff: noqa: RUF001  # signs that people write; word lists read better as running text

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from qsquared.method.values.dates import ORDINALS, read_clock, read_date
from qsquared.method.values.numbers import WORDS, any_of
from qsquared.method.values.quantities import read_quantity
from qsquared.method.values.value import Date, Place, Quantity, Reading, Value

LONGEST = 300
"""A longer answer is not read: its values would be those of a whole text."""

_VULGAR = {ord(sign): f" {sign}" for sign in "½¼¾⅓⅔⅕⅛"}
_PLAIN = str.maketrans("‐‑‒–—−’‘ʼ`⁄", "------''''/")

_OF_QUANTITIES = frozenset({"about", "more", "less", "least", "most"})
_OF_DATES = frozenset({"about", "before", "after", "since", "until"})
_OF_PARTS = {"more": "after", "less": "before", "most": "until", "least": "since"}
"""Bounds of quantities that are said of a part of a date, as those of dates."""
_FILLER = r"(?:\s+|the |an? (?=\d)|exactly |only |just |a total of |year )*"
_BEFORE = {
    bound: re.compile(rf"(?:{'|'.join(words)})(?![a-z]){_FILLER}")
    for bound, words in WORDS["bounds"].items()
}
_BEHIND_QUANTITIES, _BEHIND_DATES = (
    {bound: re.compile(rf"\s*(?:{words})") for bound, words in WORDS[name].items()}
    for name in ("bounds_behind_quantities", "bounds_behind_dates")
)
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
    return _with_meaning(_WORD.findall(normalise(text)))


def _with_meaning(words: list[str]) -> frozenset[str]:
    return frozenset(_singular(word) for word in words if word not in _FUNCTION_WORDS)


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
    position, ended = 0, -1
    while position < len(plain):
        # A number within a word, as in "covid-19", is no value; but one behind a value and a dash
        # may be, as in "9:00-17:00".
        after = ended >= 0 and plain[ended:position] == "-"
        begins = after or not plain[:position].rstrip("-")[-1:].isalnum()
        value = _value(plain, position) if begins and not plain[position].isspace() else None
        if value is not None:
            values.append(value[0])
            position = ended = value[1]
            continue
        word = _WORD.match(plain, position)
        rest += [word[0]] if word else []
        position = word.end() if word else position + 1
    return Reading(tuple(values), _with_meaning(rest))


def _value(text: str, position: int) -> tuple[Value, int] | None:
    """Return the value that begins here, with the bound before it."""
    bound, start = _bound(text, position)
    part = _PART.match(text, start)
    dated = read_date(text, part.end()) if part else None
    if part and dated:
        bound = _OF_PARTS.get(bound, bound)
        return replace(dated[0], part=part.lastgroup or "", bound=bound), dated[1]
    clock = read_clock(text, start)
    if clock:
        return replace(clock[0], bound=bound), clock[1]
    quantity = read_quantity(text, start)
    date = read_date(text, start)
    if date and date[0].bare and ((quantity and quantity[1] > date[1]) or bound in _OF_PARTS):
        date = None  # "1500 kg", "2000 to 2500 metres", "more than 1500"
    if date:
        # "From 1939 to 1945" has no bound.
        kept = bound in _OF_DATES and not (bound == "since" and date[0].last is not None)
        return _bounded(text, *date, bound, bound if kept else "")
    if quantity and (not bound or bound in _OF_QUANTITIES):
        return _bounded(text, *quantity, bound, bound)
    place_in_order = _ORDINAL.match(text, start)
    if place_in_order is None:
        return None
    digits, word = place_in_order.groups()
    return Place(int(digits) if digits else ORDINALS[word], bound), place_in_order.end()


def _bounded(
    text: str, value: Quantity | Date, end: int, before: str, kept: str
) -> tuple[Value, int]:
    """Return a value with its bound, which stands before or behind it."""
    behind = _BEHIND_QUANTITIES if isinstance(value, Quantity) else _BEHIND_DATES
    for bound, words in ({} if before else behind).items():
        mark = words.match(text, end)
        if mark:
            return replace(value, bound=bound), mark.end()
    return replace(value, bound=kept), end


def _bound(text: str, position: int) -> tuple[str, int]:
    """Return the bound that begins here and where its value begins; empty where there is none."""
    bound = ""
    # "Since around 1990" has the weaker of two.
    for _ in range(2):
        for name, words in _BEFORE.items():
            mark = words.match(text, position)
            if mark:
                bound, position = name, mark.end()
                break
    return bound, position
