"""The deployments that work by date: each night's logs, and ranges of past dates."""

from __future__ import annotations

from typing import Any

from prefect import State, flow

from qsquared.flows.dates.date_run import from_the_root, work_on
from qsquared.flows.dates.night import date_range, dates_to_look_at, yesterday
from qsquared.flows.watching.reporting import ReportPlace
from qsquared.storage.records.dates.date_records import parse_date
from qsquared.tasks.running.stage_runner import Job


@flow(name="nightly", validate_parameters=False, persist_result=False)
def nightly(
    logs: list[str],
    date: str = "",
    timezone: str = "UTC",
    catch_up_days: int = 14,
    store: str = "q2-store",
    profile: str = "compact",
    profiles: str = "",
    mapping: dict[str, str] | None = None,
    parameters: str = "{}",
    device: str = "cpu",
    metric: str = "q2",
    gates: str = "",
    timeout_hours: float = 0.0,
    report: str = "",
    report_address: str = "",
    runner: str = "threads",
) -> State[Any] | dict[str, Any]:
    """Score a date's logs and what was missed or came late before it, and judge the gates.

    Args:
        logs: paths with the date in them, such as `logs/{date}/*.jsonl.gz`.
        date: the logical date; empty for yesterday.
        timezone: where yesterday is meant.
        catch_up_days: how many days before the date are looked at, back to the first known one.
        store: folder of the Parquet store.
        profile: name of the set of models.
        profiles: TOML file with further profiles, or empty.
        mapping: field of the log → field of a turn.
        parameters: JSON object of the metric's parameters that differ from the paper's.
        device: where the models run, as torch names it.
        metric: the metric.
        gates: TOML file with the gates and the webhook, or empty.
        timeout_hours: the scoring of a date is ended after so long; 0 for never.
        report: HTML file to write, such as `reports/{date}.html`; empty for none.
        report_address: where people find that file, such as `https://q2.example/{date}.html`; empty
            for the file itself. Without a report the run's link leads to the store's folder.
        runner: where shards are scored, as `--runner` names it.
    """
    job = Job(from_the_root(store), profile, profiles, (metric,), parameters, device)
    place = ReportPlace(report, report_address)
    work = work_on(job, logs, mapping, gates, timeout_hours, place, runner, tell=True)
    last = parse_date(date) if date else yesterday(timezone)
    work.do(dates_to_look_at(work.store, last, catch_up_days), {last})
    return work.end(f"Nightly scoring of {last}")


@flow(name="backfill", validate_parameters=False, persist_result=False)
def backfill(
    logs: list[str],
    start: str,
    end: str,
    store: str = "q2-store",
    profile: str = "compact",
    profiles: str = "",
    mapping: dict[str, str] | None = None,
    parameters: str = "{}",
    device: str = "cpu",
    metric: str = "q2",
    gates: str = "",
    timeout_hours: float = 0.0,
    report: str = "",
    report_address: str = "",
    runner: str = "threads",
) -> State[Any] | dict[str, Any]:
    """Score all dates from ``start`` to ``end``, both included; gates are judged, nobody is alarmed.

    The other parameters are those of `nightly`.
    """
    job = Job(from_the_root(store), profile, profiles, (metric,), parameters, device)
    place = ReportPlace(report, report_address)
    work = work_on(job, logs, mapping, gates, timeout_hours, place, runner, tell=False)
    days = date_range(start, end)
    work.do(days, set(days))
    return work.end(f"Backfill of {days[0]} to {days[-1]}")
