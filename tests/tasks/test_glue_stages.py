"""The proxy indicators as stages: one row for each situation, NULL where nothing can be said."""

import pytest

from qsquared.method.glue import INDICATORS
from qsquared.tasks.jobs.in_memory import run_stages, situation_row
from tests.tasks.fakes import WordRoles

KNOWN = ("tell me of the sea", "the sea is deep", ["the sea is deep and blue"])
FIRST = (None, "the sea is deep", ["the sea is deep and blue"])
REGRESSION = {"coefficients": {"cola": 1.0, "fact_stsb": 0.5}, "intercept": 0.1}


def _run(*situations, roles=None, **parameters):
    rows = [situation_row(*one) for one in situations]
    return run_stages([], roles or WordRoles(), "glue", parameters, situations=rows)


def test_each_situation_has_a_row_with_what_the_models_say():
    """Of the reply alone, after the previous turn and beside the knowledge."""
    (row,) = _run(KNOWN)["indicators"]
    assert (row["cola"], row["context_rte"], row["fact_rte"]) == (0.4, 0.5, 1.0)
    assert row["fact_stsb"] == 5.0
    assert row["error"] is None


def test_a_task_without_a_model_is_missing_not_guessed():
    """The fakes have no model for four of the seven tasks."""
    (row,) = _run(KNOWN)["indicators"]
    assert {name for name in INDICATORS if row[name] is None} == {
        "sst2", "context_mrpc", "context_qqp", "context_qnli", "fact_mrpc", "fact_qqp", "fact_qnli",
    }  # fmt: skip


@pytest.mark.parametrize("previous", [None, "  "])
def test_without_a_previous_turn_nothing_is_said_of_the_context(previous):
    """A log without history, or with a blank turn."""
    (row,) = _run((previous, *FIRST[1:]))["indicators"]
    assert row["context_rte"] is None
    assert row["fact_rte"] == 1.0


def test_a_cut_text_is_said():
    """A text above the window is cut as in the paper, and the row says so."""
    short, long = _run(KNOWN, ("word " * 20, *KNOWN[1:]))["indicators"]
    assert (short["cut"], long["cut"]) == (False, True)


def test_equal_texts_are_rated_once():
    """The reply alone is the same after every turn."""
    roles = WordRoles()
    _run(KNOWN, FIRST, roles=roles)
    (asked,) = roles.indicators.asked
    assert len(asked) == len(set(asked)) == 1 + 2 + 2


def test_a_failing_situation_fails_alone():
    """Its row has the reason in both tables."""
    tables = _run((None, "RATER FAILS", ["k"]), FIRST)
    bad, good = tables["glue"]
    assert bad["status"] == "error"
    assert bad["reason"].startswith("indicators: the models")
    assert bad["glue_cola"] is None
    assert good["glue_cola"] == 0.4


def test_without_a_range_the_natural_bounds_stand_and_nothing_is_combined():
    """STS-B's 0 to 5 becomes 0 to 1, and the status names the missing range."""
    (row,) = _run(KNOWN)["glue"]
    assert (row["glue_fact_stsb"], row["glue_cola"], row["glue"]) == (1.0, 0.4, None)
    assert row["status"] == "no_regression"
    assert "--set glue_range" in row["reason"]


def test_a_range_rescales_and_its_regression_combines():
    """Values are rescaled by the least and greatest of a corpus, and stay within 0 to 1."""
    bounds = {"cola": [0.2, 0.6], "fact_stsb": [1.0, 2.0]}
    (row,) = _run(KNOWN, glue_range={"bounds": bounds, "regression": REGRESSION})["glue"]
    assert row["glue_cola"] == pytest.approx(0.5)
    assert row["glue_fact_stsb"] == 1.0
    assert row["glue"] == pytest.approx(0.1 + 0.5 + 0.5)
    assert (row["status"], row["reason"]) == ("scored", None)


def test_a_regression_that_needs_what_is_missing_says_what():
    """The combination is NULL rather than made of a part."""
    regression = {"coefficients": {"context_rte": 1.0, "fact_qqp": 1.0}, "intercept": 0.0}
    (row,) = _run(FIRST, glue_range={"bounds": {}, "regression": regression})["glue"]
    assert (row["glue"], row["status"]) == (None, "missing_indicator")
    assert "context_rte, fact_qqp" in row["reason"]
