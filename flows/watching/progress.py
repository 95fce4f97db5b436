"""Tell whoever watches how far a run is; a terminal shows a bar, a log gets lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from qsquared.flows.running.stopping import stop_if_asked

Result = TypeVar("Result")


class Observer:
    """What a run tells while it goes on; this one does not listen."""

    def ingesting(self, path: str) -> None:
        """A log is being read."""

    def rows_read(self, rows: int) -> None:
        """So many rows of the current log have been read."""

    def ingested(self, turns: int, rejects: int, reused: bool) -> None:
        """The log is in the store; ``reused`` says that it was there before."""

    def unreadable(self, reason: str) -> None:
        """A log as a whole cannot be read; the run goes on without it."""

    def planned(self, turns: int, reused: int, pairs: int) -> None:
        """The run is about so many turns, so many already scored; so many pairs are left to score."""

    def stage(self, name: str, shard: str) -> None:
        """A stage begins on a shard."""

    def waiting(self, shards: int, owners: str) -> None:
        """All shards that are left, so many, are at work elsewhere; the run waits for them."""

    def scored(self, turns: int) -> None:
        """The turns of another shard are scored, by this run or another."""


_SILENT = Observer()
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


def watched(name: str, stage: Callable[..., Result]) -> Callable[..., Result]:
    """The stage, telling the observer when it begins on a shard; it does not begin in a run that ends."""

    def call(job: object, shard: str, *inputs: object) -> Result:
        stop_if_asked()
        observer().stage(name, shard)
        return stage(job, shard, *inputs)

    return call
