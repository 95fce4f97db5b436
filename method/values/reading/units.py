"""Units of measure and money, by the words that people use for them."""

import re
from collections.abc import Iterator

from qsquared.method.values.reading.words import WORDS, any_of
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
_ALTERNATIVES = any_of(map(re.escape, _UNITS))
_AFTER = re.compile(rf"[\s-]?({_ALTERNATIVES})(?![a-z0-9€$£])")
_BEFORE = re.compile(rf"({any_of(map(re.escape, _PREFIXES))})\s?(?=[\d.])")
_PER = re.compile(rf"\s*(?:per\s|/\s?|an?\s|each\s|every\s)({_ALTERNATIVES})(?![a-z0-9])")
_ARTICLE = re.compile(rf"an?\s+({_ALTERNATIVES})(?![a-z0-9])")
_HALF_A = re.compile(r"\s+(?:of\s+)?an?(?=\s)")


def currency_before(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the currency that stands before a number, and where it ends."""
    found = _BEFORE.match(text, start)
    return (_UNITS[found[1]], found.end()) if found else None


def unit_after(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit that follows a number which ends here, with what it is counted by.

    A quotient as "€ per month" or "km per hour" is a unit of its own.
    """
    half = _HALF_A.match(text, start)
    found = _AFTER.match(text, half.end() if half else start)
    if found is None:
        return None
    # "5 in" is a length only where nothing follows it.
    if found[1] == "in" and text[found.end() :].strip():
        return None
    return per(_UNITS[found[1]], text, found.end())


def per(unit: Unit, text: str, end: int) -> tuple[Unit, int]:
    """Return a unit with the one that it is divided by, if a text goes on with it."""
    found = _PER.match(text, end)
    if found is None:
        return unit, end
    below = _UNITS[found[1]]
    factors = {
        f"{kind}/{other}": factor / size
        for kind, factor in unit.factors.items()
        for other, size in below.factors.items()
    }
    return Unit(f"{unit.word} per {below.word}", factors), found.end()


def one_unit(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit of "a week" or "an hour", and where it ends; single letters are no units here."""
    found = _ARTICLE.match(text, start)
    unit = _UNITS[found[1]] if found and len(found[1]) > 2 else None
    return (unit, found.end()) if found and unit and "celsius" not in unit.factors else None


def words_of(unit: Unit) -> Iterator[str]:
    """Yield all words for units of the same size, as "day" for "days"."""
    yield from (word for word, other in _UNITS.items() if other.factors == unit.factors)
