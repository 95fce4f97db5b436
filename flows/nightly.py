"""The flows that score by date: each night's logs, and ranges of past dates."""

from typing import Any

from prefect import State, flow

from qsquared.errors import UsageError
from qsquared.flows.dates.date_choice import date_range, dates_to_score, yesterday
from qsquared.flows.dates.date_run import begin_date_run
from qsquared.flows.prefect_api.endings import end_with_sentences
from qsquared.flows.prefect_api.run_names import backfill_name, parameters
from qsquared.flows.running.parameters import flat_parameters
from qsquared.storage.records.dates.date_records import parse_date
from qsquared.tasks.jobs.options import BackfillOptions, NightlyOptions

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
def nightly(options: NightlyOptions) -> State[Any] | dict[str, Any]:
    """Score a date's logs and what was missed or came late before it, and judge the gates."""
    run = begin_date_run(options, alert=True)
    last = parse_date(options.date) if options.date else yesterday(options.timezone)
    run.work_on(dates_to_score(run.store, last, options.catch_up_days), {last})
    return run.end(f"Nightly scoring of {last}")


@flow(name="backfill", flow_run_name=backfill_name, validate_parameters=False, persist_result=False)
@flat_parameters(BackfillOptions, first=("logs", "start", "end"))
def backfill(options: BackfillOptions) -> State[Any] | dict[str, Any]:
    """Score all dates from the start to the end; gates are judged, nobody is alerted."""
    run = begin_date_run(options, alert=False)
    days = date_range(options.start, options.end)
    run.work_on(days, set(days))
    return run.end(f"Backfill of {days[0]} to {days[-1]}")
