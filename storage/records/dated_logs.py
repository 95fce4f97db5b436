"""Find the logs of a date by a path with the date in it, and their changes since it was scored."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import median

from qsquared.errors import InputError, UsageError
from qsquared.storage.files.shard_claims import abandoned_claims
from qsquared.storage.logs.paths import expand_inputs, log_path
from qsquared.storage.records.date_records import (
    COMPLETE,
    FAILED,
    NO_LOG,
    DateRecord,
    LogFile,
    all_dates,
    short_note,
)
from qsquared.storage.records.inputs.ingest import find_input
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.store import Store

FEW = 0.1
"""A date with fewer turns than this share of the usual ones is doubtful."""

_LEAST_DATES = 7
_WEEKS = timedelta(weeks=4)
_SOME_DATE, _OTHER_DATE = date(2025, 1, 31), date(2026, 11, 2)


def absolute_templates(templates: Sequence[str]) -> tuple[str, ...]:
    """The templates from the root on, so that they mean the same in any folder.

    Raises:
        UsageError: there is none, or one does not name a date.
    """
    if not templates:
        raise UsageError("No logs are named.", "Give a path such as logs/{date}/*.jsonl.gz")
    for template in templates:
        if of_date(template, _SOME_DATE) == of_date(template, _OTHER_DATE):
            raise UsageError(
                f"The logs {template} are the same for every date.",
                "Put {date} into the path, or parts of it as {date:%Y}/{date:%m}, for instance "
                "logs/{date}/*.jsonl.gz",
            )
    return tuple(str(log_path(template)) for template in templates)


def of_date(template: str, day: date) -> str:
    """Return a path or an address with a date in the place of ``{date}``.

    Raises:
        UsageError: it has something else in braces.
    """
    try:
        return template.format(date=day)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise UsageError(
            f"The path {template} has something else in braces than a date: {error}.",
            "Use {date}, or a part of it such as {date:%Y%m%d}.",
        ) from error


def logs_of(templates: Sequence[str], day: date) -> list[Path]:
    """Return the existing logs of a date, in order; empty if it has none."""
    paths: list[str] = []
    for template in templates:
        # Whether it is a fault that there is none yet is for the gate on freshness to say.
        with suppress(InputError):
            paths += map(str, expand_inputs([of_date(template, day)]))
    return expand_inputs(paths)


def log_file(path: Path, fingerprint: str) -> LogFile:
    """Return a log with its present size and time of change."""
    status = path.stat()
    return LogFile(str(path), status.st_size, status.st_mtime_ns, fingerprint)


def changes(
    store: Store, record: DateRecord, logs: Sequence[Path], *, trust_times: bool = False
) -> str:
    """Name the logs that arrived or changed since a date was scored; empty if none did.

    A removed log keeps its turns.

    Args:
        store: the store.
        record: what is known of the date.
        logs: the logs that there are now.
        trust_times: take a log of the same size and time of change for the same, unread.
    """
    file_of = {file.path: file for file in record.files}
    paths = list(map(str, logs))
    arrived = [path for path in paths if path not in file_of]
    old = (file_of[path] for path in paths if path in file_of)
    changed = [file.path for file in old if _differs(store, record, file, trust_times)]
    return " and ".join(
        f"{', '.join(Path(path).name for path in names)} {change}"
        for names, change in ((arrived, "arrived"), (changed, "changed"))
        if names
    )


def _differs(store: Store, record: DateRecord, file: LogFile, trust_times: bool) -> bool:
    path = log_path(file.path)
    try:
        same_times = log_file(path, file.fingerprint) == file
        if same_times and (trust_times or not file.fingerprint):
            return False
        manifest = find_input(store, path, record.mapping, file_format=record.file_format)
    except (OSError, InputError):
        return bool(file.fingerprint)
    return manifest is None or manifest.fingerprint != file.fingerprint


def doubts(store: Store, day: date, files: Sequence[LogFile], turns: int) -> list[str]:
    """Return the reasons to doubt that the logs of a date are whole: they end early, shrank, or have hardly a turn.

    The number of turns is compared with the median of the dates of the four weeks before.
    """
    names = dict.fromkeys(file.fingerprint for file in files if file.fingerprint)
    reasons = [doubt for name in names if (doubt := read_manifest(store, name).doubt)]
    before = [
        record.turns
        for other, record in all_dates(store).items()
        if day - _WEEKS <= other < day and record.turns
    ]
    if len(before) >= _LEAST_DATES and turns < FEW * median(before):
        reasons.append(
            f"It has {turns:,} turns, and the dates of the four weeks before had {median(before):,.0f} "
            "in the middle."
        )
    return reasons


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


def date_states(store: Store, today: date) -> Iterator[DateState]:
    """Every date from the first known one to yesterday, or to the last known one.

    The logs are looked for where the last run of a date, or of the one before it, looked.
    """
    records = all_dates(store)
    running, killed = _claimed(store)
    claimed = running | killed
    if not records and not claimed:
        return
    day = min({*records, *claimed})
    last = max(*records, *claimed, today - timedelta(days=1))
    nearest = records[min(records)] if records else None
    while day <= last:
        record = records.get(day)
        nearest = record or nearest
        if day in running:
            yield DateState(day, RUNNING, ("a run is at work on it",), record)
        elif day in killed and record is None:
            yield DateState(day, FAILED, (_KILLED,))
        elif nearest is not None:
            yield _state(store, day, record, nearest, day in killed)
        day += timedelta(days=1)


def _state(
    store: Store, day: date, record: DateRecord | None, nearest: DateRecord, killed: bool
) -> DateState:
    logs = logs_of(nearest.logs, day)
    if record is None:
        unscored = ("its logs were never scored",)
        return DateState(day, MISSED, unscored) if logs else DateState(day, NO_LOG)
    if late := changes(store, record, logs, trust_times=True):
        if killed:
            return DateState(day, FAILED, (f"{late}; {_KILLED}",), record)
        return DateState(day, LATE, (f"{late}; the next run scores it",), record)
    details = tuple(filter(None, [record.reason]))
    if record.status == COMPLETE and record.notes:
        details = tuple(map(short_note, record.notes[-_NOTES_SHOWN:]))
    return DateState(day, record.status, details, record)


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
