"""Tests of the simulated logs of a bot."""

import duckdb
import numpy as np
import pytest

from lab.benchmarks.coverage import independent, log_of
from qsquared.storage.sql.views.rates import rates


@pytest.mark.parametrize("talks", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_the_simulation_counts_independent_turns_as_the_views_do(talks, repeats):
    """The effective number of a simulated log is that of the SQL of all rates."""
    rng = np.random.default_rng(1)
    unfaithful = (np.arange(80) % 3 == 0).astype(float)
    places, replies, conversations = log_of(unfaithful, 120, rng, talks=talks, repeats=repeats)
    low = unfaithful[places]
    values = ", ".join(
        f"('{reply}', '{conversation}', {1 - wrong})"
        for reply, conversation, wrong in zip(replies, conversations, low, strict=True)
    )
    turns = (
        "(SELECT pair_id, conversation_id, q2::DOUBLE AS q2, q2 AS score, 0 AS contradicted, "
        f"'' AS status FROM (VALUES {values}) turns(pair_id, conversation_id, q2))"
    )
    sql = f"SELECT observations FROM ({rates(turns, (), worth=True)})"
    (expected,) = duckdb.connect().execute(sql).fetchone()
    found = independent(replies, conversations, low)
    assert found == pytest.approx(expected) or (not talks and found >= expected)
