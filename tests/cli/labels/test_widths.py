"""Tests of draws of more than are left, and of calibrations of older scores."""

from qsquared.storage.store import Store
from tests.cli.labels.rows import rows_of


def test_a_draw_of_more_than_are_left_says_so(drawn, judge, done, tmp_path):
    """All that are left are drawn, also fewer than a rate takes otherwise."""
    judge(drawn("form", "--n", 116))
    out = tmp_path / "rest.csv"
    said = done("label", "draw", "--n", 30, "--out", out)
    assert "Fewer than 30: no more of the selected replies are left." in said
    assert len(rows_of(out)) == 6


def test_a_calibration_of_older_scores_gives_no_probability(drawn, judge, done, store):
    """After another configuration of the profile the old curve decides nothing."""
    judge(drawn("form", "--n", 60))
    done("calibrate", "--name", "team")
    number = ("sql", "SELECT count(*) FROM calibrated", "--csv")
    assert int(done(*number).split()[1]) > 0
    opened = Store.open(store)
    path = opened.small_file("calibrations", "team")
    opened.write_json(path, opened.read_json(path) | {"configuration": "0" * 32})
    assert done(*number).split()[1] == "0"
    assert done("sql", "SELECT current FROM calibrations", "--csv").split()[1] == "false"
