"""The part of a shard's work that is done, for a bar that moves before the shard is finished."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from qsquared.flows.watching.progress import observer
from qsquared.language.running.rows_done import rows_heard_by

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
    """The work on the shards of a run, one after another, told to the observer in turns."""

    def __init__(self) -> None:
        self._told = 0.0

    @contextmanager
    def shard(self, stages: Sequence[str], turns: float) -> Iterator[None]:
        """Measure the work on a shard of so many turns, within which its stages are begun."""
        seconds = [_USUAL_SECONDS.get(stage, _OTHER_SECONDS) for stage in stages]
        self._parts = iter([turns * one / sum(seconds) for one in seconds])
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
        observer().advanced(self._before + self._part * self._done)
