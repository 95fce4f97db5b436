"""Tests of how many replies a wanted interval takes, and of calibrations of older scores."""

import json
import re

import pytest

from qsquared.errors import UsageError
from qsquared.storage.labels.calibrations import find_calibration, write_calibration
from qsquared.storage.store import Store
from tests.calling import q2
from tests.cli.labels.rows import rows_of


def test_a_slightly_narrower_interval_takes_a_few_more_labels(drawn, judge, done, store, tmp_path):
    """The number is above what is judged, and a draw that is too small for strata takes its least."""
    judge(drawn("form", "--n", 60))
    figures = tmp_path / "rate.json"
    done("rate", "--json", figures)
    share = json.loads(figures.read_text())["all"]["corrected"]
    width = share["high"] - share["low"]
    out = tmp_path / "more.csv"
    said = " ".join(done("label", "draw", "--width", width * 0.99, "--out", out).split())
    assert re.search(r"By the 60 labels so far, \d+ more give an interval", said)
    assert "A draw takes 12 at least." in said
    assert len(rows_of(out)) == 12
    outcome = q2(
        "label", "draw", "--width", width + 0.01, "--out", tmp_path / "w", "--store", store
    )
    assert outcome.code == 2
    assert "wide already, and" in outcome.err


def test_a_draw_of_more_than_are_left_says_so(drawn, judge, done, tmp_path):
    """All that are left are drawn, also fewer than a rate takes otherwise."""
    judge(drawn("form", "--n", 116))
    out = tmp_path / "rest.csv"
    said = done("label", "draw", "--n", 30, "--out", out)
    assert "Fewer than 30: no more of the selected replies are left." in said
    assert len(rows_of(out)) == 6


def test_a_calibration_of_older_scores_is_refused_and_gives_no_probability(
    drawn, judge, done, store
):
    """After another configuration of the profile the old curve decides nothing."""
    judge(drawn("form", "--n", 60))
    done("calibrate", "--name", "team")
    number = ("sql", "SELECT count(*) FROM calibrated", "--csv")
    assert int(done(*number).split()[1]) > 0
    opened = Store.open(store)
    write_calibration(opened, find_calibration(opened, "team") | {"configuration": "0" * 32})
    with pytest.raises(UsageError, match="The calibration 'team' is older than the scores"):
        find_calibration(opened, "team")
    assert done(*number).split()[1] == "0"
    assert done("sql", "SELECT current FROM calibrations", "--csv").split()[1] == "false"
