"""Tests that prefect.yaml names existing flows and parameters."""

import inspect
import os
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import yaml

from tests.conftest import ROOT

CONTENT = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))
DEPLOYMENTS = CONTENT["deployments"]


@pytest.fixture
def _in_the_checkout(monkeypatch):
    """Entrypoints are relative to the checkout."""
    monkeypatch.chdir(ROOT)


def test_there_are_deployments_and_each_has_a_name_of_its_own():
    """Nothing is registered over another."""
    names = [deployment["name"] for deployment in DEPLOYMENTS]
    assert names
    assert len(set(names)) == len(names)


@pytest.mark.usefixtures("_in_the_checkout")
@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: d["name"])
def test_each_entrypoint_loads_and_takes_its_parameters(deployment):
    """The flow is there, and knows every parameter that the deployment gives it."""
    from prefect.flows import load_flow_from_entrypoint

    flow = load_flow_from_entrypoint(deployment["entrypoint"])
    taken = inspect.signature(flow.fn).parameters
    given = deployment.get("parameters", {})
    assert set(given) <= set(taken)
    needed = {name for name, p in taken.items() if p.default is inspect.Parameter.empty}
    # Which dates to fill in is said when the backfill is started.
    assert needed - set(given) == ({"start", "end"} if deployment["name"] == "backfill" else set())


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: d["name"])
def test_each_schedule_fires(deployment):
    """Cron and time zone are such as Prefect accepts, and have a next time."""
    from prefect.client.schemas.schedules import CronSchedule

    schedules = deployment.get("schedules", [])
    for schedule in schedules:
        CronSchedule(cron=schedule["cron"], timezone=schedule["timezone"])
        ZoneInfo(schedule["timezone"])
        minute, hour, *_ = schedule["cron"].split()
        datetime(2026, 1, 1, int(hour), int(minute), tzinfo=UTC)
    assert schedules or "nightly" not in deployment["name"]


def test_the_flow_loads_from_the_installed_package():
    """A worker without a checkout can name the flow by its module."""
    from prefect.flows import load_flow_from_entrypoint

    from qsquared.flows.score import score

    flow = load_flow_from_entrypoint("qsquared.flows.score.score")
    assert flow.name == score.name == "score"
    assert set(inspect.signature(flow.fn).parameters) == set(inspect.signature(score.fn).parameters)


def test_the_night_comes_by_itself_and_no_dead_run_holds_it_up():
    """The nightly deployment has a schedule and yesterday as its date, and no slot of Prefect's.

    Prefect keeps the slot of a killed run for five minutes; the store's claims know that it is dead.
    """
    nightly = next(d for d in DEPLOYMENTS if d["name"] == "nightly-scoring")
    assert nightly["schedules"]
    assert "date" not in nightly["parameters"]
    assert "concurrency_limit" not in nightly


def test_a_wrong_entrypoint_would_be_noticed(monkeypatch):
    """The check above fails for a flow that is not there."""
    from prefect.exceptions import MissingFlowError
    from prefect.flows import load_flow_from_entrypoint

    monkeypatch.chdir(ROOT)
    assert os.path.exists("flows/score.py")  # noqa: PTH110
    with pytest.raises(MissingFlowError):
        load_flow_from_entrypoint("flows/score.py:no_such_flow")
