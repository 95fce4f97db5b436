"""Tests of the API of a run."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

RUN = """
import sys
from pathlib import Path
from qsquared.flows.prefect_api.embedded import embedded_prefect

with embedded_prefect(Path(sys.argv[1])):
    from prefect import flow, task

    @task
    def part(number):
        return number

    @flow
    def whole():
        return [part(number) for number in range(30)]

    whole()
"""


@pytest.mark.slow
def test_the_last_states_of_tasks_are_in_the_history(tmp_path):
    """The API ends at once after the flow, and yet has written what happened until then."""
    own = {"PREFECT_API_URL", "PREFECT_HOME", "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED"}
    environment = {name: value for name, value in os.environ.items() if name not in own}
    subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], env=environment, check=True)
    with closing(sqlite3.connect(tmp_path / "prefect" / "prefect.db")) as history:
        found = history.execute("SELECT state_type, count(*) FROM task_run GROUP BY 1").fetchall()
        (states,) = history.execute("SELECT count(*) FROM task_run_state").fetchone()
    assert found == [("COMPLETED", 30)]
    assert states == 90
