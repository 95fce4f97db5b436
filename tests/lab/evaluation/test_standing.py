"""The page of our figures beside the papers' best, and the command that makes all results."""

import json
import re

import pytest

from qsquared.errors import UsageError
from qsquared.evaluation import results
from qsquared.evaluation.report import Report, ResultTable, Row, write_report
from qsquared.evaluation.results import main, make_results
from qsquared.evaluation.standing import LINES, read_reports, standing
from qsquared.evaluation.statistics import MetricDifference
from qsquared.method import bootstrap
from qsquared.method.bootstrap import Figure
from qsquared.tasks.jobs.options import Job
from tests.faults.small_store import words_for_models
from tests.lab.evaluation.small_data import write_wow

JUDGE = 'judge/1 sha256:a {"labels":null}'


def report(name, *tables, judge):
    """A report of one protocol with these tables."""
    facts = (("profile", "compact"), ("entailment", judge))
    return Report(name, f"q2 evaluate {name}", "", facts, tables)


@pytest.fixture
def folder(tmp_path):
    """A result folder of four reports: one by a row's p, one by a comparison, two without."""
    accuracy = ResultTable(
        "Table 3: single responses at threshold 0.5",
        "Accuracy",
        (
            Row("accuracy", "q2", Figure(0.7, (0.65, 0.75), 600), 0.773, 0.6, 0.002),
            Row("accuracy", "overlap_f1", Figure(0.6, (0.55, 0.65), 600), None, 0.6),
            Row("accuracy", "e2e_nli", Figure(0.69, (0.6, 0.7), 600), 0.653, 0.6),
        ),
    )
    order = ResultTable(
        "Table 4: systems in order",
        "Spearman",
        (
            Row("all systems", "q2", Figure(0.95, (0.9, 1.0), 1000), 0.98, 0.8),
            Row("all systems", "overlap_f1", Figure(0.8, (0.3, 1.0), 1000), 0.87, 0.8),
            Row("all systems", "rouge2", Figure(0.9, (0.5, 1.0), 1000), None, 0.8),
            Row("all systems", "bertscore", Figure(0.94, (0.5, 1.0), 1000), None, 0.8),
        ),
        comparisons=(
            MetricDifference("all systems", "overlap_f1", "q2", -0.15, (-0.3, 0.1), 0.04, 1000),
            MetricDifference("all systems", "rouge2", "q2", -0.05, (-0.3, 0.1), 0.25, 1000),
        ),
    )
    unrelated = ResultTable(
        "Table 10: random knowledge",
        "Mean",
        (
            Row("across dialogues", "q2", Figure(0.05, (0.03, 0.07), 600), 0.0, 0.06),
            Row(
                "across dialogues",
                "q2 without the fallback",
                Figure(0.001, (0.0, 0.002), 580),
                0.0,
            ),
            Row("across dialogues", "overlap_f1", Figure(0.06, (0.05, 0.07), 600), None, 0.06),
        ),
    )
    classes = ResultTable(
        "Table 3, dev",
        "Accuracy",
        (
            Row("three-way accuracy", "begin", Figure(0.73, (0.7, 0.76), 836), None, 0.78, 0.004),
            Row("three-way accuracy", "overlap", Figure(0.78, (0.74, 0.81), 836), None, 0.78),
            Row("three-way accuracy", "BERT, MNLI", Figure(None, None, 0), 0.696),
            Row("three-way accuracy", "T5, MNLI", Figure(None, None, 0), 0.71, confirmed=False),
        ),
    )
    usr = ResultTable(
        "topical-chat: Pearson with each criterion",
        "Pearson",
        (Row("Overall", "regression, all *", Figure(0.5, (0.4, 0.6), 360), 0.4974),),
        comparisons=(
            MetricDifference(
                "Overall", "regression, all", "the paper's regression, all", 0.0, None, 0.9, 360
            ),
        ),
    )
    for name, table, judge in (
        ("q2-wow", accuracy, f"{JUDGE} fp32"),
        ("q2-system-level", order, f"{JUDGE} fp32"),
        ("q2-random-knowledge", unrelated, f"{JUDGE} fp32"),
        ("begin", classes, f"{JUDGE.replace(':a', ':b')} fp32"),
        ("usr", usr, f"{JUDGE} openvino-bf16/1"),
    ):
        write_report(report(name, table, judge=judge), tmp_path / f"{name}.json")
    return tmp_path


def lines_of(page):
    """The cells of each line, by the statistic without its link."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {row[1].strip("[").partition("](")[0]: row[2:] for row in rows[1:]}


def test_the_page_has_a_line_for_each_table_read_from_the_reports(folder):
    """Each with our figure and interval, the paper's, the token overlap, p and a verdict."""
    page = standing(read_reports(folder), {})
    lines = lines_of(page)
    assert list(lines) == [line.statistic for line in LINES]
    assert lines["accuracy on single replies at 0.5"] == [
        "0.700", "0.650 to 0.750", "0.773", "0.600", "0.600 (overlap_f1)", "0.002",
        "worse than the paper; better than words",
    ]  # fmt: skip
    assert "[accuracy on single replies at 0.5](q2-wow.md)" in page
    assert "Profile: compact" in page


def test_ours_is_tested_against_the_best_measure_of_words(folder):
    """It is no better than words because a weaker one of them is beaten; models are no words."""
    cells = lines_of(standing(read_reports(folder), {}))["order of simulated systems, Spearman"]
    assert cells[2:] == [
        "0.980", "0.800", "0.900 (rouge2)", "0.250", "level with the paper; not told apart from words",
    ]  # fmt: skip


def test_the_papers_best_system_counts_and_words_above_it_are_said(folder):
    """BEGIN's best classifier is named, and marked where the text at hand lacks its figure."""
    cells = lines_of(standing(read_reports(folder), {}))["three-way accuracy, development set"]
    assert cells[2] == "0.710 ? (T5, MNLI)"
    assert cells[-1] == "level with the paper; worse than words; words are above the paper, too"


def test_a_star_a_low_value_and_a_mean_without_fallbacks_are_understood(folder):
    """A significant correlation, and means that have to be low, which words do not compete in."""
    lines = lines_of(standing(read_reports(folder), {}))
    regression = next(cells for name, cells in lines.items() if "regression" in name)
    assert regression[2:] == ["0.497", "", "", "0.900", "level with the paper"]
    unrelated = next(cells for name, cells in lines.items() if "lower is better" in name)
    assert unrelated[2:] == ["0.000", "0.060", "", "", "worse than the paper"]
    covered = next(cells for name, cells in lines.items() if "without the fallback" in name)
    assert covered[-1] == "level with the paper"


def test_what_was_not_measured_is_said(folder):
    """In its line, with the reason below; so is a report of another model, not of other arithmetic."""
    page = standing(read_reports(folder), {"dnli": "dnli: The file x is not in data."})
    assert lines_of(page)["accuracy on Dialogue NLI at a tuned threshold"][0] == "not measured"
    assert "- Not measured: dnli: The file x is not in data." in page
    assert "- Not measured: qags-xsum: it was not measured." in page
    assert (
        "- Not measured: begin, three-way accuracy, test set: its report has no such row." in page
    )
    assert "begin was measured with other models" in page
    assert "usr was measured" not in page


@pytest.mark.slow
def test_the_command_measures_again_only_what_was_not_scored(tmp_path, monkeypatch, capsys):
    """Progress is said line by line, missing data in a sentence, and no path stands on the page."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 5)
    monkeypatch.setattr(results, "BETWEEN_S", 0.01)
    data, out, store = tmp_path / "data", tmp_path / "out", tmp_path / "store"
    data.mkdir()
    write_wow(data)
    with words_for_models():
        main([str(data), str(out), "--store", str(store), "--only", "q2-wow", "dnli"])
        said = capsys.readouterr().out
        tables = {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")}
        left_out = make_results(data, out, Job(str(store), "compact"), ["q2-wow"])
    assert re.search(r"q2-wow \(1 of 1\): q2: \w+, 0 of \d+ replies done, \d+ min \d\d s", said)
    assert re.search(r"q2-wow \(1 of 1\): \d+ tables after \d+ min", said)
    assert "dnli: left out. The file dialogue_nli_dev.jsonl" in said
    assert left_out == {}
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")} == tables
    page = (out / "standing.md").read_text(encoding="utf-8")
    assert str(tmp_path) not in page
    assert json.loads((out / "q2-wow.json").read_text(encoding="utf-8"))["command"].endswith("data")


def test_a_protocol_without_a_model_is_left_out_and_an_unknown_one_refused(tmp_path):
    """Each with a sentence; the profile of the paper has no indicators."""
    names = ("understandability", "naturalness", "coherence", "engagingness", "groundedness")
    turn = {"source": "Hi!", "context": "Tea.", "system_id": "s", "system_output": "Tea.",
            "scores": dict.fromkeys((*names, "overall"), 1.0)}  # fmt: skip
    (tmp_path / "topical_chat.json").write_text(json.dumps([turn]), encoding="utf-8")
    job = Job(str(tmp_path / "store"), "paper")
    left_out = make_results(tmp_path, tmp_path / "out", job, ["usr"], lambda _: None)
    assert left_out == {
        "usr": "usr: The profile paper has no model for what this evaluation measures: glue."
    }
    with pytest.raises(UsageError, match="no protocol 'q3'"):
        make_results(tmp_path, tmp_path / "out", job, ["q3"])
