"""Tests of fields that the logs do not have, and of judgements that calibrate nothing."""

from tests.calling import q2
from tests.cli.labels.rows import judged, write


def test_a_misspelled_field_is_refused_with_the_nearest(drawn, judge, store, tmp_path):
    """Draws and rates by a field that no turn has name those that there are."""
    judge(drawn("form", "--n", 40))
    form = tmp_path / "other.csv"
    draw = ("label", "draw", "--n", 40, "--measure", "overlap_f1", "--out", form)
    for command in (("rate",), draw):
        outcome = q2(*command, "--by", "bot_verson", "--store", store)
        assert outcome.code == 2
        said = " ".join(outcome.err.split())
        assert "No turn has the field 'bot_verson'. Is it bot_version?" in said
        assert "Fields of the logs: bot_version." in said


def test_judgements_that_differ_by_a_tie_only_calibrate_nothing(drawn, done, store, tmp_path):
    """The message says so, and nothing is stored."""
    rows = judged(drawn("form", "--n", 40))
    good = [row | {"verdict": "consistent"} for row in rows]
    done("label", "read", write(tmp_path / "ann.csv", good))
    other = good[0] | {"annotator": "Bob", "verdict": "inconsistent"}
    done("label", "read", write(tmp_path / "bob.csv", [other]))
    outcome = q2("calibrate", "--store", store)
    assert outcome.code == 2
    assert "Nothing can be calibrated: all judgements are the same" in " ".join(outcome.err.split())
