"""Tests that run docs/operations.md word for word, with a server, workers and nights."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL, temporary_settings

from qsquared.flows.nightly import nightly
from qsquared.storage.files.processes import is_running
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.conftest import ROOT
from tests.faults.stubbed import WordModels
from tests.operations import PATIENCE, Operator, blocks_of, free_port, put_log
from tests.webhooks import receiving

pytestmark = pytest.mark.slow

DAY = "2026-11-16"
KNOWLEDGE = "The lighthouse was built in 1858 by Alan Brebner."
GATES = """
[[gate]]
kind = "inconsistency"
limit = 0.2
minimum = 2
[webhook]
url = "{url}"
"""


def example_rows(number):
    """The first rows of the example log."""
    text = (ROOT / "examples" / "logs" / f"{DAY}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()[:number]]


def stages_begun(home):
    """Count the begun stages of shards over all processes."""
    lines = [
        line
        for path in (home / "q2-store" / "executions").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return sum(json.loads(line)["event"] == "begin" for line in lines)


@contextmanager
def operating(home, **more):
    """An operator who has followed the guide up to the worker."""
    operator = Operator(home, more=more)
    server, deployments, worker, _ = blocks_of("Start")
    try:
        operator.leave_running(server, "server")
        operator.wait_for_server()
        printed = operator.type(deployments)
        assert (
            printed.count("successfully created")
            == len((ROOT / "prefect.yaml").read_text().split("- name: ")) - 1
        )
        operator.leave_running(worker, "worker")
        yield operator
    finally:
        operator.leave()


def test_the_guide_scores_nights_corrects_them_and_raises_the_alarm(tmp_path):
    """The guide's commands give scores, and a late log breaks a gate, which is reported."""
    home = tmp_path / "checkout"
    put_log(home, DAY, "shop.jsonl.gz", example_rows(6))
    with receiving() as receiver, operating(home) as operator:
        printed = operator.type(blocks_of("Start")[-1].replace("2026-11-20", DAY))
        night = re.search(r"UUID: (\S+)", printed)[1]
        # At the same time another run of the same date, by another deployment.
        other = operator.ended(operator.trigger("backfill/backfill", start=DAY, end=DAY))
        assert other["type"] == "COMPLETED", operator.said("worker")
        assert operator.ended(night)["type"] == "COMPLETED", operator.said("worker")
        counted = q2(
            "sql", "SELECT count(q2) AS n FROM scores", "--json", "--store", home / "q2-store"
        )
        assert json.loads(counted.out)["n"] >= 5
        # Each stage of the one shard once, whoever was first.
        assert stages_begun(home) == 9
        # Six turns are too few for the gates of the guide.
        assert "no gate on the scores could be judged" in operator.state(night)["message"]

        wrong = [
            {
                "id": f"w{i}",
                "knowledge": KNOWLEDGE,
                "response": f"The lighthouse was built in 19{i}0.",
            }
            for i in range(6)
        ]
        put_log(home, DAY, "late.jsonl.gz", wrong)
        assert "late.jsonl.gz arrived" in q2("status", "--store", home / "q2-store").out
        (home / "gates.toml").write_text(GATES.format(url=receiver.url))
        receiver.codes[:] = [503]
        run = operator.trigger("nightly/nightly-scoring", date=DAY, gates="gates.toml")
        state = operator.ended(run)
        assert state["type"] == "FAILED", operator.said("worker")
        assert "the gate 'inconsistency' is broken" in state["message"]
        assert operator.hears("worker", "the gate 'inconsistency' is broken"), operator.said(
            "worker"
        )
        assert "Traceback" not in operator.said("worker")
        (body,) = receiver.bodies
        assert body["date"] == DAY
        assert body["sentence"] in state["message"]
        status = q2("status", "--store", home / "q2-store", columns=500).said
        assert "late.jsonl.gz arrived after the date was scored: 12 turns instead of 6" in status
        assert "broken" in status
        # DuckDB counts its objects when a run's process ends.
        assert "nanobind" not in operator.said("worker")


def test_the_night_after_a_killed_worker_begins_at_once(tmp_path):
    """Nothing waits for the dead run, which becomes Crashed; nothing that it finished is repeated."""
    home = tmp_path / "checkout"
    put_log(home, DAY, "shop.jsonl.gz", example_rows(20))
    with operating(home) as operator:
        dead = operator.trigger("nightly/nightly-scoring", date=DAY)
        begun = time.monotonic() + 240
        while not (home / "q2-store" / "executions").exists() or stages_begun(home) < 2:
            assert time.monotonic() < begun, operator.said("worker")
            time.sleep(0.1)
        worker = operator.started.pop()
        runs = operator.flow_processes()
        assert runs
        os.killpg(worker.pid, signal.SIGKILL)
        for run in runs:
            # As when the machine goes down; alone, it would go on without its worker.
            os.kill(run, signal.SIGKILL)
        worker.wait()
        killed = time.monotonic()
        # A killed process gives back its memory first, for moments, with its surroundings unreadable.
        while operator.flow_processes() or any(is_running(run) for run in runs):
            time.sleep(0.1)
        said = q2("status", "--store", home / "q2-store", columns=200).out
        assert re.search(rf"{DAY} +failed +its run was killed; the next run goes on", said)
        assert re.search(r"-[0-9a-f]{6} +killed ", said)
        assert "running" not in said
        operator.leave_running(blocks_of("Start")[2], "worker")
        while not operator.is_healthy("worker"):
            assert time.monotonic() - killed < PATIENCE
        night = operator.trigger("nightly/nightly-scoring", date=DAY)
        while operator.ask(f"flow_runs/{night}")["state"]["type"] != "RUNNING":
            assert time.monotonic() - killed < PATIENCE
            time.sleep(0.1)
        started = time.monotonic() - killed
        assert operator.ended(night)["type"] == "COMPLETED", operator.said("worker")
        if "Q2_TEST_TIMES" in os.environ:
            times = f"{started:.1f} {time.monotonic() - killed:.1f}\n"
            Path(os.environ["Q2_TEST_TIMES"]).write_text(times)
        assert operator.ended(dead)["type"] == "CRASHED"
        # On a busy machine it takes longer than the 30 s that are asked of a free one.
        assert started < 120
        found = q2("status", "--store", home / "q2-store", columns=200).out
        assert re.search(rf"{DAY} +complete", found)
        assert "Traceback" not in operator.said("worker")


@pytest.fixture
def postgres(tmp_path):
    """A PostgreSQL of our own; gives the address of a database in it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    where = str(found[-1]) if found else None
    if shutil.which("initdb", path=where) is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    user = []
    with tempfile.TemporaryDirectory(prefix="q2-postgres-") as name:
        folder = Path(name)
        if os.getuid() == 0:
            # It refuses to run as root.
            shutil.chown(folder, "nobody")
            user = ["setpriv", "--reuid", "nobody", "--clear-groups"]
        port = free_port()

        def call(program, *arguments):
            path = shutil.which(program, path=where)
            done = subprocess.run(
                [*user, path, *map(str, arguments)], cwd=folder, timeout=120, check=False,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert done.returncode == 0, f"{program} {arguments}: {done.stderr}"

        data = folder / "data"
        call("initdb", "-D", data, "-U", "q2", "--auth=trust", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c fsync=off"
        call("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            call("createdb", "-h", "127.0.0.1", "-p", port, "-U", "q2", "prefect")
            yield f"postgresql+asyncpg://q2:secret@127.0.0.1:{port}/prefect"
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "stop")


def test_the_guide_works_with_postgresql(tmp_path, postgres, monkeypatch):
    """The server's history is in PostgreSQL, and a night is scored as with SQLite."""
    home = tmp_path / "checkout"
    put_log(home, DAY, "shop.jsonl.gz", example_rows(2))
    (export, server) = blocks_of("PostgreSQL")[0].strip().splitlines()
    name, documented = export.removeprefix("export ").split("=", 1)
    assert documented == re.sub(r":\d+/", ":5432/", postgres)
    operator = Operator(home)
    try:
        operator.leave_running(f"export {name}={postgres}\n{server}", "server")
        operator.wait_for_server()
        monkeypatch.setattr(
            workbench, "build_models", lambda profile, _device: WordModels(profile=profile)
        )
        monkeypatch.chdir(home)
        with temporary_settings({PREFECT_API_URL: operator.api}):
            state = nightly(["logs/{date}/*"], date=DAY, return_state=True)
            # What Prefect still sends in the background would outlive the server, and be sent again
            # and again until this process ends.
            APILogWorker.drain_all(timeout=30)
            EventsWorker.drain_all(timeout=30)
        assert state.is_completed(), state.message
        runs = operator.ask("flow_runs/filter", {})
        assert {run["state"]["type"] for run in runs} == {"COMPLETED"}
        assert not list((home / "prefect-home").glob("*.db"))
    finally:
        operator.leave()
        workbench.open_job.cache_clear()
    assert f"{DAY}  complete" in q2("status", "--store", home / "q2-store").out
