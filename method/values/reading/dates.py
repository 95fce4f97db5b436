"""Dates and times of day in English text, with the parts that are stated and no others."""

import re

from qsquared.method.values.reading.words import WORDS, any_of
from qsquared.method.values.value import Clock, Date

_MONTHS, _WEEKDAYS = WORDS["months"].split(), WORDS["weekdays"].split()
_MONTH_NUMBERS = {name[:size]: n for n, name in enumerate(_MONTHS, 1) for size in (3, len(name))}
_MONTH_NUMBERS["sept"] = 9
_WEEKDAY_NUMBERS = {
    name[:size]: n for n, name in enumerate(_WEEKDAYS) for size in (3, 4, 5, len(name))
}
ORDINALS = {word: number for number, word in enumerate(WORDS["ordinals"].split(), 1)}
ORDINALS |= {"twenty-first": 21, "twenty first": 21}

DATE_WORDS = frozenset(
    {*_MONTH_NUMBERS, *_WEEKDAY_NUMBERS, *(word.split("-")[0] for word in ORDINALS)}
) | {"noon", "midday", "midnight", "ad", "a", "the"}
"""The words with which a date or a time of day may begin."""

_MONTH = rf"(?P<month>{any_of(_MONTH_NUMBERS)})\b\.?"
_WEEKDAY = rf"(?P<weekday>{any_of(_WEEKDAY_NUMBERS)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?!\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})(?![\d])"
_WORD_DAY = any_of(ORDINALS)
_ERA = r"(?:\s*(?P<era>b\.?c\.?(?:e\.?)?|a\.?d\.?|c\.?e\.?)(?![a-z]))"

_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?:{_WEEKDAY},?\s+)?(?:the\s+)?{_DAY}\s+(?:of\s+|day\s+of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?(?![\w])",
        rf"(?:{_WEEKDAY},?\s+)?(?:the\s+)?(?P<ordinal>{_WORD_DAY})\s+of\s+{_MONTH}(?:,?\s+{_YEAR})?",
        rf"(?:{_WEEKDAY},?\s+)?{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+(?:of\s+)?{_YEAR})?(?![\w])",
        rf"{_MONTH},?\s+(?:of\s+)?(?:the\s+year\s+)?{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<monthnumber>\d{1,2})-(?P<day>\d{1,2})(?![\d-])",
    )
)
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\d])")
_DECADE = re.compile(r"(?:the\s+)?(?:(\d{3}0)|'?([2-9]0))'?s(?![a-z])")
_CENTURY = re.compile(
    rf"(?:the\s+)?(?:(\d{{1,2}})(?:st|nd|rd|th)|({_WORD_DAY}))[\s-]centur(?:y|ies){_ERA}?"
)
_YEARS = re.compile(
    r"(?:between\s+(?=[12]\d{3}\s+and\s)([12]\d{3})\s+and\s|([12]\d{3})\s?(?:-|/|to|until|till|through))\s?([12]\d{3}|\d{2})(?![\d.,/-]\d|\d|[a-z%])"
)
_ONE_YEAR = re.compile(r"(?:the\s+year\s+)?([12]\d{3})(?![\d%°]|[.,]\d|-\d|[a-z])")
_YEAR_OF_ERA = re.compile(rf"(?:(?P<before>ad|a\.d\.)\s*)?(?P<number>\d{{1,4}}){_ERA}")
_YEAR_AD = re.compile(r"(?:ad|a\.d\.)\s*(\d{1,4})(?!\d)")
_ALONE_MONTH = re.compile(rf"({'|'.join(_MONTHS)})(?![a-z])")
_ALONE_WEEKDAY = re.compile(rf"({'|'.join(_WEEKDAYS)})s?(?![a-z])")
_MERELY_WORDS = frozenset({"may", "march"})

_HALF = r"(?:\s*(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z]))"
_ZONE = r"(?:\s*\(?(?P<zone>utc|gmt|cest|cet|est|edt|pst|pdt|bst|cst|cdt|eastern|pacific|central)\b\)?)?"
_CLOCKS = tuple(
    re.compile(form)
    for form in (
        rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d))?(?::\d\d)?{_HALF}{_ZONE}",
        rf"(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::\d\d)?(?![\d:])(?:\s*(?:hours|hrs|h)\b)?{_ZONE}",
        rf"(?P<hour>\d{{1,2}})\s*o'?clock(?:\s+(?:in\s+the\s+)?(?P<daytime>morning|afternoon|evening))?{_ZONE}",
        rf"(?:12\s+)?(?P<name>noon|midday|midnight)\b{_ZONE}",
    )
)
# "9-5 pm": the first of the two, whose half of the day is open.
_OPEN_HOUR = re.compile(r"(\d{1,2})(?=\s*(?:-|to|and)\s*\d{1,2}(?:[:.]\d\d)?\s*[ap]\.?m\b)")


def read_date(text: str, start: int) -> tuple[Date, int] | None:
    """Return the date that begins at a place of a lower-case text, and where it ends."""
    for form in _FORMS:
        found = form.match(text, start)
        date = _stated(found.groupdict()) if found else None
        if found and date:
            return date, found.end()
    for read in (_numeric, _period, _years, _alone):
        other = read(text, start)
        if other is not None:
            return other
    return None


def _stated(parts: dict[str, str | None]) -> Date | None:
    day = parts.get("day")
    ordinal = parts.get("ordinal")
    month, year = parts.get("monthnumber"), parts.get("year")
    date = Date(
        int(year) if year else None,
        int(month) if month else _MONTH_NUMBERS[parts["month"] or ""],
        int(day) if day else ORDINALS[ordinal] if ordinal else None,
        _WEEKDAY_NUMBERS.get(parts.get("weekday") or ""),
    )
    return date if _possible(date) else None


def _possible(date: Date) -> bool:
    return 1 <= (date.month or 1) <= 12 and 1 <= (date.day or 1) <= 31


def _numeric(text: str, start: int) -> tuple[Date, int] | None:
    found = _NUMERIC.match(text, start)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if len(found[4]) == 2:
        year += 2000 if year < 50 else 1900
    readings = [Date(year, second, first), Date(year, first, second)]
    possible = [date for date in readings if _possible(date)]
    if not possible:
        return None
    if len(possible) == 2 and first != second:
        # 4.5.2020 has the day first wherever it is written so.
        if found[2] == ".":
            return readings[0], found.end()
        return Date(year, second, first, swapped=readings[1]), found.end()
    return possible[0], found.end()


def _period(text: str, start: int) -> tuple[Date, int] | None:
    found = _CENTURY.match(text, start)
    if found:
        number = int(found[1]) if found[1] else ORDINALS[found[2]]
        if _before_christ(found["era"]):
            return Date(-100 * number, last=-100 * number + 99, period=True), found.end()
        return Date(100 * number - 99, last=100 * number, period=True), found.end()
    found = _DECADE.match(text, start)
    if found:
        first = int(found[1]) if found[1] else 1900 + int(found[2])
        length = 99 if found[1] and first % 100 == 0 else 9
        return Date(first, last=first + length, period=True), found.end()
    return None


def _before_christ(era: str | None) -> bool:
    return (era or "").startswith("b")


def _years(text: str, start: int) -> tuple[Date, int] | None:
    found = _YEARS.match(text, start)
    if found:
        first, written = int(found[1] or found[2]), found[3]
        last = int(written) if len(written) == 4 else first // 100 * 100 + int(written)
        if first < last <= first + 1000:
            return Date(first, last=last), found.end()
    found = _YEAR_OF_ERA.match(text, start)
    if found:
        number = int(found["number"])
        return Date(-number if _before_christ(found["era"]) else number), found.end()
    found = _YEAR_AD.match(text, start)
    if found:
        return Date(int(found[1])), found.end()
    found = _ONE_YEAR.match(text, start)
    if found:
        return Date(int(found[1]), bare="year" not in found[0]), found.end()
    return None


def _alone(text: str, start: int) -> tuple[Date, int] | None:
    found = _ALONE_WEEKDAY.match(text, start)
    if found:
        return Date(weekday=_WEEKDAY_NUMBERS[found[1]]), found.end()
    found = _ALONE_MONTH.match(text, start)
    if found and (found[1] not in _MERELY_WORDS or found[0] == text.strip()):
        return Date(month=_MONTH_NUMBERS[found[1]]), found.end()
    return None


def read_clock(text: str, start: int) -> tuple[Clock, int] | None:
    """Return the time of day that begins at a place of a lower-case text, and where it ends."""
    for form in _CLOCKS:
        found = form.match(text, start)
        if found:
            minutes = _minutes(found.groupdict())
            return (Clock(minutes, found["zone"] or ""), found.end()) if minutes else None
    found = _OPEN_HOUR.match(text, start)
    if found:
        minutes = _minutes({"hour": found[1]})
        return (Clock(minutes), found.end()) if minutes else None
    return None


def _minutes(parts: dict[str, str | None]) -> frozenset[int]:
    """Return the minutes since midnight that a time may stand for; none for an impossible time."""
    if parts.get("name"):
        return frozenset({0 if parts["name"] == "midnight" else 720})
    hour, minute = int(parts["hour"] or 0), int(parts.get("minute") or 0)
    if hour > 24 or minute > 59:
        return frozenset()
    half = (parts.get("half") or "").replace(".", "")
    half = half or {"morning": "am", "afternoon": "pm", "evening": "pm"}.get(
        parts.get("daytime") or "", ""
    )
    if half:
        if not 1 <= hour <= 12:
            return frozenset()
        return frozenset({(hour % 12 + (12 if half == "pm" else 0)) * 60 + minute})
    if 1 <= hour <= 12 and not (parts["hour"] or "").startswith("0"):
        return frozenset({hour % 12 * 60 + minute, (hour % 12 + 12) * 60 + minute})
    return frozenset({hour % 24 * 60 + minute})
