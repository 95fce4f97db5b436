"""Tests of ``q2 score``: its options, output and tables."""

import csv
import json
import re
import shlex

import polars as pl
import pytest

from tests.calling import files_of, q2
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "logs"


def counts(text):
    """The counts of the summary by what they count."""
    return {
        what: int(number.replace(",", ""))
        for number, what in re.findall(r"([\d,]+)  ((?:not )?scored[^(\n]*?) \(", text)
    }


def test_the_summary_counts_every_turn_by_what_became_of_it(scored):
    """Scored, fallback and unscored turns add up to the turns, and rejects stand beside them."""
    said = scored.outcome.out
    found = counts(said)
    assert re.search(r"^turns +163 \(152 distinct pairs\)", said, re.MULTILINE)
    assert sum(found.values()) == 163
    assert found["not scored: empty response"] == 3
    assert found["not scored: no knowledge"] == 3
    assert found["scored by questions"] > 0
    assert re.search(r"^rejects +5 ", said, re.MULTILINE)


def test_the_summary_gives_the_mean_with_its_interval_and_coverage(scored):
    """The mean is that of the written rows, inside its interval, over the scored turns."""
    found = re.search(
        r"mean Q² +([\d.]+)  \(95 % interval ([\d.]+) to ([\d.]+)\), without NLI ([\d.]+), "
        r"over (\d+) of 163 turns",
        scored.outcome.out,
    )
    mean, low, high, without, number = map(float, found.groups())
    rows = [row for row in csv.DictReader(scored.table.open()) if row["q2"]]
    assert number == len(rows) == 143
    assert mean == pytest.approx(sum(float(row["q2"]) for row in rows) / 143, abs=6e-4)
    assert without == pytest.approx(sum(float(r["q2_without_nli"]) for r in rows) / 143, abs=6e-4)
    assert 0 <= low < mean < high <= 1


def test_the_summary_says_what_was_reused_how_long_it_took_and_where_the_results_lie(scored):
    """A first run reuses nothing; store, configuration and the written file are named."""
    said = scored.outcome.out
    assert "0 turns in 0 of 1 shard; 9 stages run" in said
    assert re.search(r"took +\d+\.\d s", said)
    assert re.search(r"profile +compact, configuration [0-9a-f]{8}", said)
    assert f"{scored.store}" in said
    assert f"{scored.table} (163 rows)" in said


def test_the_summary_names_the_lowest_replies_and_how_to_ask_why(scored):
    """The command that it gives explains the first of them."""
    command = re.search(r"Why\?  q2 (explain \S+ --store \S+)", scored.outcome.out).group(1)
    explained = q2(*command.split())
    assert explained.code == 0
    assert explained.out.startswith(command.split()[1])


def test_the_summarys_query_runs_as_it_stands(scored):
    """It names the store, so it can be typed in any folder."""
    command = re.search(
        r"^Rejects\?  q2 (sql \".*?\" --store \S+)$", scored.outcome.out, re.MULTILINE
    ).group(1)
    asked = q2(*shlex.split(command), "--csv")
    assert asked.code == 0
    assert len(asked.out.splitlines()) == 6


def test_without_a_terminal_the_progress_is_lines(scored):
    """Each log, what was read of it, and how far the scoring is stand on lines of their own."""
    lines = scored.outcome.out.splitlines()
    assert all(f"reading {path}" in lines for path in EXAMPLES.iterdir())
    assert "  50 turns, 2 rejects" in lines
    assert "scoring 157 turns, 0 of them reused" in lines
    assert any(re.fullmatch(r"  157 of 157 turns, [\d.]+ turns/s, 0 s left", x) for x in lines)
    assert "\x1b" not in scored.outcome.out
    assert scored.outcome.err == ""


def test_a_second_run_reuses_all_and_changes_no_table(scored):
    """The same command again runs no stage and prints the same scores."""
    tables = {k: v for k, v in files_of(scored.store).items() if k.endswith(".parquet")}
    again = q2("score", EXAMPLES, "--store", scored.store)
    assert again.code == 0
    assert "157 turns in 1 of 1 shard; 0 stages run" in again.out
    assert "scoring 157 turns, 157 of them reused" in again.out
    assert counts(again.out) == counts(scored.outcome.out)
    after = {k: v for k, v in files_of(scored.store).items() if k.endswith(".parquet")}
    assert after == tables


def test_a_limit_counts_turns_over_all_logs(awkward):
    """Only the first turns are summed up and written."""
    out = awkward.table.with_name("limited.csv")
    done = q2("score", awkward.logs, "--store", awkward.store, "--limit", 7, "--out", out)
    rows = list(csv.DictReader(out.open()))
    assert done.code == 0
    assert re.search(r"^turns +7 ", done.out, re.MULTILINE)
    assert [row["id"] for row in rows] == ["a1", "a7", "a8", "a9", "a1", "a1", "b1"]


def test_a_copy_of_a_log_fills_no_limit(awkward, tmp_path):
    """The log after it is read for the turns that are still wanted."""
    logs = [awkward.logs / name for name in ("b.csv", "e.csv", "a.jsonl")]
    done = q2("score", *logs, "--limit", 5, "--dry-run", "--store", tmp_path / "none")
    assert done.code == 0
    assert "2 distinct pairs, 2 of them not scored yet" in done.out


def test_a_dry_run_writes_nothing_and_says_what_would_be_scored(tmp_path, awkward):
    """Neither a new store nor an existing one is touched."""
    done = q2("score", awkward.logs, "--dry-run", "--store", tmp_path / "none")
    assert done.code == 0
    assert "a.jsonl  jsonl       6        6" in done.out
    assert "3 distinct pairs, 3 of them not scored yet. Nothing was written." in done.out
    assert list(tmp_path.iterdir()) == []
    before = files_of(awkward.store)
    known = q2("score", awkward.logs, "--dry-run", "--store", awkward.store)
    assert "3 distinct pairs, 0 of them not scored yet" in known.out
    assert files_of(awkward.store) == before


# The turns of the awkward logs in their order: a.jsonl, b.csv, then d.csv with the rows of b.csv; its
# copy e.csv gives none.
EXPECTED = [
    ("a1", True), ("a7", "empty_response"), ("a8", "no_knowledge"), ("a9", "no_knowledge"),
    ("a1", True), ("a1", True),
    *[("b1", True), ("b3", "empty_response"), ("b4", "no_knowledge")] * 2,
]  # fmt: skip


@pytest.mark.parametrize("extension", [".parquet", ".csv", ".jsonl", ".CSV"])
def test_out_has_a_row_for_each_turn_in_order(awkward, extension):
    """Several files, doubled ids, doubled turns and unscored turns: nothing is lost or moved."""
    out = awkward.table.with_name(f"rows{extension}")
    assert q2("score", awkward.logs, "--store", awkward.store, "--out", out).code == 0
    read = {".parquet": pl.read_parquet, ".csv": pl.read_csv, ".jsonl": pl.read_ndjson}
    table = read[extension.lower()](out)
    rows = table.to_dicts()
    assert {"id", "q2", "q2_without_nli", "status", "reason", "questions"} <= set(table.columns)
    assert [row["id"] for row in rows] == [name for name, _ in EXPECTED]
    for row, (_, status) in zip(rows, EXPECTED, strict=True):
        if status is True:
            assert row["status"] in {"scored", "fallback_nli"}
            assert 0 <= row["q2"] <= 1
            assert 0 <= row["q2_without_nli"] <= 1
            assert (row["questions"] > 0) == (row["status"] == "scored")
        else:
            assert (row["status"], row["q2"], row["questions"]) == (status, None, 0)
            assert row["reason"].endswith(".")


def test_equal_turns_have_equal_scores(awkward):
    """The same reply to the same knowledge is scored once and written each time."""
    rows = [row for row in pl.read_parquet(awkward.table).to_dicts() if row["pair_id"]]
    scores = {}
    for row in rows:
        scores.setdefault(row["pair_id"], set()).add(row["q2"])
    assert len(rows) == 5
    assert sorted(len(found) for found in scores.values()) == [1, 1, 1]


def test_out_replaces_a_table_whole(awkward):
    """An older file of that name gives way, and nothing half-written stays beside it."""
    out = awkward.table.with_name("again") / "scores.csv"
    out.parent.mkdir()
    out.write_text("old\n" * 1000)
    assert q2("score", awkward.logs, "--store", awkward.store, "--out", out).code == 0
    assert len(list(csv.DictReader(out.open()))) == len(EXPECTED)
    assert [path.name for path in out.parent.iterdir()] == ["scores.csv"]


def test_the_run_is_recorded_with_all_that_decided_its_scores(scored):
    """The store keeps models, parameters, logs and the result of the run."""
    (path, *_) = sorted((scored.store / "runs").glob("*.json"))
    run = json.loads(path.read_text())
    assert (run["status"], run["turns"], run["rejects"]) == ("completed", 163, 5)
    assert set(run["models"]) == {
        "parser", "question_generation", "question_answering", "entailment",
    }  # fmt: skip
    assert run["parameters"] == {
        "variant": "single", "leave_out_personal": True, "fallback_premise": "knowledge",
        "nli_by": "sentences", "response_characters": 150, "questions_per_span": None,
        "by_value": "values/5", "second_look": "sentence/7", "second_person": True, "sentences": "claims",
        "clauses": "clauses/3", "questions_per_sentence": 4, "knowledge_words": 100,
    }  # fmt: skip


def test_a_mapping_reads_other_field_names(tmp_path, awkward):
    """--map lets a log of another shape be scored as it is; the rest of it is kept."""
    log = tmp_path / "theirs.jsonl"
    row = {"answer": "The lighthouse was built in 1858.", "context": "It is red.", "bot": "x"}
    log.write_text(json.dumps(row) + "\n")
    out = tmp_path / "out.jsonl"
    mapped = ("--map", "answer=response", "--map", "context=knowledge")
    done = q2("score", log, *mapped, "--store", tmp_path / "store", "--out", out)
    assert done.code == 0
    (written,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert written["response"] == row["answer"]
    assert written["id"] == "theirs.jsonl:1"
    assert "bot" in written["metadata"]
    assert written["status"] in {"scored", "fallback_nli"}


def test_a_log_is_never_overwritten_by_its_own_scores(tmp_path, write_log):
    """--out that names one of the logs is refused before anything is read."""
    log = write_log("in.jsonl", 2)
    before = log.read_bytes()
    outcome = q2("score", log, "--out", log, "--store", tmp_path / "store")
    assert outcome.code == 2
    assert "would be overwritten" in outcome.err
    assert log.read_bytes() == before


def test_a_folder_is_read_without_stores_and_without_the_table_written_into_it(tmp_path, write_log):
    """Scoring a folder twice, with the store and the table in it, reads the same logs."""
    write_log("in.jsonl", 3)
    out, store = tmp_path / "scores.csv", tmp_path / "q2-store"
    for _ in range(2):
        outcome = q2("score", tmp_path, "--out", out, "--store", store)
        assert outcome.code == 0, outcome.err
        assert re.search(r"^turns +3 ", outcome.out, re.MULTILINE)


def test_a_log_without_one_readable_turn_is_no_success(tmp_path):
    """The commonest beginner's mistake gets the reason and the option that helps."""
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"answer": "The museum opens at nine.", '
        '"context": "The museum opens at nine on weekdays and at ten on Sundays."}\n'
    )
    outcome = q2("score", log, "--store", tmp_path / "store")
    assert outcome.code == 65
    assert "gives no turn" in outcome.err
    assert "Did you mean: --map answer=response --map context=knowledge" in outcome.err
    assert not (tmp_path / "store").exists()


def test_a_log_whose_values_suggest_no_reply_is_shown_with_its_fields(tmp_path):
    """Values too short to tell apart give no guess, but the fields and the option that names them."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"answer": "Yes.", "context": "No."}\n')
    outcome = q2("score", log, "--store", tmp_path / "store")
    assert outcome.code == 65
    assert "gives no turn" in outcome.err
    assert re.search(r"^ +answer +Yes\.\n +context +No\.$", outcome.err, re.MULTILINE)
    assert "Did you mean" not in outcome.err
    assert "Name the fields with --map theirs=response --map theirs=knowledge" in outcome.err


def test_a_device_that_is_not_there_is_refused_before_any_work(tmp_path, monkeypatch):
    """No log is read and no store is made."""
    import torch

    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    done = q2("score", EXAMPLES, "--store", tmp_path / "store", "--device", "cuda")
    assert (done.code, done.out) == (2, "")
    assert "The device 'cuda' cannot be used" in done.err
    assert "--device cpu" in done.err
    assert not (tmp_path / "store").exists()
