"""Dates and times of day in English text, with the parts that are stated and no others."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from qsquared.method.values.numbers import WORDS, any_of
from qsquared.method.values.value import Clock, Date

_MONTHS, _WEEKDAYS = WORDS["months"].split(), WORDS["weekdays"].split()
_MONTH_NUMBERS = {name[:size]: n for n, name in enumerate(_MONTHS, 1) for size in (3, len(name))}
_MONTH_NUMBERS["sept"] = 9
_WEEKDAY_NUMBERS = {
    name[:size]: n for n, name in enumerate(_WEEKDAYS) for size in (3, 4, 5, len(name))
}
ORDINALS = {word: number for number, word in enumerate(WORDS["ordinals"].split(), 1)}
ORDINALS |= {"twenty-first": 21, "twenty first": 21}

_NAMED = {"month": _MONTH_NUMBERS, "weekday": _WEEKDAY_NUMBERS, "day": ORDINALS}
_MONTH = rf"(?P<month>(?:{any_of(name[:3] for name in _MONTHS)})[a-z]*)\b\.?"
_WEEKDAY = rf"(?P<weekday>(?:{any_of(name[:3] for name in _WEEKDAYS)})[a-z]*)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?!\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})(?![\d])"
_WORD_DAY = "[a-z-]{5,12}|twenty first"
_ERA = r"(?:\s*(?P<era>b\.?c\.?(?:e\.?)?|a\.?d\.?|c\.?e\.?)(?![a-z]))"
_ON = rf"(?:{_WEEKDAY},?\s+)?"
_FOUR, _NO_YEAR = r"[12]\d{3}", r"(?![\d.,/-]\d|\d|[a-z%])"
_MERELY_WORDS = frozenset({"may", "march"})


def _stated(match: re.Match[str]) -> Date | None:
    read: dict[str, Any] = {
        name: int(part) if part.isdigit() else _NAMED[name].get(part)
        for name, part in match.groupdict().items()
        if part
    }
    return None if None in read.values() or not _possible(date := Date(**read)) else date


def _possible(date: Date) -> bool:
    return 1 <= (date.month or 1) <= 12 and 1 <= (date.day or 1) <= 31


def _numeric(match: re.Match[str]) -> Date | None:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        year += 2000 if year < 50 else 1900
    possible = list(filter(_possible, (Date(year, second, first), Date(year, first, second))))
    if len(possible) == 2 and first != second and match[2] != ".":
        return replace(possible[0], swapped=possible[1])
    # 4.5.2020 has the day first wherever it is written so.
    return possible[0] if possible else None


def _century(match: re.Match[str]) -> Date | None:
    number = int(match[1]) if match[1] else ORDINALS.get(match[2], 0)
    first = -100 * number if _is_before_christ(match) else 100 * number - 99
    return Date(first, last=first + 99, period=True) if number else None


def _decade(match: re.Match[str]) -> Date:
    first = int(match[1]) if match[1] else 1900 + int(match[2])
    return Date(first, last=first + (99 if match[1] and first % 100 == 0 else 9), period=True)


def _years(match: re.Match[str]) -> Date | None:
    first, written = int(match[1]), match[2]
    last = int(written) if len(written) == 4 else first // 100 * 100 + int(written)
    return Date(first, last=last) if first < last <= first + 1000 else None


def _is_before_christ(match: re.Match[str]) -> bool:
    return (match["era"] or "").startswith("b")


def _month_alone(match: re.Match[str]) -> Date | None:
    stated = match[1] not in _MERELY_WORDS or match[0] == match.string.strip()
    return Date(month=_MONTH_NUMBERS[match[1]]) if stated else None


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Date | None]], ...] = tuple(
    (re.compile(form), read)
    for form, read in (
        (
            rf"{_ON}(?:the\s+)?{_DAY}\s+(?:of\s+|day\s+of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?(?![\w])",
            _stated,
        ),
        (rf"{_ON}(?:the\s+)?(?P<day>{_WORD_DAY})\s+of\s+{_MONTH}(?:,?\s+{_YEAR})?", _stated),
        (rf"{_ON}{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+(?:of\s+)?{_YEAR})?(?![\w])", _stated),
        (rf"{_MONTH},?\s+(?:of\s+)?(?:the\s+year\s+)?{_YEAR}", _stated),
        (r"(?P<year>[12]\d{3})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?![\d-])", _stated),
        (r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\d])", _numeric),
        (
            rf"(?:the\s+)?(?:(\d{{1,2}})(?:st|nd|rd|th)|({_WORD_DAY}))[\s-]centur(?:y|ies){_ERA}?",
            _century,
        ),
        (r"(?:the\s+)?(?:(\d{3}0)|'?([2-9]0))'?s(?![a-z])", _decade),
        (rf"between\s+({_FOUR})\s+and\s+({_FOUR}|\d\d){_NO_YEAR}", _years),
        (rf"({_FOUR})\s?(?:-|/|to|until|till|through)\s?({_FOUR}|\d\d){_NO_YEAR}", _years),
        (
            rf"(?:(?:ad|a\.d\.)\s*)?(?P<number>\d{{1,4}}){_ERA}",
            lambda match: Date(int(match["number"]) * (-1 if _is_before_christ(match) else 1)),
        ),
        (r"(?:ad|a\.d\.)\s*(?P<year>\d{1,4})(?!\d)", _stated),
        (
            r"(?:the\s+year\s+)?([12]\d{3})(?![\d%°]|[.,]\d|-\d|[a-z])",
            lambda match: Date(int(match[1]), bare="year" not in match[0]),
        ),
        (rf"(?P<weekday>{any_of(_WEEKDAYS)})(?![a-z])", _stated),
        (rf"({any_of(_MONTHS)})(?![a-z])", _month_alone),
    )
)

_HALF = r"(?:\s*(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z]))"
_ZONE = r"(?:\s*\(?(?P<zone>utc|gmt|cest|cet|est|edt|pst|pdt|bst|cst|cdt|eastern|pacific|central)\b\)?)?"
_CLOCKS = tuple(
    re.compile(form)
    for form in (
        rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d))?(?::\d\d)?{_HALF}{_ZONE}",
        rf"(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::\d\d)?(?![\d:])(?:\s*(?:hours|hrs|h)\b)?{_ZONE}",
        rf"(?P<hour>\d{{1,2}})\s*o'?clock(?:\s+(?:in\s+the\s+)?(?P<daytime>morning|afternoon|evening))?{_ZONE}",
        rf"(?:12\s+)?(?P<name>noon|midday|midnight)\b{_ZONE}",
        # "9-5 pm": the first of the two, whose half of the day is open.
        r"(?P<hour>\d{1,2})(?=\s*(?:-|to|and)\s*\d{1,2}(?:[:.]\d\d)?\s*[ap]\.?m\b)",
    )
)


def read_date(text: str, start: int) -> tuple[Date, int] | None:
    """Return the date that begins at a place of a lower-case text, and where it ends."""
    for form, read in _FORMS:
        match = form.match(text, start)
        date = read(match) if match else None
        if match and date:
            return date, match.end()
    return None


def read_clock(text: str, start: int) -> tuple[Clock, int] | None:
    """Return the time of day that begins at a place of a lower-case text, and where it ends."""
    match = next(filter(None, (form.match(text, start) for form in _CLOCKS)), None)
    parts = match.groupdict() if match else {}
    minutes = _minutes(parts) if match else None
    return (Clock(minutes, parts.get("zone") or ""), match.end()) if match and minutes else None


def _minutes(parts: dict[str, str | None]) -> frozenset[int]:
    """Return the minutes since midnight that a time may stand for; none for an impossible time."""
    if parts.get("name"):
        return frozenset({0 if parts["name"] == "midnight" else 720})
    hour, minute = int(parts["hour"] or 0), int(parts.get("minute") or 0)
    half = (parts.get("half") or parts.get("daytime") or "").replace(".", "")
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return frozenset()
    early, late = hour % 12 * 60 + minute, (hour % 12 + 12) * 60 + minute
    if half:
        return frozenset({early if half in {"am", "morning"} else late})
    if 1 <= hour <= 12 and not (parts["hour"] or "").startswith("0"):
        return frozenset({early, late})
    return frozenset({hour % 24 * 60 + minute})
