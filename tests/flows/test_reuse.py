"""Tests of reuse: finished stages are never run again."""

import dataclasses
import functools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from qsquared.flows import local
from qsquared.flows.local import run_here
from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.score import score
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import Job, ScoreOptions
from qsquared.tasks.metrics import METRICS, Q2
from qsquared.tasks.running import stage_runner as workbench
from tests.conftest import write_turns
from tests.faults.stubbed import WordModels

STAGES = [stage.name for stage in Q2.stages]


class ProfileModels(WordModels):
    """Models that read words, known by the checkpoints of their profile."""

    def identities(self, roles):
        """Return the profile's own settings of each role."""
        return {role: repr(self.profile.roles[role]) for role in roles}


@pytest.fixture(scope="module", autouse=True)
def _word_models():
    """Reuse has no regard to models, so these cost nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            workbench, "build_models", lambda profile, _device: ProfileModels(profile=profile)
        )
        yield
    workbench.open_job.cache_clear()


def score_into(store, profiles, *logs, profile="small-shards", **options):
    """Score logs into a store as a new process would; return the summary."""
    workbench.open_job.cache_clear()
    return score(
        [str(log) for log in logs],
        store=str(store),
        profile=profile,
        profiles=str(profiles),
        **options,
    )


@pytest.fixture
def run(tmp_path, profiles):
    """A function that scores logs into one store and gives the summary."""
    return functools.partial(score_into, tmp_path / "store", profiles)


@pytest.fixture(scope="module")
def scored_once(tmp_path_factory, profiles):
    """A store with a log of eight turns, to be copied."""
    folder = tmp_path_factory.mktemp("once")
    log = write_turns(folder / "log.jsonl", 8)
    score_into(folder / "store", profiles, log)
    return folder


@pytest.fixture
def one_shard(scored_once, tmp_path):
    """A log of eight turns that was scored into the store of `run`."""
    shutil.copytree(scored_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "log.jsonl"


def contents(store):
    """Every pair and stage file of a store with its bytes."""
    return {
        str(path.relative_to(store)): path.read_bytes()
        for folder in ("pairs", "stages")
        for path in sorted((Path(store) / folder).rglob("*.parquet"))
    }


def executed(store):
    """Stage names in the store with their number of files, over all lineages."""
    return {stage: len(list((store / "stages" / stage).rglob("*.parquet"))) for stage in STAGES}


def test_a_second_run_reuses_everything(run, write_log, tmp_path):
    """The same command again runs no stage, changes no file and gives the same scores."""
    log = write_log("log.jsonl", 20)
    first = run(log)
    before = contents(tmp_path / "store")
    second = run(log)
    assert first["stages_run"] == 3 * len(STAGES)
    assert (second["stages_run"], second["reused_turns"], second["shards"]) == (0, 20, 3)
    assert second["mean_q2"] == first["mean_q2"]
    assert contents(tmp_path / "store") == before


def test_a_run_that_reuses_everything_needs_no_prefect(
    run, write_log, tmp_path, profiles, monkeypatch
):
    """With nothing left to do the summary comes straight from the store."""
    log = write_log("log.jsonl", 9)
    first = run(log)
    workbench.open_job.cache_clear()
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setattr(local, "embedded_prefect", None)
    again = run_here(options_of(log, tmp_path / "store", profiles))
    assert (again["stages_run"], again["mean_q2"]) == (0, first["mean_q2"])


def options_of(log, store, profiles):
    """The options of a run on small shards."""
    return ScoreOptions(
        logs=[str(log)], store=str(store), profile="small-shards", profiles=str(profiles)
    )


def test_a_claim_that_outlived_the_end_of_its_shard_goes_with_the_next_run(
    run, write_log, tmp_path, profiles
):
    """A run killed between the last stage of a shard and its claim leaves the claim behind."""
    log, store = write_log("log.jsonl", 9), tmp_path / "store"
    run(log)
    shard = next(store.glob("stages/scores/*/*.parquet")).stem
    dying = (
        "import os; from pathlib import Path; from qsquared.storage.files.shard_claims import Claim;"
        f"Claim(Path({str(store)!r}), {shard!r}).take(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", dying], check=True)
    assert [path.stem for path in store.glob("locks/*")] == [shard]
    workbench.open_job.cache_clear()
    options = options_of(log, store, profiles)
    assert score_logs(options, Steps(options))["stages_run"] == 0
    assert list(store.glob("locks/*")) == []


@pytest.mark.slow
def test_a_new_nli_model_reruns_what_it_judges_and_the_scores_only(run, write_log, tmp_path):
    """The stages before the comparison serve both models."""
    log = write_log("log.jsonl", 16)
    run(log)
    summary = run(log, profile="other-nli")
    assert summary["stages_run"] == 2 * 4
    assert executed(tmp_path / "store") == {
        "sentences": 2, "spans": 2, "questions": 2, "roundtrip": 2, "answers": 2,
        "sentence_entailment": 4, "comparisons": 4, "sentence_scores": 4, "scores": 4,
    }  # fmt: skip


def test_a_changed_rule_of_sentences_reruns_from_them_on(run, one_shard, monkeypatch):
    """A raised version of the first stage makes every stage run again."""
    first, *rest = Q2.stages
    changed = dataclasses.replace(Q2, stages=(dataclasses.replace(first, version=99), *rest))
    monkeypatch.setitem(METRICS, "q2", changed)
    assert run(one_shard)["stages_run"] == len(STAGES)


@pytest.mark.slow
def test_a_log_that_overlaps_by_nine_tenths_scores_the_new_tenth(run, write_log):
    """Pairs that the store knows go into no new shard."""
    run(write_log("monday.jsonl", 40))
    summary = run(write_log("tuesday.jsonl", 40, start=4))
    assert summary["turns"] == 40
    assert summary["reused_turns"] == 36
    assert summary["stages_run"] == len(STAGES)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("stage", STAGES)
def test_a_deleted_stage_file_is_made_again(run, one_shard, tmp_path, stage):
    """Only the missing stage runs, and the file is the same as before."""
    before = contents(tmp_path / "store")
    (path,) = (tmp_path / "store" / "stages" / stage).rglob("*.parquet")
    path.unlink()
    assert run(one_shard)["stages_run"] == 1
    assert contents(tmp_path / "store") == before


@pytest.mark.parametrize("stage", ["spans", "answers", "scores"])
def test_a_damaged_stage_file_is_put_aside_and_made_again(run, one_shard, tmp_path, stage):
    """One flipped bit is noticed, although Prefect remembers the stage as done."""
    before = contents(tmp_path / "store")
    (path,) = (tmp_path / "store" / "stages" / stage).rglob("*.parquet")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 3] ^= 4
    path.write_bytes(damaged)
    summary = run(one_shard)
    assert len(summary["damaged"]) == 1
    assert f"stages__{stage}__" in summary["damaged"][0]
    assert summary["stages_run"] == 1
    assert contents(tmp_path / "store") == before
    assert len(list((tmp_path / "store" / "quarantine").iterdir())) == 1


@pytest.mark.usefixtures("one_shard")
def test_prefects_cache_holds_receipts_not_tables(tmp_path, profiles):
    """Prefect stores small JSON for a stage, which names the Parquet file."""
    import prefect.settings

    job = Job(str(tmp_path / "store"), "small-shards", str(profiles))
    bench = workbench.open_job(job)
    (shard,) = (path.stem for path in (tmp_path / "store" / "pairs").glob("*.parquet"))
    cache = Path(prefect.settings.PREFECT_LOCAL_STORAGE_PATH.value())
    for stage in STAGES:
        record = json.loads((cache / bench.configuration.key(stage, shard)).read_text())
        receipt = json.loads(record["result"])
        assert record["metadata"]["serializer"]["type"] == "json"
        assert (tmp_path / "store" / receipt["path"]) == bench.paths.path(stage, shard)


@pytest.mark.slow
def test_a_limit_scores_the_first_turns_and_the_whole_log_later(run, write_log, tmp_path):
    """A limited run is continued by an unlimited one without scoring anything twice."""
    log = write_log("log.jsonl", 30)
    assert run(log, limit=10)["turns"] == 10
    whole = run(log)
    assert (whole["turns"], whole["reused_turns"]) == (30, 10)
    assert run(log, limit=5)["turns"] == 5
    shards = Store.open(tmp_path / "store").root / "pairs"
    pairs = [
        pair
        for path in shards.glob("*.parquet")
        for pair in pq.read_table(path)["pair_id"].to_pylist()
    ]
    assert len(pairs) == len(set(pairs)) == 30
