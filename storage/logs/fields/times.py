"""Times in the forms that logs write them."""

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_LATEST_SECONDS = 1e11
"""The year 5138; a greater number counts smaller units."""
_PLAUSIBLE_SECONDS = (631_152_000, 4_102_444_800)
"""The years 1990 to 2099; other numbers count something else, such as the days of a spreadsheet."""
_BASIC_DATE = 8
_BASIC_TIME = re.compile(r"((?:19|20)\d{6})(\d{4}|\d{6})")
_JAVASCRIPT = re.compile(
    r"\w{3} (\w{3} \d{1,2} \d{4} \d\d:\d\d:\d\d) (?:GMT|UTC)([+-]\d{4})(?: \(.*\))?"
)
_ZONES = re.compile(r"(?<!\s)\s+(?:UTC|GMT|Z)$")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)", re.DOTALL)
_SLASHED = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})(.*)", re.DOTALL)
_YEAR_FIRST = re.compile(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})(.*)", re.DOTALL)
_NAMED = (
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d-%b-%Y", "%d. %B %Y",
)  # fmt: skip
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
_ENDS = ("", *(f"{mark} {clock}" for mark in ("", ",") for clock in _CLOCKS))
_FORMS = ("%a %b %d %H:%M:%S %Y", *(day + end for day in _NAMED for end in _ENDS))
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_BY_NAME = re.compile(rf"\d\W*{_MONTH}|{_MONTH}[a-z]*\W*\d", re.IGNORECASE)
"""A day or year beside the name of a month: trying every form on each text of a log takes minutes."""
_MONTHS = 12
MONTH_FIRST, DAY_FIRST = ORDERS = ("month-first", "day-first")
"""The orders of day and month in dates with slashes, which may be given as the form of times."""
_EITHER = "either"


def moment_of(value: object, form: str = "") -> datetime | None:
    """Return a time in UTC, None if it is in no known form.

    ISO 8601, RFC 2822, JavaScript's, seconds since 1970 (also milli-, micro- and nanoseconds; not
    before 1990), dates with the year first, dates with dots (the day first), dates with slashes whose day
    and month cannot be taken for each other, and dates with an English name of the month; no zone means UTC.

    Args:
        value: the value of a field.
        form: the form of texts as in ``strptime``, in place of those above; or one of `ORDERS`, by which
            dates with slashes are read.
    """
    try:
        moment = _moment(value, form)
        if moment is None or moment.tzinfo is not None:
            return moment and moment.astimezone(UTC)
        return moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def order_of(value: object) -> str:
    """Return the order of day and month that a date with slashes shows, `either` if it does not say.

    Any other value has none (empty), nor has 05/05/2026, which is the same day in both.
    """
    found = _SLASHED.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return ""
    one, other = int(found[1]), int(found[3])
    if max(one, other) <= _MONTHS:
        return _EITHER if one != other else ""
    return DAY_FIRST if one > _MONTHS else MONTH_FIRST


def common_order(values: Iterable[object]) -> tuple[str, str]:
    """Return the order of day and month that some of these dates show, or why none can be chosen.

    At least one of them is a date with slashes whose day and month differ.
    """
    seen: dict[str, str] = {}
    for value in values:
        seen.setdefault(order_of(value), str(value))
    proven = [order for order in ORDERS if order in seen]
    if len(proven) == 1:
        return proven[0], ""
    if proven:
        return "", f"{seen[MONTH_FIRST]!r} has the month first and {seen[DAY_FIRST]!r} the day"
    month, day = (f"{moment_of(seen[_EITHER], order):%-d %B %Y}" for order in ORDERS)
    return "", f"{seen[_EITHER]!r} is {month} or {day}, and no other time decides"


def _moment(value: object, form: str) -> datetime | None:
    if isinstance(value, str):
        text = value.strip()
        stated = form and form not in ORDERS
        return datetime.strptime(text, form) if stated else _time_of_text(text, form)  # noqa: DTZ007 - UTC is set later
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _time_of_number(value) if math.isfinite(value) else None
    return None


def _time_of_number(number: float | Decimal) -> datetime | None:
    """Return a time from seconds, or from milli-, micro- or nanoseconds, recognised by their size.

    20261120 and 20261120103000 are dates; a number that is neither may be anything.
    """
    if number == int(number) and (found := _basic(str(int(number)))):
        return found
    seconds = float(number)
    for _ in range(3):
        if abs(seconds) >= _LATEST_SECONDS:
            seconds /= 1000
    begin, end = _PLAUSIBLE_SECONDS
    return datetime.fromtimestamp(seconds, UTC) if begin <= seconds < end else None


def _basic(text: str) -> datetime | None:
    """Return a date, with or without a time, whose digits stand together; None for other digits."""
    clock = _BASIC_TIME.fullmatch(text)
    if clock or len(text) == _BASIC_DATE:
        with suppress(ValueError):
            return datetime.fromisoformat(f"{clock[1]}T{clock[2]}" if clock else text)
    return None


def _time_of_text(text: str, order: str) -> datetime | None:
    if text[4:5] == text[7:8] == "-":  # the usual case, which the general checks are slow for
        with suppress(ValueError):
            return datetime.fromisoformat(text)
    # Other bare numbers than dates are seconds, though some would parse.
    if _NUMBER.fullmatch(text):
        return _time_of_number(Decimal(text))
    if javascript := _JAVASCRIPT.fullmatch(text):
        return datetime.strptime(f"{javascript[1]} {javascript[2]}", "%b %d %Y %H:%M:%S %z")
    text = _ZONES.sub("+00:00", text)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return _date_in_words_or_numbers(text, order)


def _date_in_words_or_numbers(text: str, order: str) -> datetime | None:
    if found := _DOTTED.fullmatch(text):
        return _at(found[3], found[2], found[1], found[4])
    if found := _YEAR_FIRST.fullmatch(text):
        return _at(found[1], found[2], found[3], found[4])
    if slashed := _SLASHED.fullmatch(text):
        order = order or order_of(text) or MONTH_FIRST
        if order == _EITHER:
            return None  # 03/04/2026 is in March or in April
        month, day = (slashed[1], slashed[3])[:: 1 if order == MONTH_FIRST else -1]
        return _at(slashed[4], month, day, slashed[5])
    return _date_in_words(text) if _BY_NAME.search(text) else None


def _date_in_words(text: str) -> datetime:
    for form in _FORMS:
        with suppress(ValueError):
            return datetime.strptime(text.removesuffix("+00:00"), form)  # noqa: DTZ007 - UTC is set later
    return parsedate_to_datetime(text)


def _at(year: str, month: str, day: str, clock: str) -> datetime:
    """Return the time of a date in numbers and a clock time as text (empty: midnight)."""
    clock = clock.strip(" ,T")
    begin = f"{int(year):04d}-{int(month):02d}-{int(day):02d}"
    if clock[-2:].lower() in {"am", "pm"}:
        form = "%Y-%m-%d %I:%M:%S %p" if clock.count(":") > 1 else "%Y-%m-%d %I:%M %p"
        spaced = f"{clock[:-2].strip()} {clock[-2:]}"
        return datetime.strptime(f"{begin} {spaced}", form)  # noqa: DTZ007 - UTC is set later
    if clock and ":" in clock[:2]:
        clock = f"0{clock}"
    return datetime.fromisoformat(f"{begin}T{clock}" if clock else begin)
