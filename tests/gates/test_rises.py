"""Tests of the statistical test of a rise: by hand, its level and its power."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qsquared.gates.rises import (
    Tally,
    adjusted,
    pooled,
    rise_p_value,
    spread_between_days,
)

TALLIES = st.integers(1, 200).flatmap(
    lambda total: st.builds(Tally, st.integers(0, total), st.just(total))
)


def test_the_spread_of_days_by_hand():
    """Two days of 100 turns with 10 and 30: what they differ by more than chance."""
    days = [Tally(10, 100), Tally(30, 100)]
    # p = .2, weights 100/.16 = 625, Q = 625 · (.01 + .01) = 12.5, less one degree of freedom 11.5,
    # over 1250 less 2 · 625² / 1250 = 625.
    assert spread_between_days(days) == pytest.approx(11.5 / 625)
    assert spread_between_days([Tally(20, 100), Tally(20, 100)]) == 0
    assert spread_between_days([Tally(0, 100), Tally(0, 50)]) == 0


def test_with_few_turns_and_quiet_days_fishers_test_decides():
    """For a small group the p value is at least that of the exact test."""
    days = [Tally(1, 10)] * 10
    exact = stats.fisher_exact([[3, 7], [10, 90]], alternative="greater").pvalue
    assert rise_p_value(Tally(3, 10), days) >= exact


def test_unruly_days_make_the_same_rise_less_striking():
    """A rise after even days is no rise after days that vary."""
    today = Tally(60, 200)
    even = [Tally(20, 100)] * 20
    unruly = [Tally(5, 100), Tally(35, 100)] * 10
    assert pooled(even) == pooled(unruly)
    assert rise_p_value(today, even) < 0.01
    assert rise_p_value(today, unruly) > 0.1


@pytest.mark.parametrize("unrest", [0.0, 0.03])
def test_false_alarms_stay_at_the_level(unrest):
    """Without a rise, at most about one night in twenty is an alarm, whether days differ or not."""
    generator = np.random.default_rng(2026)
    alarms = 0
    nights = 400
    for _ in range(nights):
        shares = np.clip(generator.normal(0.2, unrest, 29), 0, 1)
        lows = generator.binomial(400, shares)
        today, *days = [Tally(int(low), 400) for low in lows]
        alarms += rise_p_value(today, days) <= 0.05
    assert alarms / nights <= 0.08


def test_a_test_of_turns_alone_would_raise_false_alarms():
    """The reason for the spread of days: without it more than one night in ten is an alarm."""
    generator = np.random.default_rng(2026)
    alarms = 0
    for _ in range(200):
        shares = np.clip(generator.normal(0.2, 0.03, 29), 0, 1)
        today, *days = generator.binomial(400, shares)
        table = [[today, 400 - today], [sum(days), 400 * 28 - sum(days)]]
        alarms += stats.fisher_exact(table, alternative="greater").pvalue <= 0.05
    assert alarms / 200 > 0.1


def test_a_real_rise_is_found():
    """From 20 to 30 per cent of 400 turns is found in most nights."""
    generator = np.random.default_rng(7)
    found = 0
    for _ in range(100):
        days = [Tally(int(low), 400) for low in generator.binomial(400, 0.2, 28)]
        found += rise_p_value(Tally(int(generator.binomial(400, 0.3)), 400), days) <= 0.05
    assert found >= 90


def test_the_correction_is_that_of_benjamini_and_hochberg():
    """Three groups: each p-value times three over its rank, made monotone."""
    assert adjusted([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert adjusted([]) == []


@given(TALLIES, st.lists(TALLIES, min_size=2, max_size=30))
def test_a_p_value_is_one(today, days):
    """Any counts give a number from 0 to 1, and a share that is not higher none below a half."""
    p_value = rise_p_value(today, days)
    assert 0 <= p_value <= 1
    if today.share <= pooled(days).share:
        assert p_value >= 0.5


@pytest.mark.parametrize(
    ("today", "days"),
    [
        (Tally(0, 0), [Tally(1, 2), Tally(1, 2)]),
        (Tally(1, 2), [Tally(1, 2)]),
        (Tally(1, 2), [Tally(1, 2), Tally(0, 0)]),
    ],
)
def test_nothing_to_compare_is_an_error(today, days):
    """An empty day or a single one says nothing of a rise."""
    with pytest.raises(ValueError, match="two days"):
        rise_p_value(today, days)
