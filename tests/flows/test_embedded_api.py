"""Tests of the API of a run."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

RUN = """
import atexit, threading
atexit.register(lambda: print([t.name for t in threading.enumerate() if "Loop" in t.name]))

import sys
from pathlib import Path
from qsquared.flows.running.embedded_prefect import embedded_prefect

with embedded_prefect(Path(sys.argv[1])):
    from prefect import flow, task

    @task
    def part(number):
        return number

    @flow
    def whole():
        return [part(number) for number in range(30)]

    print(len(whole()))
"""
"""Tells, last of all, which of Prefect's loops are left."""


@pytest.mark.slow
def test_each_run_has_a_history_of_its_own_to_the_last_states_of_tasks(tmp_path):
    """The API ends at once after the flow, and yet has written what happened until then.

    What the run before has left does not matter, and no thread of Prefect's keeps objects alive.
    """
    own = {"PREFECT_API_URL", "PREFECT_HOME", "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED"}
    environment = {name: value for name, value in os.environ.items() if name not in own}
    database = tmp_path / "prefect" / "q2-run.db"
    for left in (None, b"no database" * 1000):
        if left is not None:
            database.write_bytes(left)
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(tmp_path)],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stdout.split() == ["30", "[]"], done.stderr
        with closing(sqlite3.connect(database)) as history:
            found = history.execute(
                "SELECT state_type, count(*) FROM task_run GROUP BY 1"
            ).fetchall()
            (states,) = history.execute("SELECT count(*) FROM task_run_state").fetchone()
        assert found == [("COMPLETED", 30)]
        assert states == 90
