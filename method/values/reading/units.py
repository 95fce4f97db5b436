"""Units of measure and money, by the words that people use for them."""

import re
from collections.abc import Iterator

from qsquared.method.values.reading.numbers import WORDS, any_of
from qsquared.method.values.value import Unit

MONEY = frozenset(WORDS["money"].split())
"""The kinds that are currencies."""

TEMPERATURES = {"celsius": (1.0, 0.0), "kelvin": (1.0, -273.15), "fahrenheit": (5 / 9, -160 / 9)}
"""Factor and summand that give degrees Celsius."""

DAYS = {"clock": 1 / 86400, "calendar": 365.2425 / 12}
"""Days in the base unit of each kind of duration."""

_UNITS = {
    word.replace("_", " "): Unit(word.replace("_", " "), factors)
    for words, factors in WORDS["units"]
    for word in words.split()
}
_PREFIXES = [
    word for word, unit in _UNITS.items() if len(word) <= 3 and unit.factors.keys() & MONEY
]
_LONGEST = max(map(len, _UNITS))
_BEFORE = re.compile(rf"({any_of(map(re.escape, _PREFIXES))})\s?(?=[\d.])")
_BY = re.compile(r"\s*(?:per\s|/\s?|an?\s|each\s|every\s)")
_ARTICLE = re.compile(r"an?\s+")
_HALF_A = re.compile(r"\s+(?:of\s+)?an?(?=\s)")
_GOES_ON = re.compile("[a-z0-9]")


def _unit_at(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit with the longest name that stands here, and where it ends."""
    for end in range(min(len(text), start + _LONGEST), start, -1):
        unit = _UNITS.get(text[start:end])
        if unit and not _GOES_ON.match(text, end):
            return unit, end
    return None


def currency_before(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the currency that stands before a number, and where it ends."""
    symbol = _BEFORE.match(text, start)
    return (_UNITS[symbol[1]], symbol.end()) if symbol else None


def unit_after(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit that follows a number which ends here, with what it is counted by.

    A quotient as "€ per month" or "km per hour" is a unit of its own.
    """
    half = _HALF_A.match(text, start)
    begin = half.end() if half else start
    unit = _unit_at(text, begin + text.startswith((" ", "-"), begin))
    # "5 in" is a length only where nothing follows it.
    if (
        unit is None
        or text[unit[1] :][:1] in {*"€$£"}
        or (unit[0].word == "in" and text[unit[1] :].strip())
    ):
        return None
    return per(unit[0], text, unit[1])


def per(unit: Unit, text: str, end: int) -> tuple[Unit, int]:
    """Return a unit with the one that it is divided by, if a text goes on with it."""
    by = _BY.match(text, end)
    divisor = _unit_at(text, by.end()) if by else None
    if divisor is None:
        return unit, end
    below, end = divisor
    factors = {
        f"{kind}/{other}": factor / size
        for kind, factor in unit.factors.items()
        for other, size in below.factors.items()
    }
    return Unit(f"{unit.word} per {below.word}", factors), end


def one_unit(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit of "a week" or "an hour", and where it ends; single letters are no units here."""
    article = _ARTICLE.match(text, start)
    unit = _unit_at(text, article.end()) if article else None
    if unit is None or len(unit[0].word) < 3 or "celsius" in unit[0].factors:
        return None
    return unit


def words_of(unit: Unit) -> Iterator[str]:
    """Yield all words for units of the same size, as "day" for "days"."""
    yield from (word for word, other in _UNITS.items() if other.factors == unit.factors)
