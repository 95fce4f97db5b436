"""Tests of the work on a shard that is done before the shard is finished."""

import pytest

from qsquared.flows.running.progress import Observer, WorkMeter, observed_by
from qsquared.flows.score import score
from qsquared.language.neural.batches import RowCounter
from tests.flows.nights import RIGHT, put_log


class Listener(Observer):
    """Keeps the turns that it hears of."""

    def __init__(self):
        self.heard = []

    def advanced(self, turns):
        """Keep the turns that are done within the shard."""
        self.heard.append(turns)

    def scored(self, turns):
        """Keep the turns of a shard."""
        self.heard.append(turns)


def test_the_rows_of_a_model_move_a_shard_on(monkeypatch):
    """A call's rows count within their stage, a second call goes on from there, and stages add up."""
    monkeypatch.setattr("qsquared.flows.running.progress._EVERY_SECONDS", 0.0)
    listener, meter = Listener(), WorkMeter()
    with observed_by(listener), meter.shard(["answers", "scores"], 100.0):
        meter.begin()
        for _call in range(2):
            assert list(RowCounter(10).counted(range(10))) == list(range(10))
        meter.begin()
    heard = listener.heard
    assert heard == sorted(heard)
    assert len(set(heard)) == len(heard) == 22
    assert heard[0] == 0
    assert heard[5] == pytest.approx(100 * 0.4 * 12 / 12.1)
    assert 95 < heard[-2] < heard[-1] < 100


def test_nobody_has_to_listen():
    """Models report their rows outside of a run, too."""
    assert list(RowCounter(1).counted("a")) == ["a"]


def test_a_run_advances_before_its_first_shard_is_scored(place):
    """Each stage moves the bar, never beyond the shard's turns."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT + " or then" * n for n in range(5)])
    listener = Listener()
    with observed_by(listener):
        score(["logs/2026-11-16/a.jsonl"], store="s")
    *within, scored = listener.heard
    assert scored == 5
    assert within == sorted(within)
    assert len(within) >= 9
    assert within[0] == 0
    assert within[-1] < 5
