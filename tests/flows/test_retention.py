"""Tests of the flow that erases turns by their age."""

import pytest

from qsquared.errors import UsageError
from tests.faults.small_store import make_small, words_for_models


def test_old_turns_go_and_young_ones_stay(tmp_path, prefect_api):
    """The age is counted in days; what is no age is refused with a sentence."""
    from qsquared.flows.retention import retention

    with words_for_models():
        small = make_small(tmp_path)
    store = str(small.store)
    assert retention(store, "90d") == {"turns": 0}
    assert small.q2("sql", "SELECT count(*) AS n FROM turns", "--csv").out.split()[1] != "0"
    with pytest.raises(UsageError, match="'soon' is no number of days"):
        retention(store, "soon")
    assert retention(store, "0d")["turns"] > 0
    assert small.q2("sql", "SELECT count(*) AS n FROM turns", "--csv").out.split()[1] == "0"
