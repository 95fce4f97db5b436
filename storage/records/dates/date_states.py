"""States of the dates of a store: complete, late, failed, missed, running."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from qsquared.storage.files.locks.claims import abandoned_claims
from qsquared.storage.records.dates.date_records import (
    COMPLETE,
    FAILED,
    NO_LOG,
    DateRecord,
    all_dates,
    short_note,
)
from qsquared.storage.records.dates.dated_logs import changes, logs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qsquared.storage.store import Store

RUNNING = "running"
LATE = "late"
MISSED = "missed"
_NOTES_SHOWN = 2
_NIGHT = "night-"
_KILLED = "its run was killed; the next run goes on"


@dataclass(frozen=True, slots=True)
class DateState:
    """The state of one date, and the reason.

    ``state`` is `complete`, `late` (logs arrived or changed since), `incomplete`, `failed`, `missed`
    (there are logs and no run), `no log` or `running`.
    ``details`` are the reason or, of a complete date, the last notes on what changed later.
    """

    date: date
    state: str
    details: tuple[str, ...] = ()
    record: DateRecord | None = None

    @property
    def detail(self) -> str:
        """The details in one text."""
        return "; ".join(self.details)


def date_states(store: Store, today: date) -> Iterator[DateState]:
    """Every date from the first known one to yesterday, or to the last known one.

    The logs are looked for where the last run of a date, or of the one before it, looked.
    """
    known = all_dates(store)
    running, killed = _claimed(store)
    claimed = running | killed
    if not known and not claimed:
        return
    day = min({*known, *claimed})
    last = max(*known, *claimed, today - timedelta(days=1))
    nearest = known[min(known)] if known else None
    while day <= last:
        own = known.get(day)
        nearest = own or nearest
        if day in running:
            yield DateState(day, RUNNING, ("a run is at work on it",), own)
        elif day in killed and own is None:
            yield DateState(day, FAILED, (_KILLED,))
        elif nearest is not None:
            yield _state(store, day, own, nearest, day in killed)
        day += timedelta(days=1)


def _state(
    store: Store, day: date, own: DateRecord | None, nearest: DateRecord, killed: bool
) -> DateState:
    logs = logs_of(nearest.logs, day)
    if own is None:
        unscored = ("its logs were never scored",)
        return DateState(day, MISSED, unscored) if logs else DateState(day, NO_LOG)
    if late := changes(store, own, logs, trust_times=True):
        if killed:
            return DateState(day, FAILED, (f"{late}; {_KILLED}",), own)
        return DateState(day, LATE, (f"{late}; the next run scores it",), own)
    details = tuple(filter(None, [own.reason]))
    if own.status == COMPLETE and own.notes:
        details = tuple(map(short_note, own.notes[-_NOTES_SHOWN:]))
    return DateState(day, own.status, details, own)


def _claimed(store: Store) -> tuple[set[date], set[date]]:
    """Dates that a living process works on, and those whose process died at work."""
    abandoned = {path.stem for path, _ in abandoned_claims(store.root)}
    running: set[date] = set()
    killed: set[date] = set()
    for path in (store.root / "locks").glob(f"{_NIGHT}*.lock"):
        with suppress(ValueError):
            day = date.fromisoformat(path.stem.removeprefix(_NIGHT))
            (killed if path.stem in abandoned else running).add(day)
    return running, killed
