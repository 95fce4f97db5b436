"""Progress of a run, reported to an observer: a terminal shows a bar, a log gets lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Observer:
    """Progress callbacks of a run; this base class ignores them."""

    def ingesting(self, path: str) -> None:
        """The run begins to read a log."""

    def rows_read(self, rows: int) -> None:
        """The run has read so many rows of the current log."""

    def ingested(self, turns: int, rejects: int, reused: bool) -> None:
        """The store has the log; ``reused`` says that it had it before."""

    def unreadable(self, reason: str) -> None:
        """A log cannot be read as a whole; the run goes on without it."""

    def planned(self, turns: int, reused: int, pairs: int) -> None:
        """The run has so many turns, some scored before, and so many pairs left to score."""

    def stage(self, name: str, shard: str) -> None:
        """A stage begins on a shard."""

    def advanced(self, turns: float) -> None:
        """So many turns' worth of the work on the current shard is done, in a part of its stages."""

    def waiting(self, shards: int, owners: str) -> None:
        """Other processes work on all shards that are left; the run waits for them."""

    def scored(self, turns: int) -> None:
        """The turns of another shard are scored, by this run or another."""


class Several(Observer):
    """Observers of one run, each of which hears of everything."""

    def __init__(self, *observers: Observer) -> None:
        self.observers = observers


def _told_to_each(callback: str) -> Callable[..., None]:
    def tell(several: Several, *arguments: object) -> None:
        for one in several.observers:
            getattr(one, callback)(*arguments)

    return tell


for _callback in [name for name in vars(Observer) if not name.startswith("_")]:
    setattr(Several, _callback, _told_to_each(_callback))


_SILENT = Observer()
_observer: ContextVar[Observer] = ContextVar("observer")


def observer() -> Observer:
    """Return the observer of the current run."""
    return _observer.get(_SILENT)


@contextmanager
def observed_by(watcher: Observer) -> Iterator[None]:
    """Let an observer watch the runs within."""
    token = _observer.set(watcher)
    try:
        yield
    finally:
        _observer.reset(token)
