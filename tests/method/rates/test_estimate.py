"""Tests of the estimate of a share from judgements and scores."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression

from qsquared.method.intervals import wilson_interval
from qsquared.method.rates.design import allocate, chances_of, draw, strata, usual_risk
from qsquared.method.rates.estimate import (
    Population,
    difference,
    estimate,
    merged_cells,
    unlabelled,
)
from qsquared.method.rates.logistic import SLOPE_PRIOR, fit_logistic

PPI_PYTHON = {0.0: 0.5716666666666667, 0.6: 0.5947976666666667, 1.0: 0.6102183333333333}
"""Point estimates of ppi-python 0.2.3 for `judged_strata` by lambda, strata by their share."""


def judged_strata(seed=5):
    """Three strata, their judgements with other weights each, and predictions of all replies."""
    rng = np.random.default_rng(seed)
    number, labels = (120, 60, 20), (12, 10, 8)
    cells = np.repeat(np.arange(3), number)
    predictions = np.round(rng.random(200), 3)
    chances = np.where(np.arange(200) % 2 == 0, 0.2, 0.1)
    judged = np.full(200, np.nan)
    for cell in range(3):
        places = rng.permutation(np.flatnonzero(cells == cell))[: labels[cell]]
        judged[places] = (rng.random(labels[cell]) < (predictions[places] + 0.2)).astype(float)
    return Population(np.ones(200), predictions, cells, chances, judged)


def by_ppi_python(population, power):
    """The estimate by ppi-python, stratum by stratum."""
    from ppi_py import ppi_mean_pointestimate

    total = 0.0
    for cell in np.unique(population.cells):
        inside = population.cells == cell
        known = inside & ~np.isnan(population.judged)
        weights = 1 / population.chances[known]
        found = ppi_mean_pointestimate(
            population.judged[known],
            population.predictions[known],
            population.predictions[inside],
            lam=power,
            w=weights / weights.mean(),
        )
        total += float(np.ravel(found)[0]) * inside.mean()
    return total


def a_population(sizes, seed, share=0.3):
    """Replies of which all are judged, in strata of these sizes."""
    rng = np.random.default_rng(seed)
    total = sum(sizes)
    cells = np.repeat(np.arange(len(sizes)), sizes)
    turns = rng.integers(1, 6, total).astype(float)
    truth = (rng.random(total) < share).astype(float)
    predictions = np.clip(0.3 * truth + 0.7 * rng.random(total), 0, 1)
    return Population(turns, predictions, cells, np.ones(total), truth)


def sample(population, wanted, rng):
    """The same replies, of which only a sample is judged."""
    chances = chances_of(population.cells, population.turns, wanted)
    judged = np.full(len(chances), np.nan)
    places = draw(population.cells, chances, rng)
    judged[places] = population.judged[places]
    return replace(population, chances=chances, judged=judged)


def worth(share, replies):
    """The judgements of a simple sample of so many replies that would have the variance."""
    return 1 / (share.variance / (share.value * (1 - share.value)) + 1 / replies)


@pytest.mark.parametrize("power", PPI_PYTHON)
def test_it_gives_the_figures_of_ppi_python(power):
    """The estimate with a given lambda is ppi-python's, stratum by stratum, with weights."""
    population = judged_strata()
    assert estimate(population, power).value == pytest.approx(PPI_PYTHON[power], abs=1e-9)


@pytest.mark.parametrize("power", PPI_PYTHON)
def test_it_gives_the_figures_of_the_installed_ppi_python(power):
    """An installed ppi-python still gives the recorded figures."""
    pytest.importorskip("ppi_py")
    assert by_ppi_python(judged_strata(), power) == pytest.approx(PPI_PYTHON[power], abs=1e-9)


@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    seed=st.integers(0, 1000),
    share=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
)
@settings(deadline=None, max_examples=60)
def test_any_design_gives_a_share_within_its_interval(sizes, seed, share):
    """Any sizes of strata, also with one reply or all judgements equal, give an ordered interval in 0 to 1."""
    population = a_population([*sizes, 3], seed, share)
    risk = usual_risk(population.predictions, population.turns)
    wanted = allocate(population.cells, population.turns, risk, max(2, len(risk) // 3))
    found = estimate(sample(population, wanted, np.random.default_rng(seed)))
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_all_judged_replies_give_the_exact_share():
    """The share is exact and its interval a point if each reply is judged."""
    population = a_population([5, 9, 1], 3)
    truth = population.judged @ population.turns / population.turns.sum()
    found = estimate(population)
    assert (found.low, found.value, found.high) == pytest.approx((truth,) * 3)


def test_the_mean_over_many_samples_is_the_truth():
    """Over many samples of repeated replies in uneven strata the estimate has no bias."""
    population = a_population([80, 30, 9], 4)
    truth = population.judged @ population.turns / population.turns.sum()
    rng = np.random.default_rng(0)
    values = [estimate(sample(population, np.array([10, 10, 5]), rng)).value for _ in range(1500)]
    assert np.mean(values) == pytest.approx(truth, abs=4 * np.std(values) / math.sqrt(1500))


def test_the_variance_is_that_of_many_samples():
    """The mean of the stated variances is near that of the estimates."""
    population = a_population([150, 90, 60], 5)
    rng = np.random.default_rng(0)
    found = [estimate(sample(population, np.array([30, 30, 30]), rng)) for _ in range(600)]
    observed = np.var([share.value for share in found])
    assert np.mean([share.variance for share in found]) == pytest.approx(observed, rel=0.2)


def test_a_rare_class_is_covered_with_few_labels():
    """Of 60 judgements at 5 % the interval holds the truth in 93 to 98 of 100 samples."""
    rng = np.random.default_rng(1)
    truth = (np.arange(800) < 40).astype(float)
    predictions = np.clip(rng.normal(0.3 + 0.25 * truth, 0.2), 0, 1)
    turns = np.ones(800)
    cells = strata(predictions, turns, 60)
    population = Population(turns, predictions, cells, turns, truth)
    wanted = allocate(cells, turns, usual_risk(predictions, turns), 60)
    found = [estimate(sample(population, wanted, rng)) for _ in range(500)]
    assert 0.925 <= np.mean([share.low <= 0.05 <= share.high for share in found]) <= 0.985


def test_a_good_score_narrows_the_interval():
    """A score that knows the truth is worth more judgements; one of noise is worth about as many."""
    rng = np.random.default_rng(2)
    truth = (rng.random(1000) < 0.3).astype(float)
    turns = np.ones(1000)
    shares = {}
    for name, predictions in (
        ("good", 0.8 * truth + 0.2 * rng.random(1000)),
        ("noise", rng.random(1000)),
    ):
        cells = strata(predictions, turns, 100)
        whole = Population(turns, predictions, cells, turns, truth)
        risk = np.full(1000, 0.3)
        drawn = sample(whole, allocate(cells, turns, risk, 100), rng)
        shares[name] = worth(estimate(drawn), 1000)
    assert shares["good"] > 180
    assert 80 < shares["noise"] < 120


def test_cells_with_few_judgements_join_a_neighbour():
    """Each merged cell has two judgements; the order of the cells stays."""
    nan = np.nan
    cells = np.array([0, 0, 1, 1, 2, 2, 5])
    judged = np.array([nan, 1, nan, nan, 0, 1, 1])
    assert merged_cells(cells, judged).tolist() == [0, 0, 0, 0, 0, 0, 0]
    judged = np.array([0, 1, nan, nan, 0, 1, nan])
    assert merged_cells(cells, judged).tolist() == [0, 0, 1, 1, 1, 1, 1]


def test_one_judgement_is_refused():
    """One judgement has no variance."""
    population = a_population([4], 0)
    judged = np.array([1.0, np.nan, np.nan, np.nan])
    with pytest.raises(ValueError, match="two judgements"):
        estimate(replace(population, judged=judged))


def test_the_difference_is_that_of_the_values():
    """A clear difference has a small p-value and an interval without 0, and none if turned around."""
    rng = np.random.default_rng(0)
    bad = sample(a_population([200], 1, 0.6), np.array([80]), rng)
    good = sample(a_population([200], 2, 0.1), np.array([80]), rng)
    bad, good = (estimate(one).of_bot(300) for one in (bad, good))
    found, turned = difference(bad, good), difference(good, bad)
    assert found.low > 0
    assert found.p_value < 0.001
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (-found.value, -found.high, -found.low)
    )


def test_known_turns_say_of_the_bot_what_a_simple_sample_does():
    """With all replies judged, the difference of two versions has the p-value of a test of the counts."""
    first, second = (np.append(np.ones(n), np.zeros(80 - n)) for n in (24, 42))
    shares = []
    for truth in (first, second):
        nothing = np.zeros(80)
        whole = Population(nothing + 1, nothing, nothing.astype(np.intp), nothing + 1, truth)
        assert estimate(whole).width == 0
        shares.append(estimate(whole).of_bot(80))
    exact = stats.fisher_exact([[24, 56], [42, 38]]).pvalue
    assert exact / 4 < difference(*shares).p_value < exact
    low, high = wilson_interval(0.3, 80)
    assert (shares[0].low, shares[0].high) == pytest.approx((low, high), abs=0.01)


def test_a_small_group_with_as_many_labels_is_worth_little_to_the_whole():
    """Equal labels of a large and a tiny group bound the whole about as half of them would."""
    rng = np.random.default_rng(0)
    truth = (rng.random(5100) < 0.3).astype(float)
    large = np.arange(5100) < 5000
    judged = np.full(5100, np.nan)
    for group in (large, ~large):
        places = rng.choice(np.flatnonzero(group), 60, replace=False)
        judged[places] = truth[places]
    chances = np.where(large, 60 / 5000, 60 / 100)
    nothing = np.zeros(5100)
    population = Population(np.ones(5100), nothing, nothing.astype(np.intp), chances, judged)
    assert 50 < worth(estimate(population), 5100) < 75


def test_cells_that_chance_leaves_out_are_told_from_those_that_people_left_out():
    """A cell of ten expected judgements without one is no chance, one of a single is."""
    cells = np.repeat([0, 1, 2], [100, 100, 200])
    chances = np.repeat([0.1, 0.01, 0.1], [100, 100, 200])
    judged = np.full(400, np.nan)
    judged[200:220] = 0.0
    nothing = np.zeros(400)
    population = Population(np.ones(400), nothing, cells, chances, judged)
    assert unlabelled(population) == pytest.approx(0.25)


def test_the_regression_is_that_of_scikit_learn():
    """With the two added outcomes and the prior, scikit-learn finds the same probabilities."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=50)
    outcomes = (rng.random(50) < 1 / (1 + np.exp(-rows))).astype(float)
    ours = fit_logistic(rows, outcomes)(rows)
    scaled = (rows[:, None] - rows.mean()) / rows.std()
    theirs = LogisticRegression(C=1 / SLOPE_PRIOR, tol=1e-9)
    theirs.fit(
        np.vstack([scaled, np.zeros((2, 1))]),
        np.append(outcomes, [0, 1]),
        np.append(np.ones(50), [0.5, 0.5]),
    )
    assert ours == pytest.approx(theirs.predict_proba(scaled)[:, 1], abs=1e-4)
