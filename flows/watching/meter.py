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
"""Seconds of the stages on a shard, relative to each other, until a run has its own."""

_OTHER_SECONDS = 4.0
_COMPUTED_SECONDS = 0.2
"""A stage that took less was in the store already, or says nothing of the next shard's."""

_OF_A_CALL = 0.8
"""The part of a stage's remaining work that one more call of a model does, on a run's first shard."""

_EVERY_SECONDS = 0.2


class WorkMeter:
    """The work on the shards of a run, one after another, told to the observer in turns."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._turns = 0.0
        self._at = -1
        self._reached = 0.0
        self._began = self._told = 0.0
        self._in_stage = self._before_call = 0.0
        self._rows_read = self._rows_before_call = 0
        self._rows_of: dict[str, int] = {}

    @contextmanager
    def shard(self, stages: Sequence[str], turns: float) -> Iterator[None]:
        """Measure the work on a shard of so many turns, within which its stages are begun."""
        self._reached = 0.0
        self._stages, self._turns, self._at = list(stages), turns, -1
        with rows_heard_by(self._rows):
            yield
            self._end_stage()

    def begin(self) -> None:
        """Note that the shard's next stage begins."""
        self._end_stage()
        self._at += 1
        self._in_stage = self._before_call = 0.0
        self._rows_read = 0
        self._began = time.monotonic()
        self._tell()

    def _end_stage(self) -> None:
        if self._at < 0:
            return
        seconds = time.monotonic() - self._began
        if seconds >= _COMPUTED_SECONDS:
            stage = self._stages[self._at]
            self._seconds[stage], self._rows_of[stage] = seconds, self._rows_read

    def _rows(self, done: int, total: int) -> None:
        if done == 1:
            self._before_call, self._rows_before_call = self._in_stage, self._rows_read
        self._rows_read = self._rows_before_call + done
        if expected := self._rows_of.get(self._stages[self._at]):
            self._in_stage = min(1.0, self._rows_read / expected)
        else:
            left = 1 - self._before_call
            self._in_stage = self._before_call + left * _OF_A_CALL * done / max(total, 1)
        if time.monotonic() - self._told >= _EVERY_SECONDS:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        shares = [self._usual(stage) for stage in self._stages]
        done = sum(shares[: self._at]) + shares[self._at] * self._in_stage
        self._reached = max(self._reached, self._turns * done / sum(shares))
        observer().advanced(self._reached)

    def _usual(self, stage: str) -> float:
        return self._seconds.get(stage) or _USUAL_SECONDS.get(stage, _OTHER_SECONDS)
