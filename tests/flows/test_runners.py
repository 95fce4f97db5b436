"""Tests that Dask gives the same store as a run in one process, also when a worker dies."""

import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from qsquared.errors import LostWorkerError, ModelError, UsageError
from qsquared.flows.running import distributed as spreading
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import Dask, read_runner
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.faults.compare import (
    compare_stores,
    finished_twice,
    leftovers,
    lost_work,
    read_executions,
    run_statuses,
)
from tests.faults.corpus import PROFILE, make_corpus
from tests.faults.workers import published

pytest.importorskip("prefect_dask", reason="Dask is not installed: qsquared[dask]")

SHARDS, STAGES = 10, 9


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A corpus, how to score it, and the store of a run in this process."""
    folder = tmp_path_factory.mktemp("runners")
    corpus = make_corpus(folder, 160, SHARDS, shard_size=8, stubbed=True)
    loaded = folder / "loaded"
    loaded.mkdir()

    def score(store, runner):
        workbench.open_job.cache_clear()
        return q2(
            "score", corpus.logs, "--store", store, "--profiles", corpus.profiles,
            "--profile", PROFILE, "--runner", runner,
        )  # fmt: skip

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workbench, "build_models", workbench.build_models)
        from tests.flows import stub_models

        stub_models.install()
        outcome = score(folder / "here", "threads")
        assert outcome.code == 0, outcome.err
        patch.setenv(stub_models.LOADED, str(loaded))
        yield SimpleNamespace(folder=folder, here=folder / "here", loaded=loaded, score=score)
    workbench.open_job.cache_clear()


@pytest.fixture
def dask_workers():
    """Processes of Dask started within have the same models."""
    import dask

    with dask.config.set({"distributed.worker.preload": ["tests.flows.stub_models"]}):
        yield


def kill_one_worker(store, stages, ended, killed):
    """Wait until some stages are finished, and kill a process of Dask that may be at another."""
    import psutil

    while len(published(store)) < stages and not ended.wait(0.005):
        pass
    for child in psutil.Process().children(recursive=True):
        if "spawn_main" in " ".join(child.cmdline()):
            child.send_signal(signal.SIGKILL)
            killed.append(child.pid)
            return


@pytest.mark.slow
@pytest.mark.usefixtures("dask_workers")
def test_processes_of_dask_give_the_same_when_one_is_killed(scene):
    """Every table is equal, what was finished is not repeated, and models load once a process."""
    store, killed = scene.folder / "dask", []
    ended = threading.Event()
    killer = threading.Thread(target=kill_one_worker, args=(store, 7, ended, killed))
    killer.start()
    outcome = scene.score(store, "dask:2")
    ended.set()
    killer.join()
    assert (outcome.code, outcome.err) == (0, "")
    assert len(killed) == 1
    assert compare_stores(scene.here, store).none
    executions = read_executions(Store.open(store))
    assert finished_twice(executions) == []
    assert sum(lost_work(executions).values()) <= 1
    # A table that was whole when its process was killed is used, also without the record of its end.
    ends = len([line for line in executions if line.event == "end"])
    assert SHARDS * STAGES - 1 <= ends <= SHARDS * STAGES
    assert len({line.run_id for line in executions}) == 1
    assert (leftovers(store), list(run_statuses(store).values())) == ([], ["completed"])
    loads = Counter(path.name.partition("-")[0] for path in scene.loaded.iterdir())
    assert loads.pop(str(os.getpid())) == 1
    assert 1 <= len(loads) <= 3
    assert set(loads.values()) == {1}


def test_a_process_has_one_shard_at_a_time(monkeypatch):
    """However many threads an engine gives a process, its models serve one shard."""
    at_work, most = [], []

    def score(_stage, shard):
        at_work.append(shard)
        most.append(len(at_work))
        time.sleep(0.05)
        at_work.remove(shard)

    runner = SimpleNamespace(
        missing_stages=lambda _shard: ["spans"],
        run=score,
        configuration=SimpleNamespace(digest="same"),
    )
    monkeypatch.setattr(spreading, "open_job", lambda _job: runner)
    threads = [
        threading.Thread(target=spreading.run_shard, args=(None, shard, "run", "same"))
        for shard in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1]


def test_a_worker_with_other_arithmetic_scores_nothing(monkeypatch):
    """Its tables would lie under keys that the run never looks at, so it says what differs."""
    runner = SimpleNamespace(configuration=SimpleNamespace(digest="bf16"))
    monkeypatch.setattr(spreading, "open_job", lambda _job: runner)
    with pytest.raises(ModelError, match="another engine or in another precision"):
        spreading.run_shard(None, "a", "run", "fp32")


def test_an_engine_that_gives_up_on_a_shard_is_reported():
    """Workers that die on one shard again and again end the run with a sentence."""
    from distributed.scheduler import KilledWorker

    class Future:
        def result(self):
            raise KilledWorker("shard", SimpleNamespace(address="tcp://a"), 3)

    with pytest.raises(LostWorkerError, match=r"shard 12ab died again"):
        spreading._result(Future(), "12ab")


@pytest.mark.parametrize(
    "error",
    [ModelError("It is gone.", "Fetch it."), DamagedFile(Path("a.parquet"), "it is cut short")],
)
def test_errors_come_whole_from_another_process(error):
    """Message, hint and kind survive the way between processes."""
    import cloudpickle

    again = cloudpickle.loads(cloudpickle.dumps(error))
    assert (type(again), again.message, again.hint) == (type(error), error.message, error.hint)
    assert str(again) == str(error)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("threads", None),
        ("dask", Dask()),
        ("dask:4", Dask(4)),
        ("dask:tcp://host:8786", Dask(0, "tcp://host:8786")),
        ("dask:host:8786", Dask(0, "host:8786")),
    ],
)
def test_a_runner_is_read(text, setting):
    """The engine, and a number of processes or an address."""
    assert read_runner(text) == setting


@pytest.mark.parametrize("text", ["", "spark", "ray", "dask:", "dask:0", "threads:2", "dask:a b"])
def test_a_runner_that_is_none_is_refused(text):
    """The message names the valid values."""
    with pytest.raises(UsageError, match="--runner") as caught:
        read_runner(text)
    assert "dask:4" in caught.value.hint


def test_an_engine_that_is_not_installed_is_reported(monkeypatch):
    """With the command that installs it."""
    monkeypatch.setattr("qsquared.tasks.jobs.options.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="not installed") as caught:
        read_runner("dask:2")
    assert "'.[dask]'" in caught.value.hint


@pytest.mark.slow
def test_an_address_without_a_cluster_is_reported(scene):
    """The run ends with a sentence and can be run again."""
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        outcome = scene.score(scene.folder / "nobody", "dask:tcp://127.0.0.1:9")
    assert outcome.code == 2
    assert "no dask cluster at tcp://127.0.0.1:9" in outcome.said
