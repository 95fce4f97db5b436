"""The threshold of inconsistent replies and the interval of a share."""

from collections import Counter

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qsquared.method.intervals import (
    effective_number,
    effective_number_sql,
    wilson_interval,
    wilson_interval_sql,
)
from qsquared.method.threshold import inconsistent_sql, is_inconsistent
from qsquared.storage.sql.rates import rates


def test_a_score_of_exactly_one_half_is_inconsistent():
    """0.5 and below is inconsistent, above is not (Q², section 5.1)."""
    assert is_inconsistent(0.5)
    assert not is_inconsistent(np.nextafter(0.5, 1))
    assert is_inconsistent(np.array([0.0, 0.5, 0.75])).tolist() == [True, True, False]


@given(st.floats(0, 1), st.floats(0, 1))
def test_sql_and_python_decide_alike(score, threshold):
    """The SQL condition holds for the scores that Python calls inconsistent."""
    (found,) = (
        duckdb.connect()
        .execute(f"SELECT {inconsistent_sql('$1', '$2')}", [score, threshold])
        .fetchone()
    )
    assert found == is_inconsistent(score, threshold)


def test_no_score_is_neither_consistent_nor_inconsistent():
    """A NULL score gives NULL."""
    assert duckdb.connect().execute(
        f"SELECT {inconsistent_sql('CAST(NULL AS DOUBLE)')}"
    ).fetchone() == (None,)


@given(st.integers(1, 500), st.data())
def test_the_interval_of_independent_turns_is_scipys(total, data):
    """Wilson's interval agrees with scipy's for whole numbers of observations."""
    low = data.draw(st.integers(0, total))
    reference = stats.binomtest(low, total).proportion_ci(0.95, method="wilson")
    assert wilson_interval(low / total, total) == pytest.approx(
        (reference.low, reference.high), abs=1e-12
    )


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_the_interval_in_sql_is_that_of_python(share, observations):
    """Both ends agree between SQL and Python."""
    low, high = wilson_interval_sql("share", "observations")
    found = (
        duckdb.connect()
        .execute(
            f"SELECT {low}, {high} FROM (SELECT $1::DOUBLE AS share, $2::DOUBLE AS observations)",
            [share, observations],
        )
        .fetchone()
    )
    assert found == pytest.approx(wilson_interval(share, observations), abs=1e-12)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_repeated_replies_count_as_fewer_observations(sizes):
    """The effective number is between 1 and the number of distinct replies, in SQL too."""
    found = effective_number(sizes)
    assert 1 - 1e-9 <= found <= len(sizes) + 1e-9
    sql = f"SELECT {effective_number_sql('n', 'n > 0')} FROM (SELECT unnest($1) AS n)"
    assert duckdb.connect().execute(sql, [sizes]).fetchone()[0] == pytest.approx(found)


def test_no_observation_gives_no_interval():
    """Nothing observed is an error in Python and NULL in SQL."""
    assert effective_number([]) == 0
    with pytest.raises(ValueError, match="at least one"):
        wilson_interval(0.0, 0)


def test_wilsons_interval_is_that_of_the_textbook():
    """8 of 10: 0.490 to 0.943 (Brown, Cai & DasGupta 2001 give the formula)."""
    low, high = wilson_interval(0.8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)


def clustered(turns):
    """The effective number of turns (pair, conversation, low) by their definition."""
    share = np.mean([low for *_, low in turns])
    sizes = Counter(pair for pair, *_ in turns).values()
    known = [turn for turn in turns if turn[1] is not None]
    number = len({conversation for _, conversation, _ in known})
    observations = effective_number(sizes)
    if number < 2 or share in {0, 1}:
        return observations
    excess = sum(
        (low - share) * (other_low - share)
        for pair, conversation, low in known
        for other, same, other_low in known
        if conversation == same and pair != other
    )
    variance = share * (1 - share)
    more = max(0, excess) * number / (number - 1) / variance / len(turns) ** 2
    quantile = 1 + (stats.norm.ppf(0.975) ** 2 + 1) / 4 / (number - 1)
    return 1 / (1 / observations + more) / quantile**2


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from([None, "a", "b", "c", "d"])),
        min_size=2,
        max_size=40,
    )
)
def test_turns_of_one_conversation_count_as_fewer_observations(drawn):
    """The view's effective number is that of the definition, clustered by pair and conversation."""
    turns = [(f"p{pair}", conversation, int(pair % 3 == 0)) for pair, conversation in drawn]
    values = ", ".join(
        f"('{pair}', {'NULL' if one is None else repr(one)}, {1 - low})" for pair, one, low in turns
    )
    outcomes = (
        "(SELECT pair_id, conversation_id::TEXT AS conversation_id, q2::DOUBLE AS q2, q2 AS score, "
        "0 AS contradicted, '' AS status "
        f"FROM (VALUES {values}) turns(pair_id, conversation_id, q2))"
    )
    sql = f"SELECT observations FROM ({rates(outcomes, (), worth=True)})"
    (found,) = duckdb.connect().execute(sql).fetchone()
    assert found == pytest.approx(clustered(turns))
