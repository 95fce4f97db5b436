"""Score one logical date: find its logs, score what is new of them, write the date's record and report.

Knows nothing of Prefect, which only calls it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb

from qsquared.display import count
from qsquared.errors import Q2Error, first_line
from qsquared.flows.running.plan import claimed, make_plan
from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.outputs.selected_turns import Selection
from qsquared.storage.records.date_records import (
    COMPLETE,
    FAILED,
    INCOMPLETE,
    NO_LOG,
    DateRecord,
    LogFile,
    read_date,
    write_date,
)
from qsquared.storage.records.dated_logs import (
    changes,
    doubts,
    log_file,
    logs_of,
    of_date,
)
from qsquared.storage.records.inputs.same_logs import counts_elsewhere
from qsquared.storage.records.runs import mean_support_of
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.running.stage_runner import open_job

logger = logging.getLogger("qsquared")

ScoreLogs = Callable[[list[str], list[str]], dict[str, Any]]
"""Scores logs, and inputs that the store has read before, by fingerprint; returns the summary."""


@dataclass(frozen=True, slots=True)
class DatedJob:
    """A job over the logs of dates; ``logs`` are their absolute templates."""

    job: Job
    logs: tuple[str, ...]
    mapping: dict[str, str] = field(default_factory=dict)
    file_format: str = ""

    def new_record(self, day: date, status: str) -> DateRecord:
        """Return the record of a date of which nothing is known but how its logs are found and read."""
        return DateRecord(day, status, "", self.logs, self.mapping, file_format=self.file_format)


@contextmanager
def alone_with(store: Store, day: date) -> Iterator[None]:
    """Keep other processes from working on a date; a second one waits, and then finds it done."""
    with closing(claimed(store, [f"night-{day}"])) as claims:
        next(claims)
        yield


def score_date(
    dated: DatedJob, day: date, score_logs: ScoreLogs, *, anew: bool
) -> tuple[DateRecord | None, bool]:
    """Score what is new of a date, and put its record into the store.

    The caller keeps others from the date (`alone_with`).

    Args:
        dated: the job and the templates of the logs.
        day: the date.
        score_logs: scores logs.
        anew: check also that all that was scored is still there, and try again what failed.

    Returns:
        The record, None where there is no log and never was; and whether there was anything to score.

    Raises:
        Q2Error: the date cannot be scored; the record says why.
    """
    store = open_job(dated.job).store
    before = read_date(store, day)
    logs = logs_of(dated.logs, day)
    if not logs and (before is None or not before.fingerprints):
        return before, False
    late = changes(store, before, logs) if before is not None else ""
    if before is not None and not late and not _left_to_do(dated.job, before, anew):
        return before, False
    gone = _gone(store, before, logs)
    try:
        summary = score_logs([str(path) for path in logs], [file.fingerprint for file in gone])
    except Exception as error:
        failed = replace(
            before or dated.new_record(day, FAILED), status=FAILED, reason=reason_of(error)
        )
        # On a full disk the error to report is that one, not this failed write.
        with suppress(OSError):
            write_date(store, failed)
        raise
    # A log that was read now may have been found to begin with one that is gone.
    record = _record(dated, day, before, logs, _gone(store, before, logs), summary)
    if before is not None and late:
        record = record.with_note(_late_note(late, before, record))
    write_date(store, record)
    return record, True


def rescore_date(job: Job, day: date, score_logs: ScoreLogs) -> DateRecord | None:
    """Bring the record of a date up to the job's configuration, from what the store has read.

    Returns:
        The new record; None if there was nothing to do.
    """
    store = open_job(job).store
    before = read_date(store, day)
    if before is None or before.configuration == open_job(job).configuration.digest:
        return None
    files = _gone(store, before, [])
    summary = score_logs([], [file.fingerprint for file in files])
    dated = DatedJob(job, before.logs, before.mapping, before.file_format)
    record = _record(dated, day, before, [], files, summary)
    write_date(store, replace(record, status=before.status, reason=before.reason))
    return record


def reason_of(error: Exception) -> str:
    """Return the message of the error for which a date could not be scored."""
    return getattr(error, "message", "") or f"{type(error).__name__}: {error}"


def _left_to_do(job: Job, record: DateRecord, anew: bool) -> bool:
    """Whether a date whose logs are the same has to be scored all the same."""
    if record.status == COMPLETE:
        return anew and not _is_finished(job, record)
    if record.status == NO_LOG:
        return False
    # A log that cannot be read is asked for again by who wants the date, but not every night.
    return anew or record.status == FAILED


def _is_finished(job: Job, record: DateRecord) -> bool:
    """Whether all that the date needs is in the store, sound, in the job's configuration."""
    runner = open_job(job)
    if record.configuration != runner.configuration.digest:
        return False
    return not make_plan(runner, Selection(record.fingerprints)).unfinished


def _gone(store: Store, before: DateRecord | None, logs: Sequence[Path]) -> list[LogFile]:
    """Return logs that were scored and have been moved away since; their turns stay.

    One that another log has been found to begin with counts in that one.
    """
    paths = {str(path) for path in logs}
    files = () if before is None else before.files
    gone = [file for file in files if file.path not in paths and file.fingerprint]
    return [file for file in gone if not counts_elsewhere(store, file.fingerprint)]


_OF_SUMMARY = ("configuration", "turns", "scored_turns", "rejects", "mean_q2")
"""The fields of a date's record that the summary of its run has under the same names."""


def _record(
    dated: DatedJob,
    day: date,
    before: DateRecord | None,
    logs: Sequence[Path],
    gone: Sequence[LogFile],
    summary: dict[str, Any],
) -> DateRecord:
    unreadable = {log["path"]: log["reason"] for log in summary["unreadable"]}
    named = {path: log["fingerprint"] for log in summary["inputs"] for path in log["paths"]}
    files = (*(log_file(path, named.get(str(path), "")) for path in logs), *gone)
    store = open_job(dated.job).store
    reasons = [*unreadable.values(), *doubts(store, day, files, summary["turns"])]
    record = replace(
        before or dated.new_record(day, COMPLETE),
        status=INCOMPLETE if reasons else COMPLETE,
        reason=" ".join(reasons),
        logs=dated.logs,
        mapping=dated.mapping,
        file_format=dated.file_format,
        metric=dated.job.metric_names,
        profile=open_job(dated.job).configuration.label,
        digests=tuple(summary["configurations"].values()),
        files=files,
        mean_support=mean_support_of(summary),
        **{name: summary[name] for name in _OF_SUMMARY},
        scored_at=datetime.now(UTC).isoformat(timespec="seconds"),
        run=summary["run_id"],
    )
    if before is not None and before.configuration not in {"", record.configuration}:
        return record.with_note(
            f"scored with the configuration {record.configuration[:8]} instead of "
            f"{before.configuration[:8]}"
        )
    return record


def _late_note(change: str, before: DateRecord, after: DateRecord) -> str:
    if not before.scored_at:
        return f"{change} after the date had {before.status} as its state"
    turns, turns_before = (count(record.turns, "turn") for record in (after, before))
    mean, mean_before = (
        "none" if record.mean_q2 is None else f"{record.mean_q2:.3f}" for record in (after, before)
    )
    return (
        f"{change} after the date was scored: {_instead(turns, turns_before)}, "
        f"mean Q² {_instead(mean, mean_before)}"
    )


def _instead(now: str, before: str) -> str:
    return f"{now} as before" if now == before else f"{now} instead of {before}"


_ANY_DAY = date(2000, 1, 1)


@dataclass(slots=True)
class Reports:
    """The reports of a run over dates: where those written are, and sentences on the others.

    ``file`` and ``address`` are templates with ``{date}``.
    Without a file none is written; without an address people get the path of the file.

    Raises:
        UsageError: a template has something else in braces than the date.
    """

    store: Store
    file: str = ""
    address: str = ""
    written: dict[date, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for template in (self.file, self.address):
            of_date(template, _ANY_DAY)

    def write(self, record: DateRecord) -> None:
        """Write the report of a date anew, from the scores that its record names.

        A night without its report is still a night.
        """
        if not self.file or not record.run:
            return
        path = Path(of_date(self.file, record.date)).absolute()
        options = ReportOptions(run=record.run, title=f"Replies of {record.date}")
        try:
            write_report(self.store, path, options)
        except (Q2Error, ImportError, duckdb.Error, OSError) as error:
            reason = error.message if isinstance(error, Q2Error) else first_line(error)
            self.remarks.append(f"{record.date}: there is no report. {reason}")
            logger.warning(self.remarks[-1])
        else:
            self.written[record.date] = of_date(self.address, record.date) or str(path)
