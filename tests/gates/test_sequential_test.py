"""Tests of the sequential watch for a rise: by hand, its false alarms and its delay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from qsquared.gates.rules import Rise
from qsquared.gates.sequential_test import ALL, SIZES, _gains, spread_between_days, watch


def turns(shares, total, seed=0):
    """Low turns and all turns of nights with these shares, a row each."""
    shares = np.array(shares, dtype=float)
    totals = np.full(shares.shape, total)
    return np.random.default_rng(seed).binomial(totals, shares), totals


def alarms(low, total, settings=None):
    """The nights of alarms, with the group that is named."""
    nights = watch(low, total, settings or Rise(kind="rise"))
    return [(number, one.alarm.group) for number, one in enumerate(nights) if one.alarm]


def test_the_spread_of_days_by_hand():
    """Two days of 100 turns with 10 and 30: what they differ by more than chance."""
    low = np.array([[10, 20, 0], [30, 20, 0]])
    # p = .2, weights 100/.16 = 625, Q = 625 · (.01 + .01) = 12.5, less one degree of freedom 11.5,
    # over 1250 less 2 · 625² / 1250 = 625.
    expected = pytest.approx([11.5 / 625, 0, 0])
    assert spread_between_days(low, np.full((2, 3), 100)) == expected


@given(st.integers(1, 60), st.floats(0.02, 0.9), st.floats(1e-5, 0.1))
def test_the_evidence_of_a_night_is_one_on_average(total, share, variance):
    """Over all counts of a night without a rise the mean e-value of each size is exactly 1."""
    variance = min(variance, share * (1 - share) / 2)
    precision = np.clip(share * (1 - share) / variance - 1, 1, 1e5)
    low = np.arange(total + 1)
    ones = np.ones(total + 1)
    gains = _gains(low, np.full(total + 1, total), share * ones, variance * ones, 0.05)
    chances = stats.betabinom.pmf(low, total, share * precision, (1 - share) * precision)
    assert chances @ np.exp(gains) == pytest.approx(np.ones(len(SIZES)), rel=1e-4)


def test_years_without_a_rise_have_at_most_one_alarm_each():
    """Ten groups of twenty turns, whose days differ by six points: in 15 years at most 18 alarms."""
    rng = np.random.default_rng(2026)
    found = 0
    for seed in range(15):
        low, total = turns(np.clip(rng.normal(0.3, 0.06, (365, 10)), 0, 1), 20, seed)
        found += len(alarms(low, total))
    assert found <= 18


def test_a_rise_in_all_groups_is_seen_in_a_few_nights():
    """Ten points in ten groups of twenty turns: the median is within eight nights."""
    delays = []
    for seed in range(15):
        shares = np.full((70, 10), 0.3)
        shares[40:] += 0.1
        first = next((night for night, _ in alarms(*turns(shares, 20, seed)) if night >= 40), 999)
        delays.append(first - 39)
    assert np.median(delays) <= 8


def test_a_rise_in_one_group_names_it():
    """The other groups are not blamed."""
    shares = np.full((60, 5), 0.2)
    shares[40:, 3] = 0.6
    low, total = turns(shares, 40)
    ((night, group), *_) = alarms(low, total)
    assert group == 3
    assert 40 <= night <= 44
    rise = watch(low, total, Rise(kind="rise"))[night].alarm
    assert 39 <= rise.since <= night
    assert rise.after.share >= 0.45
    assert rise.before.share < 0.3


def test_a_rise_in_all_groups_names_all():
    """Small rises of many groups are seen together."""
    shares = np.full((60, 10), 0.2)
    shares[40:] = 0.32
    ((_, group), *_) = alarms(*turns(shares, 30))
    assert group == ALL


def test_an_alarm_comes_once_and_the_new_level_is_then_the_old_one():
    """Whoever knows of a rise is not woken each night."""
    shares = np.full((120, 1), 0.2)
    shares[40:] = 0.4
    assert len(alarms(*turns(shares, 200))) == 1


def test_a_rise_that_is_too_small_to_matter_is_none():
    """Of ten thousand turns two percentage points are certain, and no reason to wake anybody."""
    shares = np.full((90, 1), 0.1)
    shares[40:] = 0.12
    assert not alarms(*turns(shares, 10_000))


def test_days_of_another_version_are_no_history():
    """Nights without comparable turns before tonight leave nothing to judge."""
    low, total = turns(np.full((30, 1), 0.2), 100)
    total[:-1], low[:-1] = 0, 0
    night = watch(low, total, Rise(kind="rise"))[-1]
    assert not night.judged.any()
    assert night.evidence == 0


def test_the_last_week_is_no_yardstick_where_the_days_before_suffice():
    """A rise that has just begun does not hide in what it is compared with; a short history is taken whole."""
    low, total = np.full((30, 1), 20), np.full((30, 1), 100)
    low[23:] = 30
    last = watch(low, total, Rise(kind="rise", false_alarms=365e-9))[-1]
    assert (last.settled[0], last.days[0], last.before[0].share) == (True, 22, 0.2)
    last = watch(low[:10], total[:10], Rise(kind="rise"))[-1]
    assert (last.settled[0], last.days[0]) == (False, 9)


@pytest.mark.slow
def test_days_that_differ_for_all_groups_alike_hide_ten_points_for_eight_nights_at_most():
    """The days' shares differ by 8.7 points in all groups at once, as between those of the example log."""
    delays = []
    for seed in range(150):
        shares = np.random.default_rng(100 + seed).normal(0.34, 0.087, (90, 1)).clip(0.02, 0.9)
        shares[60:] += 0.1
        low, total = turns(np.repeat(shares, 10, axis=1).clip(0, 1), 20, seed)
        delays.append(next((night for night, _ in alarms(low, total) if night >= 60), 999) - 59)
    assert np.median(delays) <= 8


COUNTS = arrays(np.int64, (20, 3), elements=st.integers(0, 60))


@given(COUNTS, COUNTS)
def test_any_counts_give_evidence_that_is_a_number(low, more):
    """Empty nights, groups without a low turn and groups of only low ones are no error."""
    for night in watch(low, low + more, Rise(kind="rise")):
        assert np.isfinite(night.evidence)
        assert night.evidence >= 0
