"""Tests of runs whose metrics read pairs and situations."""

import csv
import json

import pytest

from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.running.progress import Observer, observed_by
from qsquared.flows.score import score
from qsquared.storage.outputs.results import export
from qsquared.storage.outputs.selected_turns import Selection
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from qsquared.tasks.jobs.options import Job, ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from qsquared.tasks.running.stage_runner import open_job
from tests.faults.stubbed import WordModels

BOTH = ("overlap", "begin")
BAD = "CLASSIFIER FAILS"


@pytest.fixture
def models(monkeypatch):
    """Models that read words, in the place of every profile's."""
    made = WordModels()

    def build(profile, _device="cpu"):
        made.profile = profile
        return made

    monkeypatch.setattr(workbench, "build_models", build)
    workbench.open_job.cache_clear()
    yield made
    workbench.open_job.cache_clear()


@pytest.fixture
def log(tmp_path):
    """Five turns: two pairs, of which one follows two different turns, and one without knowledge."""
    path = tmp_path / "log.jsonl"
    same = {"response": "It is tall.", "knowledge": ["The tower is tall."]}
    turns = [
        {**same, "history": ["Is it tall?"]},
        {**same, "history": ["What of the tower?"]},
        {**same, "history": ["Hello", "Is it tall?"]},
        {"response": f"hm {BAD}.", "knowledge": ["k"], "history": ["Well?"]},
        {"response": "hm", "knowledge": [], "history": ["Well?"]},
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return path


@pytest.fixture
def run(tmp_path, log, models):
    """A function that scores the log into one store."""

    def run_flow(metrics=BOTH, **options):
        workbench.open_job.cache_clear()
        return score([str(log)], store=str(tmp_path / "store"), metrics=metrics, **options)

    return run_flow


class Counter(Observer):
    """Observer that adds up the turns that a run reports."""

    def __init__(self):
        self.told = self.done = self.pairs = 0

    def planned(self, turns, reused, pairs):
        """Keep them."""
        self.told, self.done, self.pairs = turns, reused, pairs

    def scored(self, turns):
        """Add them."""
        self.done += turns


@pytest.mark.slow
def test_a_run_of_both_kinds_scores_each_turn_by_both(run, tmp_path):
    """Pairs once, situations once for each previous turn; a second run finds all done."""
    counter = Counter()
    with observed_by(counter):
        summary = run()
    assert (summary["turns"], summary["shards"], summary["stages_run"]) == (5, 2, 2)
    assert (counter.told, counter.done) == (4, 4)
    # Two pairs in three situations; no pair counts for each of the metrics.
    assert counter.pairs == 3
    store = Store.open(tmp_path / "store")
    with connect(store) as connection:
        ask = connection.execute
        assert ask("SELECT count(*) FROM overlap").fetchall() == [(2,)]
        assert ask("SELECT count(*) FROM begin").fetchall() == [(3,)]
        found = ask(
            "SELECT t.position, b.label, o.overlap_f1 IS NOT NULL FROM turns t "
            "LEFT JOIN begin b USING (situation_id) LEFT JOIN overlap o ON o.pair_id = t.pair_id "
            "ORDER BY t.position"
        ).fetchall()
    entailed = [(i, "entailment", True) for i in range(3)]
    assert found == [*entailed, (3, None, True), (4, None, False)]
    assert verify(store).sound
    again = run()
    assert (again["stages_run"], again["reused_turns"]) == (0, 4)
    workbench.open_job.cache_clear()
    options = ScoreOptions(logs=again["logs"], store=str(store.root), metrics=BOTH)
    assert score_logs(options, Steps(options))["stages_run"] == 0


def test_metrics_of_pairs_make_no_situations_and_are_reused_beside_them(run, tmp_path):
    """Pairs that were scored before are not scored again when a metric of situations joins."""
    assert run(("overlap",))["shards"] == 1
    assert not (tmp_path / "store" / "situations").exists()
    assert run()["stages_run"] == 1


def test_only_the_failed_situation_is_tried_again(run, models, tmp_path):
    """Its shard of pairs is left alone, and so are the sound situations."""
    summary = run()
    assert summary["measures"]["begin_entailment"]["turns"] == 3
    asked = []
    classify = models.reply_classification.classify

    class Mended:
        def classify(self, requests):
            asked.extend(requests)
            return classify([type(r)(r.knowledge, r.previous, "hm") for r in requests])

    models.reply_classification = Mended()
    again = run(retry_errors=True)
    assert again["stages_run"] == 1
    assert {request.response for request in asked} == {f"hm {BAD}."}
    assert again["measures"]["begin_entailment"]["turns"] == 4
    assert verify(Store.open(tmp_path / "store")).sound


@pytest.mark.slow
def test_a_lost_shard_of_situations_is_reported_and_made_again(run, tmp_path):
    """As one of pairs is."""
    run()
    store = Store.open(tmp_path / "store")
    (path,) = (store.root / "situations").glob("*.parquet")
    before = path.read_bytes()
    path.unlink()
    report = verify(store)
    assert not report.sound
    assert any("3 distinct situations" in found.problem for found in report.findings)
    assert run()["stages_run"] == 0
    assert path.read_bytes() == before
    assert verify(store).sound


def test_the_export_has_the_values_of_both_kinds(run, tmp_path):
    """One row for each turn, each with the values of its own situation."""
    summary = run()
    bench = open_job(Job(str(tmp_path / "store"), metrics=BOTH))
    selection = Selection(tuple(summary["selection"]["inputs"]))
    out = tmp_path / "scores.csv"
    export(bench.store, selection, bench.paths.measured(summary["shard_keys"]), out)
    with out.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["begin_entailment"] for row in rows] == ["0.7"] * 3 + ["", ""]
    assert [row["overlap_f1"] != "" for row in rows] == [True] * 4 + [False]
