"""The benchmark of the stages against the plain loop."""

import json
from dataclasses import replace

import pytest

from lab.benchmarks.paper.loop import main
from lab.benchmarks.paper.loop_report import NAME, compare_scores, markdown
from lab.benchmarks.paper.plain_loop import AskedQuestion, PairScore
from lab.benchmarks.tables import marker_comments, write_between
from qsquared.errors import UsageError
from qsquared.profiles.profile import ROLES
from tests.conftest import ROOT

BEGIN, END = marker_comments(NAME)
ASKED = AskedQuestion(0, "Ely", 2, "Where is it?", "Ely, Cambridgeshire", 1.0, 0.6)
SCORE = PairScore("scored", 1.0, 0.6, (ASKED,))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Exit code and figures of one quick run."""
    path = tmp_path_factory.mktemp("bench") / "loop.json"
    code = main(["--quick", "--json", str(path)])
    return code, json.loads(path.read_text())


@pytest.mark.slow
def test_a_quick_run_finds_all_decisions_equal(quick):
    """The stages and the plain loop agree on every item of a handful of pairs."""
    code, report = quick
    assert code == 0
    assert report["pairs"] == 6
    assert report["agreement"]["items"] > report["pairs"]
    assert report["agreement"]["equal"] == report["agreement"]["items"]


@pytest.mark.slow
def test_the_figures_tell_the_time_of_each_model(quick):
    """The models have times, which are parts of the whole."""
    _, report = quick
    stages, loop = report["stages"], report["plain_loop"]
    for way in (stages, loop):
        assert list(way["models"]) == list(ROLES)
        assert 0 < way["model_share"] <= 1
    assert all(model["calls"] == model["requests"] for model in loop["models"].values())
    assert stages["models"]["question_answering"]["calls"] < loop["models"]["parser"]["calls"]


@pytest.mark.slow
def test_figures_go_between_the_markers_of_a_page(quick, tmp_path):
    """The text between the markers is replaced, also the second time, and the rest stays."""
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    write_between(page, NAME, markdown(quick[1]))
    once = page.read_text()
    write_between(page, NAME, markdown(quick[1]))
    assert page.read_text() == once
    assert once.startswith(f"# Before\n\n{BEGIN}\nThe stages were ")
    assert once.endswith(f"\n{END}\n\nAfter.\n")
    assert "| question answering |" in once
    assert "old" not in once


def test_the_shipped_page_has_the_markers(tmp_path):
    """`docs/results/speed.md` can take the figures; a page without markers cannot, and stays."""
    text = (ROOT / "docs" / "results" / "speed.md").read_text()
    assert 0 < text.find(BEGIN) < text.find(END)
    page = tmp_path / "page.md"
    page.write_text(f"{END}\n{BEGIN}\n")
    with pytest.raises(UsageError, match="marker"):
        write_between(page, NAME, "figures")
    assert page.read_text() == f"{END}\n{BEGIN}\n"


def test_rounding_is_no_difference():
    """Scores within the tolerance are equal: one item for the pair, one for the question."""
    near = replace(SCORE, q2_without_nli=0.6 + 1e-9)
    agreement = compare_scores({"p": SCORE}, {"p": near})
    assert (agreement.items, agreement.equal, agreement.share) == (2, 2, 1.0)


@pytest.mark.parametrize(
    ("other", "items", "equal"),
    [
        (replace(SCORE, status="error", q2=None), 2, 1),
        (replace(SCORE, q2=0.999), 2, 1),
        (replace(SCORE, questions=()), 2, 1),
        (replace(SCORE, questions=(replace(ASKED, question="Where?"),)), 2, 1),
        (replace(SCORE, questions=(replace(ASKED, knowledge_answer=None),)), 2, 1),
        (replace(SCORE, questions=(replace(ASKED, score_without_nli=0.5),)), 2, 1),
        (replace(SCORE, questions=(replace(ASKED, rank=1),)), 3, 1),
    ],
)
def test_each_decision_counts(other, items, equal):
    """Another status, score, question, rank or answer is a difference, named by its pair."""
    agreement = compare_scores({"p": SCORE}, {"p": other})
    assert (agreement.items, agreement.equal) == (items, equal)
    assert all(difference.startswith("p ") for difference in agreement.differences)


def test_a_pair_that_only_one_way_scored_differs():
    """All its items are unequal."""
    agreement = compare_scores({"p": SCORE}, {})
    assert (agreement.items, agreement.equal, agreement.share) == (2, 0, 0.0)


def test_a_difference_fails_the_command(monkeypatch, capsys, tmp_path):
    """Decisions that differ give exit code 1 and are printed."""
    from lab.benchmarks.paper import loop

    def disagree(shards, models, way, tick):
        way.seconds.append(1.0)
        way.counts.append({role: {"calls": 1, "requests": 1, "seconds": 0.5} for role in ROLES})
        way.scores = {"p": replace(SCORE, q2=1.0 / len(runs))}
        runs.append(way)

    runs = [None]
    monkeypatch.setattr(loop, "run_loop", disagree)
    monkeypatch.setattr(loop, "run_batched", disagree)
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"id": "1", "response": "Ely.", "knowledge": "Ely."}) + "\n")
    assert main(["--quick", "--logs", str(log)]) == 1
    assert "differs: p pair" in capsys.readouterr().out


def test_logs_without_a_pair_are_a_usage_error(tmp_path, capsys):
    """Nothing to score is said in a sentence."""
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"id": "1", "response": "", "knowledge": "Ely."}) + "\n")
    assert main(["--quick", "--logs", str(log)]) == UsageError.exit_code
    assert "no pair to score" in capsys.readouterr().err
