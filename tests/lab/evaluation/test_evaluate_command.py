"""``q2 evaluate`` from the data to the reports, with models that read words."""

import json

import pytest

from qsquared.method import bootstrap
from tests.calling import q2
from tests.faults.small_store import PROFILES, words_for_models
from tests.lab.evaluation.small_data import write_csv, write_jsonl, write_wow


@pytest.fixture
def words(monkeypatch):
    """The fakes stand for the models, and few resamples for many."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    with words_for_models():
        yield


def figures(path):
    """(table, part, metric) → row of a JSON report."""
    report = json.loads(path.read_text(encoding="utf-8"))
    return report, {
        (table["title"].partition(":")[0], row["part"], row["metric"]): row
        for table in report["tables"]
        for row in table["rows"]
    }


@pytest.mark.slow
def test_q2_wow_is_measured_and_reported_in_all_forms(tmp_path, words):
    """Ours beside the published, the floor, the support and where the models come from."""
    data, store = tmp_path / "data", tmp_path / "store"
    data.mkdir()
    write_wow(data)
    paths = [tmp_path / f"report.{form}" for form in ("md", "json")]
    outputs = [word for path in paths for word in ("--out", path)]
    command = ("evaluate", "q2-wow", "--data", data, "--store", store)
    done = q2(*command, *outputs)
    assert done.code == 0, done.err
    report, found = figures(paths[1])
    assert "substitutes" in report["warning"]
    row = found["Table 2", "dodeca consistent", "q2"]
    assert row["published"] == 0.696
    assert row["figure"]["support"] == 2
    consistent = found["Table 2", "memnet consistent", "overlap_f1"]["figure"]["value"]
    wrong = found["Table 2", "memnet inconsistent", "overlap_f1"]["figure"]["value"]
    assert consistent > wrong
    assert found["Table 3", "accuracy", "q2"]["published"] == 0.773
    random_sample = found["Table 2", "dodeca random", "q2"]
    assert (random_sample["figure"]["value"], random_sample["published"]) == (None, 0.496)
    by_the_code = found["Table 2", "memnet consistent", "overlap_f1, published rules"]
    assert by_the_code["published"] == 0.526
    area = next(t for t in report["tables"] if t["title"].startswith("Beside the paper"))
    pairs = {(one["first"], one["second"]) for one in area["comparisons"]}
    assert len(pairs) == 11 * 10 / 2
    assert ("q2", "bertscore") in pairs
    assert {name for _, name in report["facts"]} & {"compact"}
    text = paths[0].read_text(encoding="utf-8")
    assert text.splitlines()[2].startswith("The models of the profile `compact` are substitutes")
    assert f"q2 evaluate q2-wow --data {data}" in text
    assert "0.723 |" in text
    assert "the text at hand lacks" not in text
    assert "ROC-AUC, row minus column, and p of the paired bootstrap:" in text
    files = {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")}
    again = q2(*command)
    assert again.out == done.out
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")} == files


@pytest.mark.slow
def test_a_blank_reply_is_not_scored_and_the_tables_are_made(tmp_path, words):
    """Its questions count as none, and the support of the means says that it is missing."""
    write_wow(tmp_path)
    path = tmp_path / "dodeca_consistent.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + '7,0,Tea," ",Tea is hot.\n', encoding="utf-8")
    out = tmp_path / "report.json"
    done = q2("evaluate", "q2-wow", "--data", tmp_path, "--store", tmp_path / "store", "--out", out)
    assert done.code == 0, done.err
    _, found = figures(out)
    assert found["Table 2", "dodeca consistent", "q2"]["figure"]["support"] == 2
    assert found["Table 2", "dodeca consistent", "questions"]["figure"]["support"] == 3


@pytest.mark.slow
def test_the_other_protocols_run_on_small_files(tmp_path, words):
    """Each gives its table; a metric that knows the words finds the order."""
    write_wow(tmp_path)
    row = {"episode_idx": "0", "round": "0", "topic": "Tea", "knowledge": "Tea is from China.",
           "dodeca_response": "Tea is from China.", "memnet_response": "Tea is from Peru.",
           "dodeca_label": "0", "memnet_label": "1"}  # fmt: skip
    write_csv(tmp_path / "cross_annotation.csv", [row])
    usr = [
        {"source": f"c{i // 3}", "context": "Tea is from China.", "system_id": f"s{i}",
         "system_output": said, "scores": {"groundedness": label}}
        for i, (said, label) in enumerate([("Tea is from China.", 1.0), ("Hi!", 0.0)] * 3)
    ]  # fmt: skip
    (tmp_path / "topical_chat.json").write_text(json.dumps(usr), encoding="utf-8")
    said = [("Bob has a dog", "positive"), ("Ann has a cat", "neutral"), ("no", "negative")]
    nli = [{"sentence1": one, "sentence2": "Bob has a dog", "label": label} for one, label in said]
    for split in ("dev", "test"):
        write_jsonl(tmp_path / f"dialogue_nli_{split}.jsonl", nli)
    for name in ("cnndm", "xsum"):
        rows = [
            {"article": "the painter Bob was here", "summary_sentences": [
                {"sentence": sentence, "responses": [{"worker_id": 0, "response": vote}]}]}
            for sentence, vote in (("the painter Bob was here", "yes"),
                                   ("the painter Ann was here", "no"),
                                   ("the painter Bob", "yes"))
        ]  # fmt: skip
        write_jsonl(tmp_path / f"mturk_{name}.jsonl", rows)
    triplets = [{"article_sent": "Bob was here.", "correct_sent": "Bob was here.",
                 "incorrect_sent": "Ann was there."}] * 2  # fmt: skip
    (tmp_path / "pairs.json").write_text(json.dumps(triplets), encoding="utf-8")
    expected = {
        "q2-system-level": (tmp_path, ("Table 4", "all systems", "overlap_f1"), 1.0),
        "q2-random-knowledge": (tmp_path, ("Table 10", "own, consistent", "overlap_f1"), None),
        "topical-chat": (tmp_path, ("Table 5", "Spearman", "overlap_f1"), 1.0),
        "dnli": (tmp_path, ("Table 6", "accuracy", "overlap_f1"), 1.0),
        "qags-cnndm": (tmp_path, ("Agreement with people", "Pearson", "qags"), 1.0),
        "qags-xsum": (tmp_path, ("Agreement with people", "Spearman", "overlap_f1"), None),
        "ranking": (
            tmp_path / "pairs.json",
            ("Ranking of claims", "correct above incorrect", "overlap_f1"),
            1.0,
        ),
    }  # fmt: skip
    for name, (data, key, value) in expected.items():
        out = tmp_path / f"{name}.json"
        command = ("evaluate", name, "--data", data, "--store", tmp_path / "store", "--out", out)
        done = q2(*command)
        assert done.code == 0, (name, done.err)
        figure = figures(out)[1][key]["figure"]
        assert figure["value"] is not None, name
        if value is not None:
            assert figure["value"] == pytest.approx(value), name


def test_a_metric_that_cannot_be_measured_is_reported(tmp_path):
    """An unknown protocol, and data that is not there."""
    unknown = q2("evaluate", "q3", "--data", tmp_path, "--store", tmp_path / "s")
    assert unknown.code == 2
    assert "There is no protocol 'q3'" in unknown.err
    assert "q2-wow" in unknown.err
    missing = q2("evaluate", "q2-wow", "--data", tmp_path / "none", "--store", tmp_path / "s")
    assert missing.code == 2
    empty = q2("evaluate", "q2-wow", "--data", tmp_path, "--store", tmp_path / "s")
    assert empty.code == 1
    assert "github.com/orhonovich/q-squared" in empty.err


@pytest.mark.slow
def test_tables_list_further_profiles_and_leave_out_what_the_first_cannot_give(tmp_path, words):
    """A profile without an encoder has no BERTScore; another profile's Q² has a row of its own."""
    write_wow(tmp_path)
    profiles, out = tmp_path / "mine.toml", tmp_path / "report.json"
    profiles.write_text(PROFILES, encoding="utf-8")
    command = ("evaluate", "q2-wow", "--data", tmp_path, "--store", tmp_path / "store")
    more = ("--profile", "small", "--profiles", profiles, "--also-profile", "compact-int8")
    done = q2(*command, *more, "--out", out)
    assert done.code == 0, done.err
    report, found = figures(out)
    assert "--also-profile compact-int8" in report["command"]
    assert any("no model for bertscore, bertscore_precision" in note for note in report["notes"])
    ours = [row["figure"]["value"] for key, row in found.items() if key[2] == "bertscore"]
    assert set(ours) == {None}
    for profile in ("small", "compact-int8"):
        assert found["Table 8", f"{profile}, memnet consistent", "q2"]["figure"]["support"] == 2


def test_qags_is_measured_for_each_number_of_questions(tmp_path, words):
    """By token F1 and by equal answers; the report says with what an XSUM article begins."""
    rows = [
        {"article": "the painter Bob was here", "summary_sentences": [
            {"sentence": sentence, "responses": [{"worker_id": 0, "response": vote}]}]}
        for sentence, vote in (("Bob was here", "yes"), ("Ann was here", "no"), ("Bob", "yes"))
    ]  # fmt: skip
    write_jsonl(tmp_path / "mturk_xsum.jsonl", rows)
    out = tmp_path / "report.json"
    command = ("evaluate", "qags-xsum", "--data", tmp_path, "--store", tmp_path / "s", "--out")
    assert q2(*command, out).code == 0
    report, found = figures(out)
    assert any("begin with the reference summary" in note for note in report["notes"])
    for number in (5, 10, 20, 50):
        assert ("Number of questions", f"{number} questions", "qags_exact_match") in found


def test_an_option_that_a_protocol_cannot_follow_is_refused(tmp_path):
    """The sentence names the protocol, the hint what to do."""
    command = ("evaluate", "topical-chat", "--data", tmp_path, "--store", tmp_path / "s")
    done = q2(*command, "--also-profile", "paper")
    assert done.code == 2
    assert "topical-chat" in done.err
    assert "Leave --also-profile out" in done.err
