"""Tests of the check of a profile by sixty labelled replies."""

import numpy as np
import polars as pl
import pytest

from qsquared.flows.profile_check import LEVEL, anchors, judge, scores_by_profile
from qsquared.method.roc_auc import chance
from tests.calling import q2
from tests.language.tiny_models import bert_nli

PROFILES = """
[swapped]
like = "compact"
description = "compact, whose judge takes contradiction for entailment"
entailment = {{ parameters = {{ max_tokens = 256, labels = ["contradiction", "neutral", "entailment"] }} }}

[random]
like = "compact"
description = "compact with a judge of random weights"
entailment = {{ checkpoint = "{nli}", parameters = {{ max_tokens = 128 }} }}
"""


def answers(scores, judge=None, questions=3):
    """Scores of the sixty replies, as a profile gives them."""
    rows = [
        {
            "id": one.id, "knowledge": str(one.knowledge), "score": score, "reason": None,
            "questions": questions, "judge": judged, "consistency": None,
        }
        for one, score, judged in zip(anchors(), scores, judge or scores, strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


TRUE = [0.9 if one.supported else 0.1 for one in anchors()]


@pytest.fixture(scope="module")
def real():
    """The scores of the sixty replies by the shipped models."""
    return scores_by_profile("compact")


def test_a_good_profile_passes_and_its_kinds_are_counted():
    """Sixty of sixty are right, by kind and label."""
    found = judge(answers(TRUE))
    assert (found.problems, found.wrong) == ((), ())
    assert (
        sum(kind.replies for kind in found.kinds) == sum(kind.right for kind in found.kinds) == 60
    )
    assert {kind.name for kind in found.kinds if not kind.supported} >= {"number", "other entity"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (answers([0.5] * 60), "no better than chance"),
        (answers([1 - score for score in TRUE]), "its labels look swapped"),
        (answers(TRUE, [0.4] * 60), "ROC-AUC 0.50 of the judge alone"),
        (answers(TRUE, questions=0), "On 0 of the 60 replies a question comes through"),
        (answers([None] * 20 + TRUE[20:], TRUE), "20 of the 60 replies have no score"),
    ],
)
def test_a_profile_that_says_nothing_fails(given, problem):
    """Constant, swapped or missing scores, a judge without a word, and a reader without answers show."""
    assert any(problem in one for one in judge(given).problems)


def test_the_shipped_models_pass(real):
    """Each measure is far from chance."""
    found = judge(real)
    assert found.problems == ()
    assert all(one.p_value < 0.001 for one in found.measures.values())


def test_a_shuffled_judge_is_told_from_the_real_one(real):
    """Of a thousand shuffles of its verdicts no more than a few pass, as the level says."""
    rng = np.random.default_rng(3)
    verdicts = real["judge"].to_numpy()
    labels = np.array([float(one.supported) for one in anchors()])
    assert chance(labels, verdicts) < LEVEL
    shuffles = [rng.permutation(verdicts) for _ in range(1000)]
    assert sum(chance(labels, mixed) <= LEVEL for mixed in shuffles) <= 4
    for mixed in shuffles[:5]:
        (problem,) = judge(real.with_columns(pl.Series("judge", mixed))).problems
        assert "the judge alone" in problem


@pytest.mark.parametrize("name", ["swapped", "random"])
def test_a_wrong_judge_fails_the_command(tmp_path, name):
    """Swapped labels and random weights end in an error that names the judge."""
    file = tmp_path / "profiles.toml"
    file.write_text(PROFILES.format(nli=bert_nli(tmp_path / "nli")))
    done = q2("models", "check", name, "--profiles", file)
    assert done.code == 1
    assert f"The profile {name} fails its check." in done.said
    assert "the judge alone" in done.err


def test_the_bundled_profile_passes_its_check():
    """The command shows the kinds of replies and the time of a thousand."""
    done = q2("models", "check")
    assert done.code == 0, done.err
    assert "near copy" in done.out
