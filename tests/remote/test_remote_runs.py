"""Tests of runs into a store at a URL, which are killed, continued and compared with a folder."""

import os
import signal
import subprocess
import sys
import time

import pytest

from qsquared.storage.files.remote_paths import place
from qsquared.storage.store import Store
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.conftest import ROOT
from tests.faults.compare import read_executions, repeated
from tests.faults.corpus import PROFILE, make_corpus
from tests.faults.stubbed import WordModels
from tests.remote.conftest import objects

pytestmark = pytest.mark.slow

SHARDS, STAGES = 3, 6


def finished(url):
    """Count the stage files in the store."""
    return len(list(place(url).glob("stages/*/*/*.parquet")))


def test_a_killed_run_into_a_store_at_a_url_goes_on(tmp_path, s3, root, prefect_api, monkeypatch):
    """After SIGKILL the same command ends with the tables of a run into a folder."""
    corpus = make_corpus(tmp_path, 48, SHARDS, shard_size=8, stubbed=True)
    options = ("--profiles", corpus.profiles, "--profile", PROFILE)
    command = ("score", corpus.logs, "--store", root, *options)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.stubbed", *map(str, command)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PREFECT_HOME"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while finished(root) < STAGES + 2 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    said, _ = process.communicate()
    before = objects(root, "stages")
    assert STAGES + 2 <= len(before) < SHARDS * STAGES, said
    monkeypatch.setattr(
        workbench, "build_models", lambda profile, _device: WordModels(profile=profile)
    )
    workbench.open_job.cache_clear()
    again = q2(*command, "--out", tmp_path / "remote.csv")
    assert again.code == 0, again.err
    local = q2("score", corpus.logs, "--store", tmp_path / "here", *options)
    assert local.code == 0, local.err
    folder = tmp_path / "here"
    here = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for name in ("turns", "rejects", "pairs", "stages")
        for path in (folder / name).rglob("*.parquet")
    }
    assert objects(root) == here
    assert before.items() < here.items()
    lost = repeated(read_executions(Store.open(place(root))))
    assert sum(lost.values()) <= 1
    told = q2("sql", "SELECT status FROM runs ORDER BY started_at", "--csv", "--store", root)
    assert told.out.split() == ["status", "killed", "completed"]
    assert len((tmp_path / "remote.csv").read_text().splitlines()) == 49
    workbench.open_job.cache_clear()


@pytest.fixture(autouse=True)
def _patient():
    """Nothing of an earlier job is kept."""
    workbench.open_job.cache_clear()
