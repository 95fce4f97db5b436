"""Tests of the benchmark of orchestration."""

import json

import pytest

from lab.benchmarks.commands import orchestration
from qsquared.tasks.running import stage_runner

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _models_come_back(monkeypatch):
    """The benchmark puts its own models into the place of all others."""
    monkeypatch.setattr(stage_runner, "build_models", stage_runner.build_models)
    yield
    stage_runner.open_job.cache_clear()


def test_planning_and_shards_are_measured(tmp_path, prefect_api, capsys):
    """Each size has its times, each runner its cost of a shard, and all is written down."""
    chosen = ["--pairs", "30", "--shard-size", "10", "--shards", "2", "3"]
    orchestration.main([*chosen, "--json", str(tmp_path / "found.json")])
    found = json.loads((tmp_path / "found.json").read_text())
    (planned,), (shards,) = found["planning"], found["shards"]
    assert (planned["pairs"], planned["shards"]) == (30, 3)
    assert all(planned[name] > 0 for name in ("reading", "planning", "planning_again", "bytes"))
    assert shards["runner"] == "threads"
    assert shards["shards"] == [2, 3]
    assert f"{shards['each'] * 1000:.0f} ms" in capsys.readouterr().out


def test_a_plan_that_differs_is_no_measurement(monkeypatch):
    """Shards that were made of other pairs than meant are no result."""
    monkeypatch.setattr(orchestration, "plan_shards", iter_of([[1], [2]]))
    with pytest.raises(RuntimeError, match="different shards"):
        orchestration.time_planning(3, 1)


def iter_of(values):
    """A function that gives one value after another."""
    left = iter(values)
    return lambda *_: next(left)
