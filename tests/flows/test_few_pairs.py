"""Tests of runs that leave a few pairs to score, which are sooner done than Prefect has started."""

import faulthandler
import os
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from qsquared.flows import local, loop
from qsquared.flows.local import run_here
from qsquared.flows.running.progress import Observer, observed_by
from qsquared.flows.running.stopping import ending_cleanly
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.metrics import Q2
from qsquared.tasks.running import stage_runner as workbench
from tests.conftest import write_turns
from tests.faults.compare import read_executions, repeated

STAGES = [stage.name for stage in Q2.stages]


@pytest.fixture
def options(place, profiles):
    """A run over eight turns, four in a shard."""
    return ScoreOptions(
        logs=[str(write_turns(place / "log.jsonl", 8))],
        store=str(place / "store"),
        profile="small-shards",
        profiles=str(profiles),
    )


@pytest.fixture
def started(monkeypatch, prefect_api):
    """The runs that started Prefect's API, on a machine that has no server of its own."""
    runs = []

    @contextmanager
    def embedded(store):
        runs.append(store)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PREFECT_API_URL", url)
            yield

    monkeypatch.setattr(local, "embedded_prefect", embedded)
    url = os.environ["PREFECT_API_URL"]
    monkeypatch.delenv("PREFECT_API_URL")
    return runs


class Heard(Observer):
    """Notes what a run tells."""

    def __init__(self):
        self.words = []

    def ingesting(self, path):
        """A log is read."""
        self.words.append(Path(path).name)

    def planned(self, turns, reused, pairs):
        """The run knows its turns."""
        self.words.append((turns, reused, pairs))

    def scored(self, turns):
        """A shard is done."""
        self.words.append(turns)


def test_a_few_pairs_are_scored_without_prefect(options, started):
    """The run is recorded, counted and told as any other."""
    heard = Heard()
    with observed_by(heard):
        summary = run_here(options)
    assert started == []
    assert (summary["status"], summary["turns"]) == ("completed", 8)
    assert (summary["reused_turns"], summary["reused_shards"]) == (0, 0)
    assert summary["stages_run"] == len(STAGES) * summary["shards"]
    store = Store.open(Path(options.store))
    assert store.read_json(store.small_file("runs", summary["run_id"])) == summary
    executions = read_executions(store)
    assert {line.run_id for line in executions} == {summary["run_id"]}
    assert repeated(executions) == {}
    assert heard.words[:2] == ["log.jsonl", (8, 0, 8)]
    assert sum(heard.words[2:]) == 8


def test_a_run_of_more_pairs_starts_prefect(options, started, monkeypatch):
    """Logs are read and the run is planned once, and the stages of the flow are those of the run."""
    monkeypatch.setattr(local, "_FEW_PAIRS", 7)
    heard = Heard()
    with observed_by(heard):
        summary = run_here(options)
    assert summary["status"] == "completed"
    assert len(started) == 1
    assert heard.words.count("log.jsonl") == 1
    executions = read_executions(Store.open(Path(options.store)))
    assert {line.run_id for line in executions} == {summary["run_id"]}


def test_a_server_that_is_named_hears_of_every_run(options, started, monkeypatch):
    """Its owner looks for the run there."""
    heard = []
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    monkeypatch.setattr("qsquared.flows.score.score", lambda **given: heard.append(given) or {})
    run_here(options)
    assert [given["logs"] for given in heard] == [options.logs]
    assert started == []


def test_what_goes_wrong_with_a_few_pairs_is_tried_again(options, started, monkeypatch):
    """A disk may fail for a moment; it is one run, and finished stages are kept."""
    make, failed = workbench.StageRunner._make, []

    def fail_once(runner, stage, shard):
        if stage.name == "answers" and not failed:
            failed.append(shard)
            raise OSError("no luck")
        return make(runner, stage, shard)

    monkeypatch.setattr(workbench.StageRunner, "_make", fail_once)
    waited = []
    monkeypatch.setattr(loop.time, "sleep", waited.append)
    summary = run_here(options)
    assert (len(started), len(failed), summary["status"]) == (0, 1, "completed")
    store = Store.open(Path(options.store))
    assert [path.stem for path in (store.root / "runs").glob("*.json")] == [summary["run_id"]]
    again = repeated(read_executions(store))
    assert again == {("answers", failed[0]): 1}
    assert len(waited) == 1
    assert 2 <= waited[0] <= 3


def test_what_cannot_pass_is_not_tried_again(options, started, monkeypatch):
    """A defect ends the run at once."""

    def fail(*_):
        raise ValueError("a defect")

    monkeypatch.setattr(workbench.StageRunner, "_make", fail)
    monkeypatch.setattr(loop.time, "sleep", None)
    with pytest.raises(ValueError, match="a defect"):
        run_here(options)
    assert started == []


def test_a_signal_that_a_library_turned_into_an_error_ends_the_run(options, started, monkeypatch):
    """It is not taken for a failure that may pass."""

    def interrupted(*_):
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        raise RuntimeError("query interrupted")

    monkeypatch.setattr(workbench.StageRunner, "_make", interrupted)
    with ending_cleanly(), pytest.raises(SystemExit):
        run_here(options)
    faulthandler.cancel_dump_traceback_later()
    assert started == []


def test_a_run_of_a_few_pairs_that_is_stopped_says_so_in_its_record(options, started, monkeypatch):
    """Ctrl-C ends it as it ends the flow."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(workbench.StageRunner, "_make", stop)
    with pytest.raises(KeyboardInterrupt):
        run_here(options)
    store = Store.open(Path(options.store))
    (record,) = (store.root / "runs").glob("*.json")
    assert store.read_json(record)["status"] == "interrupted"
    assert started == []
