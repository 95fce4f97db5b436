"""Tests of the designs of samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsquared.method.rates.design import (
    allocate,
    chances_of,
    draw,
    equal_shares,
    probabilities,
    strata,
    usual_risk,
)

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=80)


@given(scores=SCORES, labels=st.integers(1, 100), seed=st.integers(0, 99))
@settings(deadline=None)
def test_any_design_draws_what_it_promises(scores, labels, seed):
    """Chances lie in 0 to 1, sum up to the number of draws of each stratum, and no reply is drawn twice."""
    rng = np.random.default_rng(seed)
    predictions = np.array(scores)
    turns = rng.integers(1, 30, len(scores)).astype(float)
    cells = strata(predictions, turns, labels)
    wanted = allocate(cells, turns, usual_risk(predictions, turns), labels)
    chances = chances_of(cells, turns, wanted)
    places = draw(cells, chances, rng)
    assert wanted.sum() == min(labels, len(scores))
    assert ((chances >= 0) & (chances <= 1 + 1e-12)).all()
    assert np.bincount(cells, weights=chances) == pytest.approx(wanted)
    assert np.bincount(cells[places], minlength=len(wanted)).tolist() == wanted.tolist()
    assert len(set(places.tolist())) == len(places)


def test_replies_are_drawn_as_often_as_their_chance_says():
    """Over many draws a reply is drawn as often as its inclusion probability says."""
    turns = np.array([1.0, 1, 2, 3, 5, 8, 1, 1, 20, 2])
    cells = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    chances = chances_of(cells, turns, np.array([3, 2]))
    rng = np.random.default_rng(0)
    counts = np.zeros(10)
    for _ in range(4000):
        counts[draw(cells, chances, rng)] += 1
    assert counts / 4000 == pytest.approx(chances, abs=0.03)


def test_a_very_frequent_reply_is_drawn_for_certain():
    """A reply that would have a chance above 1 has 1, and the others share the rest."""
    assert probabilities(np.array([100.0, 1, 1, 2]), 2).tolist() == [1, 0.25, 0.25, 0.5]


def test_a_seed_repeats_a_draw():
    """The same seed draws the same replies in the same order."""
    cells = np.zeros(50, dtype=np.intp)
    chances = np.full(50, 0.2)
    first, second = (draw(cells, chances, np.random.default_rng(3)).tolist() for _ in range(2))
    assert first == second


def test_equal_scores_are_one_stratum():
    """Replies of one score cannot be told apart by it."""
    assert strata(np.zeros(200), np.ones(200), 100).tolist() == [0] * 200


def test_uncertain_strata_get_more_judgements():
    """Of equally large strata the one with the rarer class gets fewer judgements, and at least two."""
    cells = np.repeat([0, 1], 100)
    risk = np.repeat([0.01, 0.4], 100)
    wanted = allocate(cells, np.ones(200), risk, 60)
    assert 2 <= wanted[0] < wanted[1]
    assert wanted.sum() == 60


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(0, 200))
def test_what_a_small_group_lacks_the_others_give(most, number):
    """All that is asked for is drawn, and no group with replies left gives less than another."""
    shares = equal_shares(most, number)
    assert sum(shares) == min(number, sum(most))
    least = min(
        (share for share, held in zip(shares, most, strict=True) if share < held), default=number
    )
    assert max(shares) <= least + 1
    assert equal_shares([37, 97], 60) == [30, 30]
    assert equal_shares([21, 97], 60) == [21, 39]
