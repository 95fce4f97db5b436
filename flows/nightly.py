"""The flows that score by date: each night's logs, and ranges of past dates."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from prefect import State, flow

from qsquared.errors import UsageError
from qsquared.flows.date_run import begin_date_run
from qsquared.flows.running.prefect_runs import end_with_sentences, flat_parameters, parameters
from qsquared.storage.records.date_records import all_dates, parse_date
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import BackfillOptions, NightlyOptions


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
    dates = all_dates(store)
    first = max(min([*dates, last]), last - timedelta(days=catch_up_days))
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


end_with_sentences()


def night_name() -> str:
    """Return the name of a nightly run in Prefect, by its date."""
    given = parameters()
    try:
        return f"nightly {given.get('date') or yesterday(given.get('timezone') or 'UTC')}"
    except UsageError:
        # The flow itself refuses the zone.
        return "nightly"


@flow(name="nightly", flow_run_name=night_name, validate_parameters=False, persist_result=False)
@flat_parameters(NightlyOptions, first=("logs", "date", "timezone", "catch_up_days"))
def nightly(options: NightlyOptions) -> State[Any]:
    """Score a date's logs and what was missed or came late before it, and judge the gates."""
    run = begin_date_run(options, alert=True)
    last = parse_date(options.date) if options.date else yesterday(options.timezone)
    run.work_on(dates_to_score(run.store, last, options.catch_up_days), {last})
    return run.end()


@flow(
    name="backfill",
    flow_run_name="backfill {start} to {end}",
    validate_parameters=False,
    persist_result=False,
)
@flat_parameters(BackfillOptions, first=("logs", "start", "end"))
def backfill(options: BackfillOptions) -> State[Any]:
    """Score all dates from the start to the end; gates are judged, nobody is alerted."""
    run = begin_date_run(options, alert=False)
    days = date_range(options.start, options.end)
    run.work_on(days, set(days))
    return run.end()
