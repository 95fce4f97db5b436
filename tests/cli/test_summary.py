"""Tests of the summary under a run."""

from qsquared.cli.terminal.summary import _title


def test_the_order_of_the_lowest_scores_is_said_where_it_is_not_that_of_the_scores():
    """Contradicted replies come first, so 0.34 may stand before 0.00."""
    assert _title([0.0, 0.05, 0.34]) == "Lowest scores"
    assert "contradicts, then of others" in _title([0.05, 0.34, 0.0])
