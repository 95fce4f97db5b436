"""Tests of nights and backfills by several metrics, and of their rescoring."""

import pytest

from qsquared.flows.nightly import backfill
from qsquared.flows.rescore import rescore
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.stubbed import WordModels
from tests.flows.nights import RIGHT, WRONG, put_log, records, run


@pytest.mark.slow
def test_a_new_configuration_rescores_the_dates_without_their_logs(place, monkeypatch):
    """The records tell the new configuration; logs that are gone are not needed."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT, WRONG])
    run("2026-11-16")
    before = records(place)["2026-11-16"]
    (place / "logs" / "2026-11-16" / "a.jsonl").unlink()
    assert rescore()["dates"] == {"2026-11-16": False}
    # Other parameters are another profile to SQL, beside the nights' own.
    assert rescore(parameters='{"fallback_premise": "response"}') == {
        "turns": 2,
        "unread": 0,
        "dates": {},
    }
    monkeypatch.setattr(
        WordModels, "identities", lambda _self, roles: dict.fromkeys(roles, "new words")
    )
    workbench.open_job.cache_clear()
    assert rescore()["dates"] == {"2026-11-16": True}
    after = records(place)["2026-11-16"]
    assert after.configuration != before.configuration
    assert (after.turns, after.files) == (2, before.files)
    assert f"instead of {before.configuration[:8]}" in after.notes[-1]


@pytest.mark.slow
def test_a_night_scores_by_several_metrics_and_is_rescored_by_them(place):
    """The date's record names them all, in whatever order they are asked for later."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT, WRONG])
    assert run("2026-11-16", metrics=["q2", "overlap"]).is_completed()
    assert records(place)["2026-11-16"].metric == "q2, overlap"
    assert {path.name for path in (place / "q2-store" / "stages").iterdir()} >= {
        "scores",
        "overlap",
    }
    assert rescore(metrics=["overlap", "q2"])["dates"] == {"2026-11-16": False}


def test_a_backfill_scores_by_several_metrics(place):
    """The parameter is that of the nightly flow."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])
    template = ["logs/{date}/*.jsonl"]
    backfill(template, "2026-11-16", "2026-11-16", metrics=["q2", "overlap"])
    assert records(place)["2026-11-16"].metric == "q2, overlap"


def test_a_deployment_that_names_one_metric_goes_on(place):
    """Deployments made before several metrics could be given have a parameter `metric`."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])
    assert run("2026-11-16", metrics=("overlap",)).is_completed()
    assert records(place)["2026-11-16"].metric == "overlap"
