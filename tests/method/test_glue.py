"""Rescaling and the regression over the proxy indicators."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import minmax_scale

from qsquared.method.glue import Regression, read_range, rescale

NUMBERS = st.floats(-1e3, 1e3)


@given(st.lists(NUMBERS, min_size=2, max_size=20))
def test_rescaling_a_corpus_is_min_max_scaling(values):
    """The same numbers as scikit-learn's, which the paper's code calls."""
    scaled = [rescale(value, (min(values), max(values))) for value in values]
    if max(values) - min(values) > 1e-6:
        assert scaled == pytest.approx(minmax_scale(values).tolist(), abs=1e-6)
    assert all(0 <= one <= 1 for one in scaled)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_another_nights_values_stay_within_bounds(value, one, other):
    """Whatever the range was fitted on."""
    assert 0 <= rescale(value, (min(one, other), max(one, other))) <= 1


def test_the_combination_weighs_the_indicators():
    """A linear regression with an intercept, as in the paper."""
    regression = Regression({"cola": 0.5, "sst2": -1.0}, 0.1)
    assert regression.predict({"cola": 1.0, "sst2": 0.25, "rte": 9.0}) == pytest.approx(0.35)


def test_a_missing_indicator_leaves_no_combination():
    """A missing indicator is replaced by neither a zero nor a mean."""
    regression = Regression({"cola": 1.0, "sst2": 1.0}, 0.0)
    assert regression.predict({"cola": 1.0, "sst2": None}) is None
    assert regression.missing({"cola": 1.0}) == ["sst2"]


def test_a_range_is_read_from_json():
    """Its bounds come before the natural ones, and its weights and intercept are the regression's."""
    told = {
        "bounds": {"cola": [0.2, 0.6]},
        "regression": {"coefficients": {"cola": 2}, "intercept": 1},
        "sha256": "as older versions wrote it",
    }
    known = read_range(json.loads(json.dumps(told)))
    assert (known.bounds_of("cola"), known.bounds_of("fact_stsb")) == ((0.2, 0.6), (0.0, 5.0))
    assert known.regression == Regression({"cola": 2.0}, 1.0)
    assert read_range({"bounds": {}}).regression is None


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, "missing or of another kind"),
        ([], "missing or of another kind"),
        ({"bounds": {"cola": 1}}, "missing or of another kind"),
        ({"bounds": {}, "regression": {"coefficients": {"cola": 1}}}, "missing"),
        ({"bounds": {"mnli": [0, 1]}}, "unknown indicator"),
        ({"bounds": {"cola": [0, float("inf")]}}, "not finite"),
    ],
)
def test_what_is_no_range_is_said(told, message):
    """As a sentence for the person who wrote it."""
    with pytest.raises(ValueError, match=message):
        read_range(told)
