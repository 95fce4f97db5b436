"""Tests of ``q2 report``: its figures, comparisons and messages."""

import json
import re
from html import unescape

import pytest

from qsquared.report import page
from qsquared.report.page import gather, render
from qsquared.report.scope import ReportOptions
from qsquared.report.templates import rate_grade
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.store import Store
from tests.calling import q2
from tests.report.conftest import make

KNOWLEDGE = "The lighthouse was built in 1858 by Alan Brebner."


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """A store of two runs over a log each; the second night has the same ids and one worse reply."""
    folder = tmp_path_factory.mktemp("nights")
    replies = {
        "one": ["It was built in 1858.", "It was built by Alan Brebner.", "It was built in 1858."],
        "two": ["The mill in Madrid was painted by Tom Hale.", "It was built by Alan Brebner.", ""],
    }
    for night, said in replies.items():
        log = folder / f"{night}.jsonl"
        rows = [
            {"id": f"t{i}", "knowledge": KNOWLEDGE, "response": text} for i, text in enumerate(said)
        ]
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = q2("score", log, "--store", folder / "store")
        assert done.code == 0, done.err
    return folder / "store"


def runs(store):
    """The ids of the runs, oldest first."""
    return [run["run_id"] for run in open_index(Store.open(store)).runs]


def figures_of(store, **options):
    """Return the figures of a report."""
    opened = Store.open(store)
    return gather(opened, open_index(opened), ReportOptions(**options))


def text_of(path):
    """The words of a page."""
    return " ".join(unescape(re.sub("<[^>]+>", " ", path.read_text(encoding="utf-8"))).split())


def test_the_command_says_what_the_page_shows(example):
    """Rate, interval, coverage and number of cases stand on the terminal too."""
    said = example.outcome.said
    assert re.search(r"(\d+) of 143 scored turns are inconsistent \([\d.]+%, 95 % interval", said)
    assert "coverage 96.0%" in said
    assert re.search(r"\d+ cases shown of \d+ distinct replies at or below 0.5; 0.\d MB", said)


def test_a_page_has_everything_that_makes_a_score(example):
    """Configuration, models, parameters, rejects with reasons, and the limits of it all."""
    words = text_of(example.page)
    (run,) = open_index(Store.open(example.store)).runs[-1:]
    assert run["configuration"] in words
    for identity in run["models"].values():
        assert " ".join(identity.split()) in words
    assert "What this cannot tell you" in words
    assert "is not valid JSON" in words
    assert "rejects: rows that are no turn 5" in words


@pytest.mark.parametrize(
    ("rate", "colour"), [(0.0, "good"), (0.049, "good"), (0.05, "fair"), (0.2, "poor"), (1, "poor")]
)
def test_a_rate_has_the_colour_of_its_value(rate, colour):
    """Nothing inconsistent is no alarm."""
    assert rate_grade(rate) == colour


def test_the_corrected_rate_leads_and_the_scores_own_stands_below(example):
    """Two figures of one size would be two truths; without judgements the scores' own leads."""
    figures = figures_of(example.store)
    assert 'class="hero second"' not in render(figures)
    share = {"value": 0.012, "low": 0.0, "high": 0.03, "labels": 100}
    bot = share | {"high": 0.05}
    rate = {"corrected": share, "alone": share, "bot": bot, "turns": 163}
    page = render(figures | {"corrected": {"rate": rate, "why": ""}})
    assert page.index('class="figure good">1.2%') < page.index('class="hero second"')


def test_a_report_of_one_day_has_the_figures_of_one_day(example):
    """The noun is in the singular."""
    figures = figures_of(example.store)
    assert "The figures of 3 days" in render(figures)
    assert "The figures of 1 day<" in render(figures | {"days": figures["days"][:1]})


def test_every_field_is_a_group_sorted_by_contribution(example):
    """The largest share of the inconsistent turns comes first, and shares of a field add up to 1."""
    fields = {field["name"]: field for field in figures_of(example.store)["fields"]}
    assert {"bot_version", "topic", "expected", "log file", "turn in the conversation"} <= set(
        fields
    )
    assert not fields["note"]["groups"]
    for name in ("bot_version", "topic", "expected", "log file"):
        shares = [row["contribution"] for row in fields[name]["rows"]]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1)


@pytest.mark.slow
def test_a_threshold_moves_every_figure(example):
    """Rate and cases follow the threshold that was asked for."""
    all_below = figures_of(example.store, threshold=1.0, cases=2000)
    only_zero = figures_of(example.store, threshold=0.0)
    assert all(case.score == 0 for case in only_zero["cases"])
    by_default = figures_of(example.store)["total"]["inconsistent"]
    assert only_zero["total"]["inconsistent"] < by_default < all_below["total"]["inconsistent"]
    assert len(all_below["cases"]) == all_below["wrong_pairs"]
    assert [case.score for case in all_below["cases"]] == sorted(
        case.score for case in all_below["cases"]
    )


def test_what_the_spans_take_adds_up_to_what_a_reply_lacks(example):
    """The explanation of a case is its score: nothing is left over."""
    found = [case.explanation for case in figures_of(example.store, threshold=1.0)["cases"]]
    asked = [one for one in found if one.kept]
    assert len(asked) > 40
    for one in asked:
        taken = [one.pull_of[index] for index in {question.span_index for question in one.kept}]
        assert sum(taken) == pytest.approx(1 - one.q2)


def test_cases_are_sampled_and_the_page_says_so(example, tmp_path):
    """With fewer cases than inconsistent replies the page gives both numbers."""
    made = make(example.store, tmp_path / "few.html", "--cases", 7)
    assert "7 cases shown of" in made.outcome.out
    wrong = re.search(r"of (\d+) distinct replies", made.outcome.out)[1]
    assert f"The 7 of {wrong} distinct replies at or below 0.5 that score lowest" in text_of(
        made.page
    )


@pytest.mark.slow
def test_a_page_never_grows_beyond_its_bound(example, tmp_path, monkeypatch):
    """Cases are left out until the page fits, and the page counts the cases that it shows."""
    monkeypatch.setattr(page, "MOST_BYTES", 80_000)
    made = make(example.store, tmp_path / "small.html")
    assert made.page.stat().st_size <= 80_000
    cases = made.page.read_text(encoding="utf-8").count('class="case"')
    assert 0 < cases < 45
    assert f"The {cases} of " in text_of(made.page)


@pytest.mark.slow
def test_a_run_is_compared_with_another(nights, tmp_path):
    """Only the logs of the run count; turns of the same id are matched, worse and better counted."""
    first, second = runs(nights)
    found = figures_of(nights, run=second, baseline=first)
    assert (found["total"]["turns"], found["total"]["scored"]) == (3, 2)
    assert found["baseline"]["total"]["turns"] == 3
    changes = found["baseline"]["changes"]
    assert (changes["turns"], changes["worse"], changes["better"]) == (2, 1, 0)
    made = make(nights, tmp_path / "r.html", "--run", "latest", "--baseline", first)
    assert f"against run {first}" in text_of(made.page)
    assert "2 scored turns have the same id on both sides: 1 became inconsistent" in text_of(
        made.page
    )


def test_another_store_can_be_the_baseline(nights, example, tmp_path):
    """Two corpora are compared by their rates; what has no id in common is said."""
    made = make(nights, tmp_path / "r.html", "--baseline", example.store)
    assert made.outcome.code == 0, made.outcome.err
    words = text_of(made.page)
    assert "No scored turn has the same id on both sides" in words
    assert f"against the store {example.store.name}" in words
    assert "143" in words


def test_a_place_that_names_a_folder_is_refused(example, tmp_path):
    """The path alone would not tell it from a file."""
    done = q2("report", "--store", example.store, "--out", f"{tmp_path}/dirx/")
    assert done.code == 2
    assert f"--out {tmp_path}/dirx/ names a folder." in done.err
    assert not (tmp_path / "dirx").exists()


def test_a_log_without_times_or_fields_has_no_trend_or_groups(nights, tmp_path):
    """A missing trend or group is stated, and nothing is made up for it."""
    words = text_of(make(nights, tmp_path / "r.html").page)
    assert "The log has no times, so there is no trend." in words


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--profile", "paper"], "Nothing in the store was scored with the profile 'paper'."),
        (["--run", "none"], "The store has no completed run 'none' of Q²."),
        (["--baseline", "none"], "--baseline none is neither a completed run nor a profile"),
        (["--out", "/proc/none/x.html"], "The report /proc/none/x.html cannot be written"),
    ],
)
def test_a_missing_input_is_an_error_with_a_sentence(example, tmp_path, arguments, sentence):
    """Exit code 2 with what there is instead, and no file."""
    done = q2("report", "--store", example.store, "--out", tmp_path / "r.html", *arguments)
    assert done.code == 2
    assert sentence in done.said
    assert list(tmp_path.iterdir()) == []


def test_a_store_without_scores_has_no_report(tmp_path):
    """Nothing scored yet is said with the command to run."""
    Store.open(tmp_path / "store", create=True)
    done = q2("report", "--store", tmp_path / "store", "--out", tmp_path / "r.html")
    assert done.code == 2
    assert "Nothing in the store was scored yet." in done.err


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("17.11.2026", "'17.11.2026' is no date. Give it as 2026-11-20."),
        ("2026-12-01", "those of the store are of 2026-11-16 to 2026-11-18 (UTC)."),
    ],
)
def test_a_first_day_without_a_turn_is_answered_with_days_that_have_some(
    scored, tmp_path, day, said
):
    """Days are written in one way, whichever command asks for them."""
    out = tmp_path / "none.html"
    assert said in q2("report", "--store", scored.store, "--out", out, "--from", day).said
    assert not out.exists()


def test_a_report_of_some_turns_counts_them_alone(scored, tmp_path):
    """Days and a condition select, the page says so, and a wrong condition is a sentence."""
    out = tmp_path / "some.html"
    asked = ("--from", "2026-11-17", "--to", "2026-11-17", "--where", "fields.bot_version = '1.5'")
    done = q2("report", "--store", scored.store, "--out", out, *asked)
    assert done.code == 0, done.err
    counted = (
        "SELECT count(q2) AS scored FROM outcomes WHERE fields.bot_version = '1.5' "
        "AND CAST(timestamp AS DATE) = '2026-11-17'"
    )
    (row,) = q2("sql", counted, "--json", "--store", scored.store).out.splitlines()
    assert f"of {json.loads(row)['scored']} scored turns are inconsistent" in done.said
    assert "from 2026-11-17, to 2026-11-17, where" in out.read_text(encoding="utf-8")
    for where, said in (
        ("fields.bot = '1.5'", "no log has a field 'bot'"),
        ("bot_version = '1.5'", "Write it as fields.bot_version."),
    ):
        refused = q2("report", "--store", scored.store, "--out", out, "--where", where)
        assert said in refused.err
        assert "Binder" not in refused.err
    refused = q2("report", "--store", scored.store, "--out", out, "--where", "nonsense = 1")
    assert refused.code == 2
    assert "nonsense" in refused.err
