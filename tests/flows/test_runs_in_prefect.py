"""Tests of runs as Prefect shows them: their names, the end of a failed one, and dead ones."""

import logging
import os
import subprocess
import sys
from uuid import UUID

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterParentFlowRunId
from prefect.exceptions import FailedRun
from prefect.states import Running

from qsquared.errors import ModelError
from qsquared.flows.nightly import backfill, nightly
from qsquared.flows.rescore import rescore
from qsquared.flows.running.prefect_runs import PROCESS, bury_dead_runs
from qsquared.storage.files.processes import HOST
from tests.flows.nights import RIGHT, put_log, run

DAY = "2026-11-16"


def names(state):
    """Return the name of a flow run and those of its subflows, with the names of all their tasks."""
    with get_client(sync_client=True) as client:
        top = client.read_flow_run(state.state_details.flow_run_id)
        parent = FlowRunFilterParentFlowRunId(any_=[top.id])
        below = client.read_flow_runs(flow_run_filter=FlowRunFilter(parent_flow_run_id=parent))
        return [top.name, *(flow.name for flow in below)]


@pytest.mark.slow
def test_runs_are_named_by_their_dates_and_logs(place):
    """Nobody has to guess the night of a run."""
    put_log(place, DAY, "shop{1}.jsonl", [RIGHT])
    assert names(run(DAY)) == [f"nightly {DAY}", f"score {DAY}: shop{{1}}.jsonl"]
    state = backfill(["logs/{date}/*"], DAY, DAY, return_state=True)
    assert names(state) == [f"backfill {DAY} to {DAY}"]
    state = rescore(metrics=["q2", "overlap"], return_state=True)
    assert names(state)[:1] == ["rescore q2, overlap with compact"]
    assert names(nightly(["logs/{date}"], timezone="Mars", return_state=True)) == ["nightly"]


def test_tasks_are_named_by_stage_and_number_of_the_shard(place, caplog):
    """The log that is read, the stage, and the shard among those of the run."""
    put_log(place, DAY, "a.jsonl", [RIGHT])
    with caplog.at_level(logging.DEBUG, "prefect.task_runs"):
        run(DAY)
    told = {getattr(record, "task_run_name", "") for record in caplog.records}
    assert {"read a.jsonl", "plan", "answers, shard 1 of 1", "scores, shard 1 of 1"} <= told


@pytest.mark.parametrize("logger", ["prefect.engine", "prefect.flow_runs"])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FailedRun("the gate 'g' is broken"), "the gate 'g' is broken"),
        (ModelError("No model.", "Pull it."), "No model. Pull it."),
    ],
)
def test_an_error_with_a_sentence_has_no_traceback(caplog, logger, error, said):
    """The sentence stands in the worker's log, alone."""
    # The API within a process lets Prefect log nothing of the sort; a worker's level is lower.
    with caplog.at_level(logging.ERROR, logger):
        logging.getLogger(logger).error("Execution exited", exc_info=error)
    (record,) = caplog.records
    assert (record.getMessage(), record.exc_info) == (said, None)


def test_a_defect_keeps_its_traceback(caplog):
    """An error that nobody foresaw has to be found."""
    with caplog.at_level(logging.ERROR, "prefect.engine"):
        logging.getLogger("prefect.engine").error("Execution exited", exc_info=ZeroDivisionError())
    assert caplog.records[0].exc_info


def start(client, flow, process, parent=None):
    """Register a run that is at work in a process of a host; return its id."""
    made = client.create_flow_run(flow, state=Running(), parent_task_run_id=parent)
    if process:
        client.update_flow_run_labels(made.id, {PROCESS: process})
    return made.id


@pytest.mark.slow
def test_runs_whose_process_is_gone_become_crashed(place):
    """Living ones, those of other hosts and those of other flows stay as they are."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with get_client(sync_client=True) as client:
        dead = start(client, nightly, f"{HOST}:{gone.pid}")
        others = [
            start(client, nightly, f"{HOST}:{os.getpid()}"),
            start(client, nightly, f"elsewhere:{gone.pid}"),
            start(client, nightly, None),
        ]
        put_log(place, DAY, "a.jsonl", [RIGHT])
        state = run(DAY)
        assert state.is_completed()
        own = client.read_flow_run(state.state_details.flow_run_id)
        assert own.labels[PROCESS] == f"{HOST}:{os.getpid()}"
        found = client.read_flow_run(dead)
        assert (found.state_type, found.state.message) == (
            "CRASHED", f"Its process {gone.pid} is gone.",
        )  # fmt: skip
        assert {client.read_flow_run(other).state_type for other in others} == {"RUNNING"}
        for other in others:
            client.delete_flow_run(UUID(str(other)))


def test_a_night_does_not_fail_for_its_history(monkeypatch, caplog):
    """A server that refuses is told of in the log."""

    def refuse(**_):
        raise OSError("no server")

    monkeypatch.setattr("qsquared.flows.running.prefect_runs.get_client", refuse)
    with caplog.at_level(logging.WARNING, "qsquared"):
        bury_dead_runs()
    assert "could not be marked in Prefect: no server" in caplog.text
