"""The benchmark of the stages against the plain loop."""

import json
import re
from dataclasses import replace

import pytest

from lab.benchmarks.loop import compare_scores, main
from lab.benchmarks.plain_loop import AskedQuestion, PairScore
from qsquared.errors import UsageError

ASKED = AskedQuestion(0, "Ely", 2, "Where is it?", "Ely, Cambridgeshire", 1.0, 0.6)
SCORE = PairScore("scored", 1.0, 0.6, (ASKED,))


@pytest.mark.slow
def test_a_quick_run_finds_all_decisions_equal(capsys):
    """The stages and the plain loop agree on every item of a handful of pairs, and the ratio is told."""
    assert main(["--quick"]) == 0
    printed = capsys.readouterr().out
    assert re.search(
        r"The stages were \d+\.\d times as fast .* over 6 pairs, profile compact", printed
    )
    equal, items = re.search(r"all repeats: ([\d,]+) of ([\d,]+) ", printed).groups()
    assert equal == items
    assert int(items) > 6


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
    from lab.benchmarks import loop

    def disagree(shards, models, way):
        way.seconds.append(1.0)
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
