"""Progress of a run, reported to an observer: a terminal shows a bar, a log gets lines."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from qsquared.language.neural.batches import rows_heard_by


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

    def spent(self, words: str) -> None:
        """The run has asked servers so much, in words; empty where it has not."""

    def waiting(self, shards: int, owners: str) -> None:
        """Other processes work on all shards that are left; the run waits for them."""

    def scored(self, turns: float) -> None:
        """The turns of another shard are scored, by this run or another."""


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


_USUAL_SECONDS = {
    "spans": 1.0, "questions": 2.0, "roundtrip": 8.0, "answers": 12.0, "sentence_entailment": 4.0,
    "comparisons": 2.0, "sentences": 0.1, "sentence_scores": 0.1, "scores": 0.1,
}  # fmt: skip
"""Seconds of the stages on a shard, relative to each other."""

_OTHER_SECONDS = 4.0
_OF_A_CALL = 0.8
"""The part of a stage's remaining work that one more call of a model does."""

_EVERY_SECONDS = 0.2


class WorkMeter:
    """The work on the shards of a run, one after another, told to the observer in turns.

    ``spent`` gives what servers were asked so far, in words.
    """

    def __init__(self, spent: Callable[[], str] = str) -> None:
        self._spent = spent
        self._told = 0.0

    @contextmanager
    def shard(self, stages: Sequence[str], turns: float) -> Iterator[None]:
        """Measure the work on a shard of so many turns, within which its stages are begun."""
        seconds = [_USUAL_SECONDS.get(stage, _OTHER_SECONDS) for stage in stages]
        self._parts = iter([turns * duration / sum(seconds) for duration in seconds])
        self._before = self._part = 0.0
        with rows_heard_by(self._rows):
            yield

    def begin(self) -> None:
        """Note that the shard's next stage begins."""
        self._before += self._part
        self._part = next(self._parts)
        self._done = self._before_call = 0.0
        self._tell()

    def _rows(self, done: int, total: int) -> None:
        if done == 1:
            self._before_call = self._done
        left = 1 - self._before_call
        self._done = self._before_call + left * _OF_A_CALL * done / max(total, 1)
        if time.monotonic() - self._told >= _EVERY_SECONDS:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        observer().spent(self._spent())
        observer().advanced(self._before + self._part * self._done)
