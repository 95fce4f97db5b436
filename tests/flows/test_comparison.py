"""Tests of the comparison of profiles on the same replies."""

import json

import numpy as np
import polars as pl
import pytest

from qsquared.errors import InputError, UsageError
from qsquared.flows.comparing.compare import compare, labels_of
from qsquared.flows.comparing.scores import ProfileScores
from qsquared.storage.records.comparisons import last_comparison
from qsquared.storage.store import Store
from qsquared.tasks.running import stage_runner
from tests.calling import q2
from tests.faults.stubbed import WordModels


def scores(name, values, seconds=0.5):
    """The scores of some replies by a profile."""
    frame = pl.DataFrame(
        {
            "id": [f"t{i}" for i in range(len(values))],
            "pair_id": [f"p{i}" for i in range(len(values))],
            "knowledge": [f"k{i // 2}" for i in range(len(values))],
            "response": [f"reply {i}" for i in range(len(values))],
            "metadata": [
                json.dumps({"label": "supported" if i % 2 else 0}) for i in range(len(values))
            ],
            "score": values,
        },
        schema_overrides={"score": pl.Float64},
    )
    return ProfileScores(name, {}, frame, seconds)


FIRST = scores("first", [0.1, 0.9, 0.2, 0.8, 0.1, 0.7])
SECOND = scores("second", [0.1, 0.3, 0.9, 0.8, None, 0.7])


def test_labels_decide_which_profile_is_better():
    """ROC-AUC and balanced accuracy are of the labelled replies that a profile scores."""
    found = compare([FIRST, SECOND], labels_of("label", FIRST.replies), 5)
    assert (found.replies, found.labelled) == (6, 6)
    better, worse = found.profiles
    assert better.quality.auc.value == better.quality.balanced.value == 1.0
    assert worse.quality.auc.value < 0.6
    assert (worse.scored, worse.inconsistent) == (5, 2)


def test_without_labels_agreement_and_the_cases_that_differ_are_told():
    """The farthest apart comes first; a reply that one of them does not score is no case."""
    found = compare([FIRST, SECOND], labels_of("", FIRST.replies), 5)
    assert found.profiles[0].quality is None
    (pair,) = found.agreements
    assert (pair.replies, pair.same) == (5, 3)
    assert [case.id for case in found.cases] == ["t2", "t1"]
    assert found.cases[0].scores == (0.2, 0.9)
    assert found.cases[0].supported is None


def test_labels_are_read_from_a_list_of_judgements(tmp_path):
    """Most judgements decide, a tie says nothing, and turns without one have no label."""
    path = tmp_path / "labels.csv"
    path.write_text(
        "turn,verdict,annotator\nt0,consistent,a\nt0,consistent,b\nt0,inconsistent,c\n"
        "t1,supported,a\nt1,unsupported,b\nt2,0,a\n"
    )
    found = labels_of(str(path), FIRST.replies)
    assert found[0] == 1
    assert found[2] == 0
    assert np.isnan(found[[1, 3, 4, 5]]).all()


def test_labels_that_cannot_be_read_are_named(tmp_path):
    """An unknown word has its file and line, and a name without labels is refused."""
    path = tmp_path / "labels.csv"
    path.write_text("turn,verdict\nt0,maybe\n")
    with pytest.raises(InputError, match=r"'maybe' in .*labels.csv, line 2"):
        labels_of(str(path), FIRST.replies)
    with pytest.raises(UsageError, match="labels none of the 6 replies"):
        labels_of("nothing", FIRST.replies)


@pytest.fixture
def two_profiles(tmp_path, monkeypatch, write_log):
    """A store and a log whose turns have labels, and models that read words."""
    monkeypatch.setattr(
        stage_runner, "build_models", lambda profile, _device="cpu": WordModels(profile=profile)
    )
    stage_runner.open_job.cache_clear()
    log = write_log("a.jsonl", 8)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps(row | {"good": i % 2}) + "\n" for i, row in enumerate(rows)))
    yield tmp_path / "store", log
    stage_runner.open_job.cache_clear()


def test_the_command_scores_by_each_profile_and_the_report_shows_it(two_profiles, tmp_path):
    """The figures stand in the store without any text, and in the report as a picture."""
    store, log = two_profiles
    done = q2(
        "models", "compare", "--profiles", "compact,compact-int8", "--logs", log, "--labels", "good",
        "--store", store,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "8 replies, 8 of them labelled" in done.out
    assert "compact and compact-int8 agree on 8 of 8 replies (100%)." in done.out
    record = last_comparison(Store.open(store))
    assert [one["profile"] for one in record["profiles"]] == ["compact", "compact-int8"]
    assert "Cremona" not in json.dumps(record)
    assert q2("verify", "--store", store).code == 0
    page = tmp_path / "r.html"
    assert q2("report", "--store", store, "--profile", "compact", "--out", page).code == 0
    assert "Profiles compared" in page.read_text()


def test_one_profile_is_no_comparison(two_profiles):
    """A sentence says what to write."""
    _, log = two_profiles
    done = q2("models", "compare", "--profiles", "compact", "--logs", log)
    assert done.code == 2
    assert "fewer than two profiles" in done.err
