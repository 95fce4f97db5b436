"""Units of measure and money, by the words that people use for them."""

# ruff: noqa: SIM905  # word lists read better as running text

import re
from collections.abc import Iterator, Mapping

from qsquared.method.values.value import Unit

_CENTS = dict.fromkeys(("usd", "eur", "aud", "cad", "nzd"), 0.01)
_DOLLARS = dict.fromkeys(("usd", "aud", "cad", "nzd", "sgd", "hkd"), 1.0)

# Months and years are kept apart from days: a month is no fixed number of them.
_TABLE: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("milliseconds millisecond ms", {"clock": 0.001}),
    ("seconds second secs sec s", {"clock": 1}),
    ("minutes minute mins min", {"clock": 60}),
    ("hours hour hrs hr h", {"clock": 3600}),
    ("calendar_days calendar_day days day", {"clock": 86400}),
    ("business_days business_day working_days working_day workdays workday", {"workday": 1}),
    ("weeks week wks wk", {"clock": 604800}),
    ("fortnights fortnight", {"clock": 1209600}),
    ("months month", {"calendar": 1}),
    ("years year yrs yr", {"calendar": 12}),
    ("decades decade", {"calendar": 120}),
    ("centuries", {"calendar": 1200}),
    ("millimetres millimetre millimeters millimeter mm", {"length": 0.001}),
    ("centimetres centimetre centimeters centimeter cm", {"length": 0.01}),
    ("metres metre meters meter", {"length": 1}),
    ("m", {"length": 1, "clock": 60}),
    ("kilometres kilometre kilometers kilometer kms km", {"length": 1000}),
    ("inches inch in", {"length": 0.0254}),
    ("feet foot ft", {"length": 0.3048}),
    ("yards yard yds yd", {"length": 0.9144}),
    ("miles mile mi", {"length": 1609.344}),
    ("nautical_miles nautical_mile nmi", {"length": 1852}),
    ("square_metres square_metre square_meters square_meter sq_m m2", {"area": 1}),
    ("square_kilometres square_kilometre square_kilometers square_kilometer sq_km km2", {"area": 1e6}),
    ("square_feet square_foot sq_ft sqft ft2", {"area": 0.09290304}),
    ("square_miles square_mile sq_mi sq_miles", {"area": 2589988.110336}),
    ("hectares hectare ha", {"area": 1e4}),
    ("acres acre", {"area": 4046.8564224}),
    ("millilitres millilitre milliliters milliliter ml", {"volume": 0.001}),
    ("centilitres centilitre cl", {"volume": 0.01}),
    ("litres litre liters liter l", {"volume": 1}),
    ("cubic_metres cubic_metre cubic_meters cubic_meter m3", {"volume": 1000}),
    ("gallons gallon", {"us_gallon": 1, "uk_gallon": 1}),
    ("milligrams milligram mg", {"mass": 1e-6}),
    ("grams gram g", {"mass": 0.001}),
    ("kilograms kilogram kilos kilo kgs kg", {"mass": 1}),
    ("tonnes tonne metric_tons t", {"mass": 1000}),
    ("tons ton", {"mass": 1000, "short_ton": 1}),
    ("ounces ounce oz", {"mass": 0.028349523125}),
    ("lbs lb", {"mass": 0.45359237}),
    ("pounds pound", {"mass": 0.45359237, "gbp": 1}),
    ("km/h kmh kph", {"length/clock": 1000 / 3600}),
    ("mph", {"length/clock": 1609.344 / 3600}),
    ("m/s", {"length/clock": 1}),
    ("knots knot", {"length/clock": 1852 / 3600}),
    ("°c degrees_celsius degree_celsius degrees_centigrade celsius", {"celsius": 1}),
    ("°f degrees_fahrenheit degree_fahrenheit fahrenheit", {"fahrenheit": 1}),
    ("kelvin", {"kelvin": 1}),
    ("degrees degree °", {"degree": 1, "celsius": 1, "fahrenheit": 1}),
    ("bytes byte", {"byte": 1}),
    ("kb", {"byte": 1e3}),
    ("mb megabytes megabyte", {"byte": 1e6}),
    ("gb gigabytes gigabyte", {"byte": 1e9}),
    ("tb terabytes terabyte", {"byte": 1e12}),
    ("mbps mbit/s", {"bit/clock": 1e6}),
    ("gbps gbit/s", {"bit/clock": 1e9}),
    ("watts watt w", {"power": 1}),
    ("kilowatts kilowatt kw", {"power": 1e3}),
    ("megawatts megawatt mw", {"power": 1e6}),
    ("gigawatts gigawatt gw", {"power": 1e9}),
    ("kwh kilowatt_hours kilowatt_hour", {"energy": 1}),
    ("calories calorie kcal", {"kcal": 1}),
    ("hz hertz", {"hertz": 1}),
    ("mhz", {"hertz": 1e6}),
    ("ghz", {"hertz": 1e9}),
    ("volts volt v", {"volt": 1}),
    ("% percent per_cent pct", {"share": 0.01}),
    ("percentage_points percentage_point", {"point": 1}),
    ("$ dollars dollar bucks", _DOLLARS),
    ("us$ usd us_dollars us_dollar american_dollars", {"usd": 1}),
    ("a$ aud australian_dollars", {"aud": 1}),
    ("c$ ca$ cad canadian_dollars", {"cad": 1}),
    ("€ eur euros euro", {"eur": 1}),
    ("£ gbp pounds_sterling british_pounds", {"gbp": 1}),
    ("cents cent ¢", _CENTS),
    ("pence", {"gbp": 0.01}),
    ("¥", {"jpy": 1, "cny": 1}),
    ("yen jpy", {"jpy": 1}),
    ("yuan cny rmb renminbi", {"cny": 1}),
    ("₹ rupees rupee rs inr", {"inr": 1}),
    ("swiss_francs swiss_franc francs chf", {"chf": 1}),
    ("sek swedish_kronor", {"sek": 1}),
    ("nok", {"nok": 1}),
    ("dkk", {"dkk": 1}),
    ("pln zloty złoty", {"pln": 1}),
    ("won krw ₩", {"krw": 1}),
    ("roubles rubles rub ₽", {"rub": 1}),
)  # fmt: skip

MONEY = frozenset("usd aud cad nzd sgd hkd eur gbp jpy cny inr chf sek nok dkk pln krw rub".split())
"""The kinds that are currencies."""

TEMPERATURES = {"celsius": (1.0, 0.0), "kelvin": (1.0, -273.15), "fahrenheit": (5 / 9, -160 / 9)}
"""Factor and summand that give degrees Celsius."""

DAYS = {"clock": 1 / 86400, "calendar": 365.2425 / 12}
"""Days in the base unit of each kind of duration."""

_UNITS = {
    word.replace("_", " "): Unit(word.replace("_", " "), factors)
    for words, factors in _TABLE
    for word in words.split()
}
_PREFIXES = sorted(
    (word for word, unit in _UNITS.items() if unit.factors.keys() & MONEY and len(word) <= 3),
    key=len,
    reverse=True,
)
CURRENCY_WORDS = frozenset(word.rstrip("$") for word in _PREFIXES)
"""The letters with which an amount of money may begin."""

_ALTERNATIVES = "|".join(re.escape(word) for word in sorted(_UNITS, key=len, reverse=True))
_AFTER = re.compile(rf"[\s-]?({_ALTERNATIVES})(?![a-z0-9€$£])")
_BEFORE = re.compile(rf"({'|'.join(re.escape(word) for word in _PREFIXES)})\s?(?=[\d.])")
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
    if (
        found is None
        or len(found[1]) < 3
        or _UNITS[found[1]].factors.keys() & {"degree", "celsius"}
    ):
        return None
    return _UNITS[found[1]], found.end()


def words_of(unit: Unit) -> Iterator[str]:
    """Yield all words for units of the same size, as "day" for "days"."""
    yield from (word for word, other in _UNITS.items() if other.factors == unit.factors)
