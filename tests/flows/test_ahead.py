"""Tests of the work that a process does while Prefect's API starts: the run takes it over as its own."""

from dataclasses import asdict
from pathlib import Path

import pytest

from qsquared.flows import local
from qsquared.flows.local import work_ahead
from qsquared.flows.running.ahead import Ahead, taken_over
from qsquared.flows.score import score
from qsquared.flows.watching.progress import Observer, observed_by
from qsquared.storage.files.locks.claims import Claim
from qsquared.storage.records.executions import read_executions, repeated
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.metric import Q2
from qsquared.tasks.running import stage_runner as workbench
from tests.conftest import write_turns

STAGES = [stage.name for stage in Q2.stages]


@pytest.fixture
def options(place, profiles):
    """A run over eight turns, four in a shard."""
    log = write_turns(place / "log.jsonl", 8)
    return ScoreOptions(
        logs=[str(log)],
        store=str(place / "store"),
        profile="small-shards",
        profiles=str(profiles),
    )


def run(options, ahead):
    """Run the flow after what was done ahead; return the summary."""
    with taken_over(ahead):
        return score(**asdict(options))


def executed(options):
    """Return run, stage and shard of what was begun in the store, and what was begun twice."""
    lines = read_executions(Store.open(Path(options.store)))
    begun = [(line.run_id, line.stage, line.shard) for line in lines if line.event == "begin"]
    return begun, repeated(lines)


def test_a_run_takes_over_what_was_done_before_it_began(options):
    """The first shard is scored ahead, and the run counts and records it as its own, once."""
    ahead = Ahead()
    work_ahead(options, ahead, lambda: False)
    assert [stage for stage, _ in ahead.executed] == STAGES
    summary = run(options, ahead)
    assert (summary["run_id"], summary["status"]) == (ahead.run_id, "completed")
    assert (summary["reused_turns"], summary["reused_shards"]) == (0, 0)
    assert summary["stages_run"] == len(STAGES) * summary["shards"]
    assert [log["reused"] for log in summary["inputs"]] == [False]
    begun, twice = executed(options)
    assert len(begun) == summary["stages_run"]
    assert {run_id for run_id, _, _ in begun} == {ahead.run_id}
    assert twice == {}


class Heard(Observer):
    """Notes the words of a run, and how far its first shard is."""

    def __init__(self):
        self.words = []
        self.done = []

    def ingesting(self, path):
        """A log is read."""
        self.words.append(Path(path).name)

    def planned(self, turns, reused, pairs):
        """The run knows its turns."""
        self.words.append((turns, reused, pairs))

    def advanced(self, turns):
        """Work on the shard goes on."""
        if "scored" not in self.words:
            self.done.append(turns)

    def scored(self, _turns):
        """A shard is done."""
        self.words.append("scored")


def test_whoever_watches_hears_of_the_work_from_its_beginning_and_once(options):
    """Logs and plan before the first stage, and the bar never goes back."""
    heard, ahead, asked = Heard(), Ahead(), []

    def ready():
        asked.append(1)
        return len(asked) > 4

    with observed_by(heard):
        work_ahead(options, ahead, ready)
        assert heard.words == ["log.jsonl", (8, 0, 8)]
        assert len(heard.done) >= 4
        run(options, ahead)
    assert heard.words == ["log.jsonl", (8, 0, 8), "scored"]
    assert heard.done == sorted(heard.done)


def test_the_api_is_not_kept_waiting(options):
    """Once it is ready no further stage begins, and the run goes on from there."""
    ahead, asked = Ahead(), []

    def ready():
        asked.append(1)
        return len(asked) > 2

    work_ahead(options, ahead, ready)
    assert [stage for stage, _ in ahead.executed] == STAGES[:2]
    summary = run(options, ahead)
    assert summary["stages_run"] == len(STAGES) * summary["shards"]
    assert executed(options)[1] == {}


def test_a_run_that_is_stopped_before_its_flow_begins_has_a_record(options, monkeypatch):
    """Ctrl-C ends it as it would end the flow."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(workbench.StageRunner, "_make", stop)
    ahead = Ahead()
    with pytest.raises(KeyboardInterrupt):
        work_ahead(options, ahead, lambda: False)
    store = Store.open(Path(options.store))
    assert store.read_json(store.run_path(ahead.run_id))["status"] == "interrupted"


def test_the_run_meets_again_what_went_wrong(options, monkeypatch):
    """A failure ahead of the run is silent; the run that has it too ends with it."""

    def fail(*_):
        raise ValueError("no luck")

    monkeypatch.setattr(workbench.StageRunner, "_make", fail)
    ahead = Ahead()
    work_ahead(options, ahead, lambda: False)
    assert ahead.executed == []
    with pytest.raises(ValueError, match="no luck"):
        run(options, ahead)


def test_a_shard_of_another_process_is_left_to_it(options, monkeypatch):
    """A claim that is held is not waited for ahead of the run."""
    monkeypatch.setattr(Claim, "take", lambda _: False)
    ahead = Ahead()
    work_ahead(options, ahead, lambda: False)
    assert (ahead.shard, ahead.executed) == ("", [])


def test_large_logs_are_left_to_the_run(options, monkeypatch):
    """Prefect would hear of the run only after they were read."""
    monkeypatch.setattr(local, "_SMALL_BYTES", 10)
    ahead = Ahead()
    work_ahead(options, ahead, lambda: False)
    assert (ahead.plan, ahead.manifests) == (None, {})
    assert run(options, ahead)["status"] == "completed"
