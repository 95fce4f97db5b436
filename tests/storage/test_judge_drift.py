"""Tests of the drift of a judge, between two versions that scored the same replies."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.labels.drift import Drift, drift_of
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import LABELS, SCORES


@pytest.fixture
def index(tmp_path):
    """A function that makes an index of two versions from the scores of each and the judged replies."""

    def make(before, now, judged=()):
        for name, scores in (("before", before), ("now", now)):
            rows = [
                dict.fromkeys(SCORES.schema.names)
                | {"pair_id": f"p{number}", "q2": score, "q2_without_nli": score}
                | {"status": "scored", "spans": 1, "questions_generated": 1, "questions": 1}
                | {"no_answer": 0, "contradicted": 0}
                for number, score in enumerate(scores)
            ]
            write_table(tmp_path / f"{name}.parquet", rows, SCORES, name)
        at = datetime(2026, 11, 20, tzinfo=UTC)
        rows = [
            {"draw": "d", "pair_id": f"p{number}", "annotator": "Ann", "verdict": "consistent"}
            | {"spans": None, "form": "f.csv", "form_version": 1, "read_at": at}
            for number in judged
        ]
        write_table(tmp_path / "labels" / "labels.parquet", rows, LABELS, "labels")
        versions = [
            {"metric": "q2", "profile": "compact", "last_used": used, "lineages": {"scores": name}}
            for name, used in (("before", "2026-11-01"), ("now", "2026-11-20"))
        ]
        return SimpleNamespace(
            all_configurations=versions,
            of_stage=lambda stage, one: [tmp_path / f"{one['lineages'][stage]}.parquet"],
            of=lambda table: [tmp_path / f"{table}.parquet"],
            checks=SimpleNamespace(tables=lambda paths: None),
            store=Store(tmp_path),
        )

    return make


def test_verdicts_that_a_new_version_changes_are_told(index):
    """Twelve of forty replies that fall are no chance, and the sentence counts them."""
    found = drift_of(index([0.9] * 40, [0.1] * 12 + [0.9] * 28), "q2", "compact")
    assert (found.replies, found.became, found.were, found.judged) == (40, 12, 0, False)
    assert found.p_value == pytest.approx(2 * 0.5**12)
    assert "12 are inconsistent by this version only and 0 by the other only" in found.sentence
    assert "+30.0 points" in found.sentence


def test_a_change_that_may_be_chance_is_not_told(index):
    """Three replies that fall and two that rise say nothing."""
    before = [0.9] * 38 + [0.1] * 2
    now = [0.1] * 3 + [0.9] * 37
    assert drift_of(index(before, now), "q2", "compact").sentence == ""


def test_a_judge_that_errs_more_often_is_told_whatever_its_rate():
    """As many verdicts change either way, but right ones became wrong."""
    swapped = Drift(112, 28, 32, False, known=60, was_right=44, is_right=25, lost=27)
    assert "right on 44 and this one on 25 (p = 0.0" in swapped.sentence
    better = Drift(103, 6, 2, False, known=60, was_right=41, is_right=44, lost=2)
    assert better.sentence == ""


def test_judged_replies_are_the_anchors_where_there_are_enough(index):
    """Thirty judged replies decide, whatever the others say."""
    versions = index([0.9] * 60, [0.9] * 30 + [0.1] * 30, judged=range(30))
    found = drift_of(versions, "q2", "compact")
    assert (found.replies, found.became, found.judged) == (30, 0, True)


def test_too_few_common_replies_or_one_version_tell_nothing(index):
    """No drift is made up."""
    assert drift_of(index([0.9] * 20, [0.1] * 20), "q2", "compact") is None
    assert drift_of(index([0.9] * 40, [0.1] * 40), "q2", "base") is None
