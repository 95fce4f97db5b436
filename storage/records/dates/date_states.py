"""States of the dates of a store: complete, late, failed, missed, running."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from qsquared.storage.files.locks.claims import abandoned_claims
from qsquared.storage.records.dates.date_records import COMPLETE, NO_LOG, DateRecord, all_dates
from qsquared.storage.records.dates.dated_logs import changes, logs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.store import Store

RUNNING = "running"
LATE = "late"
MISSED = "missed"
_NOTES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class DateState:
    """The state of one date, and the reason.

    ``state`` is `complete`, `late` (logs arrived or changed since), `incomplete`, `failed`, `missed`
    (there are logs and no run), `no log` or `running`.
    """

    date: date
    state: str
    detail: str = ""
    record: DateRecord | None = None


def date_states(store: Store, today: date) -> Iterator[DateState]:
    """Every date from the first known one to yesterday, or to the last known one.

    The logs are looked for where the last run of a date, or of the one before it, looked.
    """
    known = all_dates(store)
    if not known:
        return
    running = _claimed(store)
    last = max(*known, today - timedelta(days=1))
    record = known[min(known)]
    day = min(known)
    while day <= last:
        record = known.get(day, record)
        if f"night-{day}" in running:
            yield DateState(day, RUNNING, "a run is at work on it", known.get(day))
        else:
            yield _state(store, day, known.get(day), record)
        day += timedelta(days=1)


def _state(store: Store, day: date, own: DateRecord | None, nearest: DateRecord) -> DateState:
    logs = logs_of(nearest.logs, day)
    if own is None:
        return DateState(
            day, MISSED if logs else NO_LOG, "its logs were never scored" if logs else ""
        )
    if late := changes(store, own, logs, trust_times=True):
        return DateState(day, LATE, f"{late}; the next run scores it", own)
    detail = own.reason
    if own.status == COMPLETE and own.notes:
        detail = "; ".join(own.notes[-_NOTES_SHOWN:])
    return DateState(day, own.status, detail, own)


def _claimed(store: Store) -> set[str]:
    """Names of the claims that somebody holds who lives."""
    abandoned = {path.stem for path, _ in abandoned_claims(store.root)}
    return {path.stem for path in (store.root / "locks").glob("night-*.lock")} - abandoned
