"""Runs in a process of their own that a signal ends, and the same command after them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsquared.flows.score import score
from tests.flows.test_reuse import STAGES, contents

pytestmark = pytest.mark.slow


def await_no_process_of(store):
    """Wait until no process has the store's Prefect as its home; fail after ten seconds."""
    home = f"PREFECT_HOME={store / 'prefect'}".encode()
    deadline = time.monotonic() + 10
    left = [store]
    while left and time.monotonic() < deadline:
        left = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if home in environ.read_bytes():
                    left.append(environ)
        time.sleep(0.1)
    assert left == []


def test_a_killed_run_continues_with_the_same_command(write_log, tmp_path, profiles):
    """After SIGKILL nothing finished is repeated, and the tables equal an uninterrupted run's."""
    log = write_log("log.jsonl", 32)
    options = {"profile": "small-shards", "profiles": str(profiles)}
    score([str(log)], store=str(tmp_path / "store"), **options)
    expected = contents(tmp_path / "store")
    killed = tmp_path / "killed"
    command = [
        sys.executable, "-c", "from qsquared.cli.main import main; main()", "score", str(log),
        "--store", str(killed), "--profile", "small-shards", "--profiles", str(profiles),
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if k != "PREFECT_HOME"}
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    deadline = time.monotonic() + 240
    while len(list(killed.glob("stages/*/*/[!.]*.parquet"))) < 8:
        assert process.poll() is None, process.stdout.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    await_no_process_of(killed)
    there = {p: p.stat().st_mtime_ns for p in killed.glob("stages/*/*/[!.]*.parquet")}
    assert 8 <= len(there) < 4 * len(STAGES)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {p: p.stat().st_mtime_ns for p in there} == there
    assert contents(killed) == expected
    last = max((killed / "runs").glob("*.json"))
    assert json.loads(last.read_text())["stages_run"] == 4 * len(STAGES) - len(there)


def test_sigterm_ends_a_run_as_ctrl_c_does(tmp_path, write_log, profiles):
    """Exit code 143, the command that continues, and the run noted as interrupted."""
    log = write_log("log.jsonl", 80)
    environment = {
        k: v for k, v in os.environ.items() if k not in {"PREFECT_HOME", "PREFECT_API_URL"}
    }
    process = subprocess.Popen(
        [sys.executable, "-c", "from qsquared.cli.main import main; main()", "score", str(log),
         "--store", str(tmp_path / "s"), "--profile", "small-shards", "--profiles", str(profiles)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 240
    while not list((tmp_path / "s").glob("stages/questions/*/[!.]*.parquet")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 143
    assert "The same command continues: q2 score" in errors
    (run,) = (tmp_path / "s" / "runs").glob("*.json")
    assert json.loads(run.read_text())["status"] == "interrupted"


def test_the_claim_of_a_run_killed_before_its_record_is_freed(write_log, tmp_path):
    """The next run removes what a process left that died between its claim and the first word of its run."""
    (store := tmp_path / "store").mkdir()
    leave = (
        "import os, sys, pathlib; from qsquared.storage.files.shard_claims import run_claim; "
        "run_claim(pathlib.Path(sys.argv[1]), 'r').take(); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", leave, str(store)], check=False)
    assert (killed.returncode, (store / "locks" / "run-r.lock").exists()) == (-9, True)
    score([str(write_log("log.jsonl", 2))], store=str(store))
    assert list((store / "locks").iterdir()) == []
