"""Tests of simulated systems, which a metric that distinguishes the responses puts in order."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from qsquared.evaluation.protocols.systems import SHARES, rank_correlations, simulate_systems


def test_a_perfect_metric_finds_the_shares_and_their_order():
    """The mean of a system is one minus its share of inconsistent responses."""
    systems = simulate_systems(np.ones(50), np.zeros(50), repetitions=20)
    assert systems == pytest.approx(np.tile([1 - round(s * 350) / 350 for s in SHARES], (20, 1)))
    assert rank_correlations(systems) == pytest.approx(np.ones(20))


def test_correlations_are_scipys():
    """Each repetition by itself, ties included."""
    rng = np.random.default_rng(5)
    means = rng.choice([0.1, 0.2, 0.3], (30, len(SHARES)))
    human = [1 - share for share in SHARES]
    for row, found in zip(means, rank_correlations(means), strict=True):
        if len(set(row)) > 1:
            assert found == pytest.approx(spearmanr(row, human).statistic)
        else:
            assert np.isnan(found)


def test_a_metric_that_knows_nothing_finds_no_order():
    """They are undefined on the same contexts and spread around zero on others; a reversed metric's are -1."""
    both = np.random.default_rng(6).random(244)
    assert np.isnan(rank_correlations(simulate_systems(both, both))).all()
    apart = simulate_systems(both, both, same_contexts=False)
    assert abs(rank_correlations(apart).mean()) < 0.1
    assert rank_correlations(simulate_systems(np.zeros(9), np.ones(9))).mean() == -1.0


def test_the_same_seed_draws_the_same_contexts_for_every_metric():
    """So that metrics are compared on the same systems."""
    good, bad = np.random.default_rng(7).random((2, 100))
    first = simulate_systems(good, bad, repetitions=5)
    assert np.array_equal(first, simulate_systems(good, bad, repetitions=5))
    assert simulate_systems(2 * good, 2 * bad, repetitions=5) == pytest.approx(2 * first)


def test_systems_of_one_repetition_answer_the_same_contexts():
    """A difference between contexts cannot change the order, unless each system has contexts of its own."""
    good = 100 * np.random.default_rng(8).random(244)
    alike = simulate_systems(good, good - 1.0, repetitions=20)
    assert rank_correlations(alike) == pytest.approx(np.ones(20))
    apart = simulate_systems(good, good - 1.0, repetitions=20, same_contexts=False)
    assert rank_correlations(apart).mean() < 0.7


def test_a_context_without_a_score_is_left_out_of_its_system():
    """NaN does not spread."""
    good = np.array([1.0, np.nan, 1.0])
    assert simulate_systems(good, np.zeros(3), repetitions=3)[:, 0].max() <= 1.0
    assert not np.isnan(simulate_systems(good, np.zeros(3), repetitions=3)).any()


def test_no_context_is_an_error():
    """There is nothing to draw from."""
    with pytest.raises(ValueError, match="no context"):
        simulate_systems(np.array([]), np.array([]))
