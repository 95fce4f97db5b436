"""The dates that a run works on: yesterday, the days to catch up, or a range."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from qsquared.errors import UsageError
from qsquared.storage.records.dates.date_records import all_dates, parse_date
from qsquared.storage.store import Store


def yesterday(timezone: str, now: datetime | None = None) -> date:
    """Return the date before today's in a time zone.

    Raises:
        UsageError: there is no such zone.
    """
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise UsageError(
            f"There is no time zone {timezone!r}.", "Give one as Europe/Oslo or UTC."
        ) from error
    return (now or datetime.now(UTC)).astimezone(zone).date() - timedelta(days=1)


def dates_to_score(store: Store, last: date, catch_up_days: int) -> list[date]:
    """Return the date and those before it, at most so many days, back to the first known one."""
    known = all_dates(store)
    first = max(min([*known, last]), last - timedelta(days=catch_up_days))
    return _days(first, last)


def date_range(start: str, end: str) -> list[date]:
    """Return all dates from one to another, both included.

    Raises:
        UsageError: one is no date, or the end comes before the start.
    """
    first, last = parse_date(start), parse_date(end)
    if last < first:
        raise UsageError(f"The end {last} lies before the start {first}.", "Swap them.")
    return _days(first, last)


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
