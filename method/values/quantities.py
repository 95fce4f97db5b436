"""Quantities in short answers: a number or a range of numbers, with a unit of measure or money before or after it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from qsquared.method.values.numbers import WORDS, Number, any_of, read_number
from qsquared.method.values.value import Quantity, Unit

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


_RANGE = re.compile(r"\s?(?:-|to)\s?")
_BETWEEN = re.compile(r"between\s+")
_AND = re.compile(r"\s+and\s+")
_ALSO = re.compile(r"\s*,?\s*(?:and\s+)?")
_SIGN = re.compile(r"(?:minus |-)(?=\d)")
_FEET = re.compile(r"(\d)\s?'\s?(\d{1,2})(?:\s?(?:\"|''))?(?![\d'])")


def read_quantity(text: str, start: int) -> tuple[Quantity, int] | None:
    """Return the quantity that begins at a place of a lower-case text, and where it ends."""
    feet = _FEET.match(text, start)
    if feet is not None:
        metres = int(feet[1]) * 0.3048 + int(feet[2]) * 0.0254
        return Quantity(metres, metres, 0.0254, Unit("metres", {"length": 1.0})), feet.end()
    single = one_unit(text, start)
    if single is not None:
        return Quantity(1.0, 1.0, 1.0, single[0]), single[1]
    between = _BETWEEN.match(text, start)
    first = _measured(text, between.end() if between else start)
    if first is None:
        return None
    low, unit, end = first
    joined = (_AND if between else _RANGE).match(text, end)
    second = _measured(text, joined.end()) if joined else None
    if second is not None and not second[0].share and (unit is None or second[1] is not None):
        high, other, last = second
        if unit is None or unit.factors == (other.factors if other else None):
            return _between(low, high, other, last)
    if low.end == end and end < len(text) and (text[end].isalpha() or text[end] == "'"):
        return None  # a name such as "3d"
    made = Quantity(low.value, low.value, low.step, unit, either=low.either)
    return _compound(text, made, end)


def _between(low: Number, high: Number, unit: Unit | None, end: int) -> tuple[Quantity, int] | None:
    first = low.value
    # "5 to 10 million" are millions both.
    if high.value >= 1e5 and first < 1000:
        first *= high.value / float(f"{high.value:e}".partition("e")[0]) if high.value else 1.0
        if first > high.value:
            return None
    if first >= high.value:
        return None  # the result of a match, or a code
    return Quantity(first, high.value, min(low.step, high.step), unit), end


def _measured(text: str, start: int) -> tuple[Number, Unit | None, int] | None:
    """Return a number with its unit before or after it, and where the two end."""
    sign = _SIGN.match(text, start)
    begin = sign.end() if sign else start
    currency = currency_before(text, begin)
    number = read_number(text, currency[1] if currency else begin)
    if number is None:
        return None
    if currency is None and text[number.end : number.end + 1] in {":", "/"}:
        return None
    if sign:
        number = replace(number, value=-number.value)
    if currency is not None:
        scaled = _millions(text, number)
        unit, end = per(currency[0], text, scaled.end)
        named = unit_after(text, end)
        # "$5 USD", "$5 dollars"
        if named is not None and named[0].factors.keys() & unit.factors.keys():
            unit, end = named
        return scaled, unit, end
    after = unit_after(text, number.end)
    if after is not None:
        return number, after[0], after[1]
    unit_of_share = Unit("", {"share": 1.0}) if number.share else None
    return number, unit_of_share, number.end


def _millions(text: str, number: Number) -> Number:
    """Return an amount with the scale that stands as one letter behind it, as in "$5m" or "€2b"."""
    scale = {"m": 1e6, "b": 1e9}.get(text[number.end : number.end + 1], 0.0)
    following = text[number.end + 1 : number.end + 2]
    if not scale or following.isalnum():
        return number
    return Number(number.value * scale, number.step * scale, number.end + 1)


def _compound(text: str, first: Quantity, end: int) -> tuple[Quantity, int]:
    """Return a quantity with its smaller units added, as "6 ft 1 in" or "1 hour and 15 minutes"."""
    made, last_unit = first, first.unit
    while made.unit is not None and last_unit is not None:
        joined = _ALSO.match(text, end)
        number, smaller, last = (joined and _measured(text, joined.end())) or (None, None, end)
        if number is None or smaller is None:
            break
        whole = made.unit.factors
        ratios = {
            kind: smaller.factors[kind] / whole[kind]
            for kind, size in last_unit.factors.items()
            if kind in whole and smaller.factors.get(kind, size) < size
        }
        if not ratios:
            break
        ratio = next(iter(ratios.values()))
        # A pound and an ounce are masses, a dollar and a cent money of any country with both.
        kinds = {kind: whole[kind] for kind, other in ratios.items() if other == ratio}
        total = made.low + number.value * ratio
        made = Quantity(total, total, number.step * ratio, Unit(made.unit.word, kinds))
        last_unit, end = smaller, last
    return made, end
