"""Tests of several draws as one sample."""

import numpy as np
import pytest

from qsquared.method.rates.rounds import Round, chances_of_judgement


def simulated(first, second, answered, once, rounds=40_000):
    """The share of many times in which two draws bring a judgement of each reply."""
    rng = np.random.default_rng(0)
    found = np.zeros(len(first))
    for _ in range(rounds):
        taken = rng.random(len(first)) < first
        judged = taken & (rng.random(len(first)) < answered)
        free = ~taken if once else ~judged
        found += judged | (free & (rng.random(len(first)) < second))
    return found / rounds


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("answered", [0.0, 0.5, 1.0])
def test_two_draws_bring_a_judgement_as_often_as_stated(answered, once):
    """A form that is lost, half filled or filled: the chance is that of a simulation."""
    first, second = np.array([0.1, 0.5, 1.0]), np.array([0.3, 0.6, 0.2])
    rounds = [
        Round(first, np.full(3, answered), once=once),
        Round(second, np.ones(3), once=once),
    ]
    expected = simulated(first, second, answered, once)
    assert chances_of_judgement(rounds) == pytest.approx(expected, abs=0.01)


def test_draws_of_two_families_are_independent():
    """A draw can take what another family took, and only counted draws count."""
    half = np.full(2, 0.5)
    draws = [Round(half, np.ones(2), "old"), Round(half, np.ones(2), "new")]
    assert chances_of_judgement(draws).tolist() == [0.75, 0.75]
    draws[0] = Round(half, np.ones(2), "old", counted=False)
    assert chances_of_judgement(draws).tolist() == [0.5, 0.5]
