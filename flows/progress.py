"""Tell whoever watches how far a run is; a terminal shows a bar, a log gets lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Observer(Protocol):
    """What a run tells while it goes on."""

    def ingesting(self, path: str) -> None:
        """A log is being read."""

    def read(self, turns: int, rejects: int) -> None:
        """So many turns and rejects of the current log have been read."""

    def planned(self, turns: int, reused: int) -> None:
        """The run is to score so many turns, of which so many are already scored."""

    def started(self, stage: str, shard: str) -> None:
        """A stage begins on a shard."""

    def scored(self, turns: int) -> None:
        """The turns of another shard are scored."""


class Silent:
    """Nobody watches."""

    def ingesting(self, path: str) -> None:
        """Ignore."""

    def read(self, turns: int, rejects: int) -> None:
        """Ignore."""

    def planned(self, turns: int, reused: int) -> None:
        """Ignore."""

    def started(self, stage: str, shard: str) -> None:
        """Ignore."""

    def scored(self, turns: int) -> None:
        """Ignore."""


_SILENT = Silent()
_observer: ContextVar[Observer] = ContextVar("observer")


def observer() -> Observer:
    """Whoever watches the current run."""
    return _observer.get(_SILENT)


@contextmanager
def observed_by(watcher: Observer) -> Iterator[None]:
    """Let ``watcher`` watch the runs within."""
    token = _observer.set(watcher)
    try:
        yield
    finally:
        _observer.reset(token)
