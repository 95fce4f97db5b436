"""Tests that a model's failure on a pair costs that pair only, which can be retried."""

import json
import math

import pyarrow.parquet as pq
import pytest

from qsquared.storage.keys import pair_id
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.metrics import Q2
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.failing_models import BREAKS, MARK, FailingModels, run, write_log

ROLES = sorted({role for role, _ in BREAKS})


def tables(store):
    """The bytes of every table of pairs and stages, by name."""
    return {
        str(path.relative_to(store)): path.read_bytes()
        for folder in ("pairs", "stages")
        for path in sorted((store / folder).rglob("*.parquet"))
    }


def rows(store, stage):
    """All rows of a stage."""
    return [
        row
        for path in sorted((store / "stages" / stage).rglob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def run_stages(models, log):
    """All tables of the metric over one shard, in memory."""
    turns = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    texts = [(turn["response"], turn["knowledge"]) for turn in turns]
    made = {"pairs": [{"pair_id": pair_id(r, k), "response": r, "knowledge": k} for r, k in texts]}
    for stage in Q2.stages:
        made[stage.name] = stage.run(made, models, Q2.defaults)
    return made


@pytest.mark.parametrize(
    ("role", "how", "short"),
    [*((role, how, False) for role, how in BREAKS), *((role, "raises", True) for role in ROLES)],
    ids=[*(f"{role}: {how}" for role, how in BREAKS), *(f"{role}: too few" for role in ROLES)],
)
def test_a_failure_costs_its_pair_and_names_model_and_stage(tmp_path, role, how, short):
    """The pair is an error with a reason, every other pair has the score of a sound run."""
    log = write_log(tmp_path)
    sound = run_stages(FailingModels(), log)
    broken = FailingModels(spoil={role: BREAKS[role, how]}, short=short)
    found = run_stages(broken, log)
    bad = {pair["pair_id"] for pair in sound["pairs"] if MARK in pair["response"]}
    failed = {row["pair_id"]: row for row in found["scores"] if row["status"] == "error"}
    assert failed
    assert failed.keys() <= bad
    for name, expected in sound.items():
        assert [row for row in found[name] if row["pair_id"] not in bad] == [
            row for row in expected if row["pair_id"] not in bad
        ]
    for row in failed.values():
        stage, _, reason = row["reason"].partition(": ")
        assert role in graph(["q2"]).stage(stage).roles
        assert f"words-{role} failed: " in reason
        assert (row["q2"], row["q2_without_nli"]) == (None, None)
    numbers = [row[name] for row in found["scores"] for name in ("q2", "q2_without_nli")]
    assert all(value is None or (math.isfinite(value) and 0 <= value <= 1) for value in numbers)


@pytest.fixture
def models(monkeypatch):
    """The models of every profile, to be broken and mended."""
    made = FailingModels()

    def build(profile, _device):
        made.profile = profile
        return made

    monkeypatch.setattr(workbench, "build_models", build)
    yield made
    workbench.open_job.cache_clear()


@pytest.fixture
def log(tmp_path):
    """A small log with two replies that have the bad word."""
    return write_log(tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The tables of a run in which no model failed."""
    folder = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            workbench, "build_models", lambda profile, _device: FailingModels(profile=profile)
        )
        run(folder / "s", write_log(folder))
    workbench.open_job.cache_clear()
    return tables(folder / "s")


def asked(models):
    """All requests, as text."""
    return [request for requests in models.asked.values() for request in requests]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("role", ROLES)
def test_only_failed_pairs_are_tried_again(tmp_path, log, models, sound, role):
    """After a repair no model is asked about a sound pair, and all tables equal a sound run's."""
    models.spoil[role] = BREAKS[role, "raises"]
    summary = run(tmp_path / "s", log)
    failed = summary["statuses"]["error"]
    assert 0 < failed < summary["turns"]
    models.spoil.clear()
    models.asked.clear()
    assert run(tmp_path / "s", log)["statuses"]["error"] == failed
    assert asked(models) == []
    assert "error" not in run(tmp_path / "s", log, retry=True)["statuses"]
    assert asked(models)
    assert all(MARK in request for request in asked(models))
    assert tables(tmp_path / "s") == sound
    assert list((tmp_path / "s" / "retry").iterdir()) == []


def test_a_retry_that_fails_again_keeps_the_error(tmp_path, log, models):
    """The reason is that of the last try."""
    models.spoil["question_answering"] = BREAKS["question_answering", "raises"]
    run(tmp_path / "s", log)
    models.spoil["question_answering"] = BREAKS["question_answering", "a score of NaN"]
    run(tmp_path / "s", log, retry=True)
    reasons = [row["reason"] for row in rows(tmp_path / "s", "scores") if row["status"] == "error"]
    assert reasons
    assert all("a score is nan" in reason for reason in reasons)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("stop_after", "again"), [(1, False), (2, True), (3, False), (5, True)])
def test_a_retry_that_was_killed_goes_on(tmp_path, log, models, sound, stop_after, again):
    """Wherever it stopped, the next run asks about failed pairs only and ends as a sound run."""
    models.spoil["parser"] = BREAKS["parser", "raises"]
    run(tmp_path / "s", log)
    models.spoil.clear()
    assert run(tmp_path / "s", log, retry=True, stop_after=stop_after) is None
    models.asked.clear()
    run(tmp_path / "s", log, retry=again)
    assert all(MARK in request for request in asked(models))
    assert tables(tmp_path / "s") == sound


def test_a_damaged_table_that_was_set_aside_costs_calls_and_no_row(tmp_path, log, models, sound):
    """It is checked like any table, and where it is broken the stage runs whole."""
    models.spoil["parser"] = BREAKS["parser", "raises"]
    run(tmp_path / "s", log)
    models.spoil.clear()
    run(tmp_path / "s", log, retry=True, stop_after=1)
    for path in (tmp_path / "s" / "retry").iterdir():
        path.write_bytes(path.read_bytes()[:-9] + b"123456789")
    models.asked.clear()
    run(tmp_path / "s", log)
    assert any(MARK not in request for request in asked(models))
    assert tables(tmp_path / "s") == sound
