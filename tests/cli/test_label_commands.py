"""Tests of ``q2 label`` and ``q2 rate``: draws, forms, judgements, rejects and rates."""

import json
import shutil

import pytest
from scipy import stats

from tests.calling import q2
from tests.cli.labels.rows import rows_of, write
from tests.conftest import ROOT

JUDGEMENTS = ROOT / "examples" / "judgements.csv"


@pytest.fixture
def store(scored, tmp_path):
    """A copy of the store of the example log."""
    return shutil.copytree(scored.store, tmp_path / "store")


def done(*arguments):
    """The output of a command that has to succeed."""
    outcome = q2(*arguments)
    assert outcome.code == 0, outcome.err
    return outcome.out


def judged(rows, annotator="Ann"):
    """The rows with a verdict each, a third of them inconsistent."""
    return [
        row | {"annotator": annotator, "verdict": "consistent" if place % 3 else "inconsistent"}
        for place, row in enumerate(rows)
    ]


def test_the_way_from_a_draw_to_a_rate(store, tmp_path):
    """Of 90 drawn replies the judgements give a rate, its interval, and the groups' difference."""
    form, figures = tmp_path / "form.csv", tmp_path / "rate.json"
    done("label", "draw", "--n", 90, "--by", "bot_version", "--out", form, "--store", store)
    rows = rows_of(form)
    assert len({row["item"] for row in rows}) == len(rows) == 90
    said = done("label", "read", JUDGEMENTS, "--store", store)
    assert "90 judgements taken" in said
    said = done("rate", "--by", "bot_version", "--json", figures, "--store", store)
    assert "1.4 less 1.5" in said
    found = json.loads(figures.read_text())
    corrected = found["all"]["corrected"]
    assert corrected["labels"] == 90
    truth = [row["verdict"] == "inconsistent" for row in rows_of(JUDGEMENTS)]
    assert corrected["low"] - 0.1 < sum(truth) / len(truth) < corrected["high"] + 0.1
    assert {one["group"] for one in found["groups"]} >= {"1.4", "1.5"}
    assert found["all"]["bot"]["low"] < corrected["low"] < corrected["high"]
    assert "of what the bot would say" in " ".join(said.split())


def test_judged_versions_differ_as_much_as_a_test_of_their_counts_says(store, tmp_path):
    """With all replies judged the turns are known exactly, and the bots are not."""
    figures = tmp_path / "rate.json"
    done("label", "draw", "--n", 163, "--out", tmp_path / "form.csv", "--store", store)
    done("label", "read", JUDGEMENTS, "--store", store)
    done("rate", "--by", "bot_version", "--json", figures, "--store", store)
    found = json.loads(figures.read_text())
    groups = {one["group"]: one for one in found["groups"]}
    one, other = (groups[name] for name in ("1.4", "1.5"))
    assert one["corrected"]["low"] == one["corrected"]["high"]
    wrong = [round(group["turns"] * group["corrected"]["value"]) for group in (one, other)]
    table = [
        [count, group["turns"] - count] for count, group in zip(wrong, (one, other), strict=True)
    ]
    exact = stats.fisher_exact(table).pvalue
    assert exact**1.5 < found["difference"]["p_value"] < 1e-4


def test_a_reply_is_drawn_once_and_the_second_draw_is_counted_too(store, tmp_path):
    """A draw after the judgements takes other replies, and its judgements add to the rate."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    done("label", "draw", "--n", 40, "--out", first, "--store", store)
    done("label", "read", JUDGEMENTS, "--store", store)
    done("label", "draw", "--n", 30, "--out", second, "--store", store)
    items = [{row["item"] for row in rows_of(path)} for path in (first, second)]
    assert not items[0] & items[1]
    done("label", "read", JUDGEMENTS, "--store", store)
    assert "by 70 labels" in done("rate", "--store", store)


def test_a_draw_of_too_few_for_a_rate_says_so(store, tmp_path):
    """A draw of fewer replies than a rate takes says how many it takes; enough need no word."""
    few = ("label", "draw", "--store", store, "--n", 12, "--out", tmp_path / "1.csv")
    assert "A rate takes 30 judged replies" in done(*few)
    enough = done("label", "draw", "--n", 30, "--store", store, "--out", tmp_path / "2.csv")
    assert "A rate takes" not in enough


def test_hints_name_the_store_that_was_asked(store, tmp_path):
    """The commands that a draw, a reading and a rate name can be typed as they are."""
    option = f"--store {store}"
    done("label", "draw", "--n", 40, "--out", tmp_path / "1.csv", "--store", store)
    rows = judged(rows_of(tmp_path / "1.csv"))
    for command in ("rate", "calibrate"):
        refused = q2(command, "--store", store).said
        assert f"q2 label read FORM.csv {option}. " in refused
        assert f"q2 label draw --n 100 --out form.html {option}" in refused
    rows[0]["response"] = "Another reply."
    said = done("label", "read", write(tmp_path / "ann.csv", rows), "--store", store)
    assert f'q2 sql "FROM label_rejects" {option}' in said
    assert f"calibration = 'default'\" {option}" in done("calibrate", "--store", store)


def test_a_draw_says_what_a_spreadsheet_is_filled_with_and_how_it_is_read(store, tmp_path):
    """A page for the browser asks itself, and what is saved from it has a name of its own."""
    table, page = tmp_path / "to fill.csv", tmp_path / "form.html"
    said = done("label", "draw", "--n", 30, "--out", table, "--store", store)
    assert "Its column verdict takes consistent or inconsistent." in said
    assert f"q2 label read '{table}' --store {store}" in said
    said = done("label", "draw", "--n", 30, "--out", page, "--store", store)
    assert "Its column verdict" not in said


def test_a_form_that_is_not_there_is_named_without_a_code(store, tmp_path):
    """The sentence has the path once and no word of Python."""
    outcome = q2("label", "read", tmp_path / "nope.csv", "--store", store)
    assert outcome.code == 1
    assert f"There is no file {tmp_path / 'nope.csv'}." in outcome.said
    assert "Errno" not in outcome.err


def test_bad_rows_are_rejects_with_reasons_and_nothing_is_lost(store, tmp_path):
    """A typo, a form of another store and a changed text are rejects; the other rows are taken."""
    form = tmp_path / "form.csv"
    done("label", "draw", "--n", 40, "--out", form, "--store", store)
    rows = judged(rows_of(form))
    rows[0]["verdict"] = "inconsitent"
    rows[1]["draw"] = "0" * 32
    rows[2]["response"] = "Another reply."
    rows[3]["verdict"] = ""
    bad = write(tmp_path / "bad.csv", rows)
    said = done("label", "read", bad, "--store", store)
    assert "36 judgements taken, 0 known already, 1 row without a verdict, 3 rejects" in said
    for reason in ("it can be inconsistent", "another store", "not that of the store"):
        assert reason in said
    assert "36 known already" in done("label", "read", bad, "--store", store)
    rows[3]["verdict"] = "inconsistent"
    twice = write(tmp_path / "twice.csv", [rows[3], rows[3]])
    said = done("label", "read", twice, "--store", store)
    assert "1 judgement taken, 1 known already" in said
    asked = done("sql", "SELECT count(*) AS n FROM label_rejects", "--csv", "--store", store)
    assert asked.split() == ["n", "6"]


def test_two_annotators_of_one_name_are_noticed(store, tmp_path):
    """Judgements of one name that differ are rejects; what was read before stays."""
    form = tmp_path / "form.csv"
    done("label", "draw", "--n", 40, "--out", form, "--store", store)
    rows = judged(rows_of(form))
    done("label", "read", write(tmp_path / "a.csv", rows), "--store", store)
    for row in rows[:5]:
        row["verdict"] = "consistent" if row["verdict"] == "inconsistent" else "inconsistent"
    said = done("label", "read", write(tmp_path / "b.csv", rows), "--store", store)
    assert "0 judgements taken, 35 known already" in said
    assert "Ann judges this reply in two ways" in said


@pytest.mark.parametrize(
    ("header", "said"),
    [("draw,item,verdikt\n", "has no column verdict; it has verdikt"), ("a,b\n", "no column draw")],
)
def test_a_file_that_is_no_form_is_refused(store, tmp_path, header, said):
    """A misspelled column is named, and nothing is read."""
    path = tmp_path / "form.csv"
    path.write_text(header)
    outcome = q2("label", "read", path, "--store", store)
    assert outcome.code == 1
    assert said in outcome.err


def test_a_million_rows_are_refused_in_a_sentence(store, tmp_path):
    """A file that is no form by its size is refused, and nothing of it is read."""
    path = tmp_path / "form.csv"
    path.write_text("draw,item,annotator,verdict\n" + "a,b,c,consistent\n" * 1_000_000)
    outcome = q2("label", "read", path, "--store", store)
    assert outcome.code == 1
    assert "more than 100,000 rows" in outcome.err


def test_too_few_labels_are_refused_in_a_sentence(store, tmp_path):
    """A half-filled form gives no rate, and the message says how many labels it takes."""
    form = tmp_path / "form.csv"
    done("label", "draw", "--n", 40, "--out", form, "--store", store)
    rows = judged(rows_of(form))
    for row in rows[10:]:
        row["verdict"] = ""
    done("label", "read", write(tmp_path / "ann.csv", rows), "--store", store)
    outcome = q2("rate", "--store", store)
    assert outcome.code == 2
    assert "10 of 40 drawn replies of these turns are judged; a rate takes 30" in outcome.err


def test_a_condition_that_is_no_sql_is_refused(store, tmp_path):
    """The message shows how a condition is written."""
    out = tmp_path / "form.csv"
    outcome = q2("label", "draw", "--n", 20, "--where", "bot =", "--out", out, "--store", store)
    assert outcome.code == 2
    assert "SQL condition" in outcome.err


@pytest.mark.slow
def test_a_calibration_is_kept_and_asked_by_sql(store, tmp_path):
    """It has a threshold and a reliability; SQL gives each reply its probability, and scores stay."""
    before = done("sql", "SELECT pair_id, q2 FROM scores ORDER BY ALL", "--csv", "--store", store)
    done("label", "draw", "--n", 90, "--out", tmp_path / "form.csv", "--store", store)
    done("label", "read", JUDGEMENTS, "--store", store)
    said = done("calibrate", "--name", "team", "--recall", "0.8", "--store", store)
    assert "Calibration team of" in said
    assert "Threshold" in said
    found = done(
        "sql",
        "SELECT count(*), count(probability), min(probability) >= 0 AND max(probability) <= 1, "
        "corr(score, probability) < 0, bool_or(calibrated) FROM calibrated "
        "WHERE calibration = 'team'",
        "--csv",
        "--store",
        store,
    ).splitlines()[1]
    number, chances, *facts = found.split(",")
    assert number == chances != "0"
    assert facts == ["true"] * 3
    after = done("sql", "SELECT pair_id, q2 FROM scores ORDER BY ALL", "--csv", "--store", store)
    assert before == after
    assert "sound" in done("verify", "--store", store)


def test_an_impossible_precision_is_refused(store, tmp_path):
    """A threshold that no score has is refused in a sentence, and nothing is stored."""
    form = tmp_path / "form.csv"
    done("label", "draw", "--n", 40, "--out", form, "--store", store)
    rows = [
        row | {"verdict": "inconsistent" if row == rows_of(form)[0] else "consistent"}
        for row in rows_of(form)
    ]
    done("label", "read", write(tmp_path / "ann.csv", rows), "--store", store)
    outcome = q2("calibrate", "--precision", "1", "--recall", "1", "--store", store)
    assert outcome.code == 2
    assert "one aim" in outcome.err


@pytest.mark.slow
def test_the_report_leads_with_the_corrected_rate(store, tmp_path):
    """Without labels it says so; with labels it has the corrected share."""
    page = tmp_path / "report.html"
    done("report", "--out", page, "--store", store)
    assert "Nobody has judged these replies" in page.read_text()
    done("label", "draw", "--n", 90, "--out", tmp_path / "form.csv", "--store", store)
    done("label", "read", JUDGEMENTS, "--store", store)
    assert "Corrected by 90 labels" in done("report", "--out", page, "--store", store)
    assert "corrected by 90 judged replies" in page.read_text()
