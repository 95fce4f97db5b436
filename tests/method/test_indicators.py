"""Rescaling and the regression over the proxy indicators."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import minmax_scale

from qsquared.method.glue.fitted import Fitted, fit_range, read_fitted
from qsquared.method.glue.indicators import BOUNDS, INDICATORS, Regression, bounds_of, fit, rescale

NUMBERS = st.floats(-1e3, 1e3)


def _rows(seed, number=40, names=INDICATORS):
    rng = np.random.default_rng(seed)
    return [{name: float(rng.uniform(*BOUNDS[name])) for name in names} for _ in range(number)]


@given(st.lists(NUMBERS, min_size=2, max_size=20))
def test_rescaling_a_corpus_is_min_max_scaling(values):
    """The same numbers as scikit-learn's, which the paper's code calls."""
    scaled = [rescale(value, bounds_of(values)) for value in values]
    if max(values) - min(values) > 1e-6:
        assert scaled == pytest.approx(minmax_scale(values).tolist(), abs=1e-6)
    assert all(0 <= one <= 1 for one in scaled)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_another_nights_values_stay_within_bounds(value, one, other):
    """Whatever the range was fitted on."""
    assert 0 <= rescale(value, bounds_of([one, other])) <= 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_the_regression_is_least_squares(seed):
    """Coefficients and intercept are scikit-learn's, which the paper's code calls."""
    rows = _rows(seed)
    ratings = np.random.default_rng(seed + 1).uniform(0, 1, len(rows))
    ours = fit(rows, ratings.tolist())
    matrix = np.array([[row[name] for name in INDICATORS] for row in rows])
    theirs = LinearRegression().fit(matrix, ratings)
    assert list(ours.coefficients.values()) == pytest.approx(theirs.coef_.tolist())
    assert ours.predict(rows[0]) == pytest.approx(float(theirs.predict(matrix[:1])[0]))


def test_a_missing_indicator_leaves_no_combination():
    """A missing indicator is replaced by neither a zero nor a mean."""
    regression = Regression({"cola": 1.0, "sst2": 1.0}, 0.0)
    assert regression.predict({"cola": 1.0, "sst2": None}) is None
    assert regression.missing({"cola": 1.0}) == ["sst2"]


def test_fitting_nothing_is_refused():
    """No rows, or another number of ratings."""
    for rows, ratings in (([], []), (_rows(0, 3), [1.0])):
        with pytest.raises(ValueError, match="rows and"):
            fit(rows, ratings)


def test_a_range_is_read_back_as_it_was_written():
    """Through JSON, to the last digit."""
    rows = _rows(3)
    fitted = fit_range(rows, [1.0 + i % 5 for i in range(len(rows))], {"profile": "compact"})
    assert read_fitted(json.loads(json.dumps(fitted.to_json()))) == fitted


def test_an_indicator_that_no_turn_has_is_left_out():
    """It gets no bounds and no weight, and its natural bounds stand."""
    rows = [row | {"fact_qqp": None} for row in _rows(4)]
    fitted = fit_range(rows, [float(i) for i in range(len(rows))], {})
    assert "fact_qqp" not in fitted.bounds
    assert fitted.regression is not None
    assert "fact_qqp" not in fitted.regression.coefficients
    assert fitted.bounds_of("fact_qqp") == (0.0, 1.0)


def test_without_ratings_there_is_a_range_and_no_regression():
    """The indicators can be compared from night to night, the combination cannot be made."""
    assert fit_range(_rows(5), None, {}).regression is None


@pytest.mark.parametrize(
    ("number", "ratings", "message"),
    [
        (0, None, "no turn has an indicator"),
        (5, [1.0, 2.0, 3.0, 4.0, 5.0], "5 rated turns are too few for a regression over 12"),
        (20, [1.0] * 20, "all ratings are equal"),
        (20, [None] * 20, "0 rated turns are too few"),
    ],
)
def test_what_cannot_be_fitted_is_said(number, ratings, message):
    """As a sentence for the person who has the ratings."""
    with pytest.raises(ValueError, match=message):
        fit_range(_rows(6, number), ratings, {})


def test_a_changed_range_is_refused():
    """Its checksum covers all that decides a score."""
    told = Fitted({"cola": (0.0, 1.0)}, Regression({"cola": 2.0}, 0.0)).to_json()
    told["regression"]["intercept"] = 1.0
    with pytest.raises(ValueError, match="checksum"):
        read_fitted(told)


@pytest.mark.parametrize("told", [None, [], {}, {"version": 2}, {"version": 1}])
def test_another_file_is_no_range(told):
    """Whatever JSON it holds."""
    with pytest.raises(ValueError, match=r"version|checksum"):
        read_fitted(told)


def test_an_unknown_indicator_is_refused():
    """A range of another version of the indicators would rescale nothing."""
    told = Fitted({}, Regression({"mnli": 1.0}, 0.0)).to_json()
    with pytest.raises(ValueError, match="unknown indicator"):
        read_fitted(told)
