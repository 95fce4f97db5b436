"""One logical date: find its logs, score what is new of them, write down what came of it.

Knows nothing of Prefect, which only calls it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from qsquared.errors import UsageError
from qsquared.flows.running.plan import make_plan
from qsquared.flows.running.stopping import stop_if_asked
from qsquared.flows.watching.progress import observer
from qsquared.storage.files.locks.claims import Claim
from qsquared.storage.outputs.selection import Selection
from qsquared.storage.records.dates.date_records import (
    COMPLETE,
    FAILED,
    INCOMPLETE,
    NO_LOG,
    DateRecord,
    LogFile,
    all_dates,
    parse_date,
    read_date,
    write_date,
)
from qsquared.storage.records.dates.dated_logs import absolute_templates, changes, log_file, logs_of
from qsquared.storage.store import Store
from qsquared.tasks.running.stage_runner import Job, open_job

_POLL_SECONDS = 1.0

Score = Callable[[list[str], list[str]], dict[str, Any]]
"""Scores logs, and inputs that the store has read before, by fingerprint; gives the run's summary."""


@dataclass(frozen=True, slots=True)
class Nights:
    """What every night has in common: the templates of its logs, absolute, and how to score them."""

    job: Job
    logs: tuple[str, ...]
    mapping: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job, logs: Sequence[str], mapping: dict[str, str] | None) -> Nights:
        """The nights of these templates.

        Raises:
            UsageError: a template names no date.
        """
        return cls(job, absolute_templates(logs), dict(mapping or {}))


@dataclass(frozen=True, slots=True)
class Night:
    """What was done for one date; ``record`` is None where there is no log and never was."""

    date: date
    worked: bool
    record: DateRecord | None


def yesterday(timezone: str, now: datetime | None = None) -> date:
    """The date before today's in a time zone.

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


def dates_to_look_at(store: Store, last: date, catch_up_days: int) -> list[date]:
    """The date itself and those before it, at most so many days, back to the first known one."""
    known = all_dates(store)
    first = max(min([*known, last]), last - timedelta(days=catch_up_days))
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def date_range(start: str, end: str) -> list[date]:
    """All dates from one to another, both included.

    Raises:
        UsageError: one is no date, or the end lies before the start.
    """
    first, last = parse_date(start), parse_date(end)
    if last < first:
        raise UsageError(f"The end {last} lies before the start {first}.", "Swap them.")
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


@contextmanager
def alone_with(store: Store, day: date) -> Iterator[None]:
    """Within, no other process works on the date; who comes second waits, and then finds it done."""
    claim = Claim(store.root, f"night-{day}")
    told = False
    while not claim.take():
        stop_if_asked()
        if not told and (owner := claim.owner) is not None:
            observer().waiting(0, str(owner))
            told = True
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        claim.release()


def score_date(nights: Nights, day: date, score: Score, *, anew: bool) -> Night:
    """Score what is new of a date, and put its record into the store.

    To be called by who is alone with the date.

    Args:
        nights: what all dates have in common.
        day: the date.
        score: scores logs.
        anew: look also whether all that was scored is still there, and try again what failed.

    Raises:
        Q2Error: the date cannot be scored; the record says why.
    """
    store = open_job(nights.job).store
    before = read_date(store, day)
    logs = logs_of(nights.logs, day)
    if not logs and (before is None or not before.fingerprints):
        return Night(day, worked=False, record=before)
    late = changes(store, before, logs) if before is not None else None
    if before is not None and not late and not _left_to_do(nights.job, before, anew):
        return Night(day, worked=False, record=before)
    gone = _gone(before, logs)
    try:
        summary = score([str(path) for path in logs], [file.fingerprint for file in gone])
    except Exception as error:
        _note_failure(store, before, nights, day, error)
        raise
    record = _record(nights, day, before, logs, gone, summary)
    if before is not None and late:
        record = record.with_note(_late_note(str(late), before, record))
    write_date(store, record)
    return Night(day, worked=True, record=record)


def refresh_date(job: Job, day: date, score: Score) -> Night:
    """Bring the record of a date up to the job's configuration, from what the store has read."""
    store = open_job(job).store
    before = read_date(store, day)
    if before is None or before.configuration == open_job(job).configuration.digest:
        return Night(day, worked=False, record=before)
    summary = score([], [file.fingerprint for file in before.files if file.fingerprint])
    record = _record(
        Nights(job, before.logs, before.mapping), day, before, [], before.files, summary
    )
    write_date(store, replace(record, status=before.status, reason=before.reason))
    return Night(day, worked=True, record=record)


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
    bench = open_job(job)
    if record.configuration != bench.configuration.digest:
        return False
    return not make_plan(bench, Selection(record.fingerprints)).unfinished


def _gone(before: DateRecord | None, logs: Sequence[Path]) -> list[LogFile]:
    """Logs that were scored and have been moved away since; their turns stay."""
    there = {str(path) for path in logs}
    known = () if before is None else before.files
    return [file for file in known if file.path not in there and file.fingerprint]


def _note_failure(
    store: Store, before: DateRecord | None, nights: Nights, day: date, error: Exception
) -> None:
    reason = getattr(error, "message", "") or f"{type(error).__name__}: {error}"
    base = before or DateRecord(day, FAILED, "", nights.logs, nights.mapping)
    try:
        write_date(store, replace(base, status=FAILED, reason=reason))
    except OSError:
        # Where the disk is full, that is what has to be told.
        return


def _record(
    nights: Nights,
    day: date,
    before: DateRecord | None,
    logs: Sequence[Path],
    gone: Sequence[LogFile],
    summary: dict[str, Any],
) -> DateRecord:
    unreadable = {log["path"]: log["reason"] for log in summary["unreadable"]}
    named = {path: log["fingerprint"] for log in summary["inputs"] for path in log["paths"]}
    files = (*(log_file(path, named.get(str(path), "")) for path in logs), *gone)
    record = DateRecord(
        date=day,
        status=INCOMPLETE if unreadable else COMPLETE,
        reason=" ".join(unreadable.values()),
        logs=nights.logs,
        mapping=nights.mapping,
        metric=nights.job.metric,
        profile=open_job(nights.job).configuration.label,
        configuration=summary["configuration"],
        digests=tuple(summary["configurations"].values()),
        files=files,
        turns=summary["turns"],
        scored_turns=summary["scored_turns"],
        rejects=summary["rejects"],
        mean_q2=summary["mean_q2"],
        scored_at=datetime.now(UTC).isoformat(timespec="seconds"),
        run=summary["run_id"],
        notes=() if before is None else before.notes,
        verdict=None if before is None else before.verdict,
        told=() if before is None else before.told,
    )
    if before is not None and before.configuration not in {"", record.configuration}:
        return record.with_note(
            f"scored with the configuration {record.configuration[:8]} instead of "
            f"{before.configuration[:8]}"
        )
    return record


def _mean(record: DateRecord) -> str:
    return "none" if record.mean_q2 is None else f"{record.mean_q2:.3f}"


def _late_note(what: str, before: DateRecord, after: DateRecord) -> str:
    if not before.scored_at:
        return f"{what} after the date had {before.status} as its state"
    return (
        f"{what} after the date was scored: {after.turns:,} turns instead of {before.turns:,}, "
        f"mean Q² {_mean(after)} instead of {_mean(before)}"
    )
