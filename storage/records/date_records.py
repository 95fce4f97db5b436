"""Records of logical dates: their logs, their scores, and the last verdict of the gates.

A date's turns are the turns of its logs, whatever their timestamps say.
The record is rewritten as a whole; aggregates in it are counted from all rows, never added up.
"""

from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Self

from qsquared.errors import UsageError
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.store import Store

FOLDER = "dates"
COMPLETE = "complete"
INCOMPLETE = "incomplete"
FAILED = "failed"
NO_LOG = "no log"


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log of a date; ``size`` in bytes, ``changed`` its time of change in nanoseconds.

    ``fingerprint`` is empty for a log that could not be read.
    """

    path: str
    size: int
    changed: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class DateRecord:
    """A logical date.

    ``status`` is `complete`, `incomplete` (a log could not be read), `failed` or `no log`, with a
    ``reason`` where there is one;
    ``logs`` are the templates of the paths, absolute; ``profile`` is the name that SQL shows,
    ``configuration`` the hash of the whole configuration and ``digests`` those of its metrics;
    ``scored_at`` is ISO 8601 in UTC, ``run`` names the run of the store that scored it last;
    ``notes`` tell what changed later, and when;
    ``file_format`` is how a person asked for the logs to be read, with its options;
    ``verdict`` is what the gates said last, ``told`` has the marks of what was sent to the webhook.
    """

    date: date
    status: str
    reason: str
    logs: tuple[str, ...]
    mapping: dict[str, str]
    metric: str = ""
    profile: str = ""
    configuration: str = ""
    digests: tuple[str, ...] = ()
    files: tuple[LogFile, ...] = ()
    turns: int = 0
    scored_turns: int = 0
    rejects: int = 0
    mean_support: float | None = None
    mean_q2: float | None = None
    scored_at: str = ""
    run: str = ""
    notes: tuple[str, ...] = ()
    verdict: dict[str, Any] | None = None
    told: tuple[str, ...] = ()
    file_format: str = ""

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The inputs of the date, each once, in the order of its logs."""
        return tuple(dict.fromkeys(f.fingerprint for f in self.files if f.fingerprint))

    @property
    def broken(self) -> bool:
        """Whether a gate was broken when it was last judged."""
        return self.verdict is not None and self.verdict["outcome"] == "broken"

    def with_note(self, note: str) -> Self:
        """The record with one note more, which begins with the time in UTC."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return replace(self, notes=(*self.notes, f"{at}: {note}"))

    def to_json(self) -> dict[str, Any]:
        """The record as a plain JSON object."""
        return asdict(self) | {"date": self.date.isoformat()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The record that ``to_json`` wrote.

        Raises:
            KeyError: a field is missing.
            TypeError: there is one too many, or one is of another type.
        """
        day = date.fromisoformat(value["date"])
        files = tuple(LogFile(**file) for file in value["files"])
        lists = {name: tuple(value[name]) for name in ("logs", "notes", "told", "digests")}
        return cls(**value | lists | {"date": day, "files": files})


def short_note(note: str) -> str:
    """Return a note of a record with its time as people read it, to the minute and in UTC."""
    time, between, what = note.partition(": ")
    return f"{time[:16].replace('T', ' ')}: {what}" if between else note


def parse_date(text: str) -> date:
    """A date as a person gives it, such as 2026-11-20.

    Raises:
        UsageError: it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no date.", "Give it as 2026-11-20.") from error


def read_date(store: Store, day: date) -> DateRecord | None:
    """The record of a date, None if there is none.

    Raises:
        DamagedFile: it is broken.
    """
    path = store.small_file(FOLDER, str(day))
    return read_date_file(store, path) if path.exists() else None


def read_date_file(store: Store, path: Path) -> DateRecord:
    """The record in a file of the folder of dates.

    Raises:
        DamagedFile: it is missing, broken, or that of another date.
    """
    try:
        record = DateRecord.from_json(store.read_json(path))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a date has ({error!r})") from error
    if path.stem != record.date.isoformat():
        raise DamagedFile(path, f"it is the record of {record.date}")
    return record


def all_dates(store: Store) -> dict[date, DateRecord]:
    """The records of all dates, in order.

    Raises:
        DamagedFile: one is broken.
    """
    records = [read_date_file(store, path) for path in store.small_files(FOLDER)]
    return {record.date: record for record in sorted(records, key=lambda record: record.date)}


def write_date(store: Store, record: DateRecord) -> None:
    """Put a record into the store."""
    store.write_json(store.small_file(FOLDER, str(record.date)), record.to_json())
