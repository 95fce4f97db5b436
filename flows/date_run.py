"""A run over dates: score each, judge its gates, alert people, and come to a final state."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from prefect import State
from prefect.states import Completed, Failed

from qsquared.errors import InputError
from qsquared.flows.running.prefect_runs import bury_dead_runs, logs_named, named
from qsquared.flows.score import score
from qsquared.flows.score_date import (
    DatedJob,
    Reports,
    ScoreLogs,
    alone_with,
    reason_of,
    score_date,
)
from qsquared.gates.alerts import AlertError, broken_event, failed_event, send
from qsquared.gates.counts import shown_as
from qsquared.gates.findings import NOT_JUDGED
from qsquared.gates.rules import GateRules, Webhook, read_rules
from qsquared.gates.verdicts import alarm_key, judge_date, keep_verdict, unjudged_by_version
from qsquared.storage.files.remote_paths import place
from qsquared.storage.keys import digest
from qsquared.storage.logs.fields.mapping import read_mapping_file
from qsquared.storage.logs.reading import check_format
from qsquared.storage.records.date_records import NO_LOG, DateRecord, read_date, write_date
from qsquared.storage.records.dated_logs import absolute_templates
from qsquared.storage.records.indexes.checks import put_aside_small_files
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import DatedOptions, Job
from qsquared.tasks.running.stage_runner import open_job

_HOUR = 3600.0


def absolute_job(options: Job) -> Job:
    """Return the job of a run, with its store's path absolute; a URL stays as it is."""
    return replace(options.job, store=str(place(options.store).absolute()))


def scoring_flow(job: Job, title: str, *, timeout_hours: float = 0.0, **reading: Any) -> ScoreLogs:
    """Return a function that calls the scoring flow, which ends after some hours if any are given.

    In Prefect the flow's run is called by the title and by its logs; ``reading`` are its parameters of
    reading them.
    """

    def call(logs: list[str], known: list[str]) -> dict[str, Any]:
        asked = score.with_options(
            flow_run_name=named(f"{title}: {logs_named(logs)}"),
            timeout_seconds=timeout_hours * _HOUR or None,
        )
        summary: dict[str, Any] = asked(logs, known=known, **reading, **asdict(job))
        return summary

    return call


@dataclass
class DateRun:
    """A run over some dates: its rules, the records of its dates, and its problems."""

    dated: DatedJob
    rules: GateRules | None
    webhook: Webhook | None
    options: DatedOptions
    reports: Reports
    dates: list[tuple[DateRecord, bool]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def store(self) -> Store:
        """The store of the run."""
        return open_job(self.dated.job).store

    def work_on(self, days: Sequence[date], wanted: set[date]) -> None:
        """Work on dates, oldest first; wanted ones are looked at anew, others if they changed."""
        for day in days:
            with alone_with(self.store, day):
                self._work_on_one(day, day in wanted)

    def _work_on_one(self, day: date, wanted: bool) -> None:
        dated = self.dated
        score_logs = scoring_flow(
            dated.job,
            f"score {day}",
            timeout_hours=self.options.timeout_hours,
            mapping=dated.mapping,
            file_format=dated.file_format,
        )
        try:
            record, worked = score_date(dated, day, score_logs, anew=wanted)
        except Exception as error:
            self._failed(day, error)
            # A log that nobody can read, or too much of it, is no reason to leave other dates undone.
            if not isinstance(error, (InputError, TimeoutError)):
                raise
            return
        if not (worked or wanted):
            return
        if record is None:
            record = dated.new_record(day, NO_LOG)
            write_date(self.store, record)
        # First, since an alert names its address.
        self.reports.write(record)
        if record.reason:
            self.problems.append(f"{day}: {record.reason}")
            record = self._alert_failure(record, record.reason)
        record = self._judged(record)
        self.dates.append((record, worked))

    def _alert_failure(self, record: DateRecord, reason: str) -> DateRecord:
        return self._alert(record, failed_event(str(record.date), str(self.store.root), reason))

    def _judged(self, record: DateRecord) -> DateRecord:
        if self.rules is None:
            return record
        verdict = judge_date(self.store, self.rules, record.date, *self._shown(record))
        record = keep_verdict(self.store, record, verdict)
        if not record.broken:
            if kept_out := unjudged_by_version(verdict):
                self.problems.append(kept_out)
            return record
        self.problems.append(verdict["sentence"])
        return self._alert(record, broken_event(verdict, str(self.store.root)), alarm_key(verdict))

    def _shown(self, record: DateRecord) -> tuple[str, str]:
        """Return metric and profile of the date's scores, as SQL shows them."""
        assert self.rules is not None
        if record.digests:
            return shown_as(self.store, self.rules.score, record.digests)
        # Nothing is scored, and a gate on freshness can be judged all the same.
        return self.dated.job.metric_names, self.dated.job.profile

    def _failed(self, day: date, error: Exception) -> None:
        reason = reason_of(error)
        if isinstance(error, TimeoutError):
            reason = (
                f"It took longer than {self.options.timeout_hours:g} h and was ended; what is "
                "finished is kept, and the next run goes on."
            )
        self.problems.append(f"{day}: {reason}")
        if (record := read_date(self.store, day)) is not None:
            self._alert_failure(record, reason)

    def _alert(self, record: DateRecord, event: dict[str, Any], key: str = "") -> DateRecord:
        """Post an event unless one of its key was posted before; a failed post is tried again later."""
        key = key or digest([event["date"], event["sentence"]])
        if self.webhook is None or key in record.told:
            return record
        if report := self.reports.written.get(record.date):
            event = event | {"report": report}
        try:
            send(self.webhook, event)
        except AlertError as error:
            self.problems.append(error.message)
            return record
        record = replace(record, told=(*record.told, key))
        write_date(self.store, record)
        return record

    def end(self) -> State[Any]:
        """Return the final state: failed, or a summary; its message says what a person should know."""
        if self.problems:
            return Failed(message=" ".join([*self.problems, *self.reports.remarks]))
        verdicts = [record.verdict for record, _ in self.dates if record.verdict is not None]
        unjudged = [v["sentence"] for v in verdicts if v["outcome"] == NOT_JUDGED]
        return Completed(
            message=" ".join([*unjudged, *self.reports.remarks]) or None,
            data={
                "dates": {str(record.date): worked for record, worked in self.dates},
                "turns": sum(record.turns for record, _ in self.dates),
            },
        )


def begin_date_run(options: DatedOptions, *, alert: bool) -> DateRun:
    """Return a run over dates that has not worked on any yet.

    Args:
        options: the parameters of the flow.
        alert: whether broken gates and failed dates are posted to the webhook.

    Raises:
        UsageError: a template names no date, or the rules or the place of the reports are not
            valid.
    """
    bury_dead_runs()
    job = absolute_job(options)
    rules = read_rules(Path(options.gates)) if options.gates else None
    webhook = rules.webhook if rules is not None else None
    if webhook is not None:
        # Better now than when there is something to post.
        webhook.address()
    stated, of_file = read_mapping_file(Path(options.map_file)) if options.map_file else ({}, "")
    file_format = options.file_format or of_file
    check_format(file_format, place(job.store))
    mapping = stated | (options.mapping or {})
    dated = DatedJob(job, absolute_templates(options.logs), mapping, file_format)
    reports = Reports(Store(place(job.store)), options.report, options.report_address)
    # A run goes on without what is damaged, and writes its own anew.
    put_aside_small_files(open_job(job).store)
    return DateRun(dated, rules, webhook if alert else None, options, reports)
