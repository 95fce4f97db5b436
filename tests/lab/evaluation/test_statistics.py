"""The statistics of agreement against scipy and scikit-learn, and their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import (
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from qsquared.evaluation.statistics import (
    accuracy_at,
    best_threshold,
    detection,
    mean_value,
    paired_bootstrap,
    pearson,
    spearman,
)
from qsquared.method.bootstrap import bootstrap, resamples
from qsquared.method.roc_auc import roc_auc

SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0])
PAIRS = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), SCORES), min_size=4, max_size=30).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


def arrays(rows):
    """Labels and values."""
    labels, values = zip(*rows, strict=True)
    return np.array(labels), np.array(values)


@given(PAIRS)
def test_the_area_under_the_curve_is_scikit_learns(rows):
    """Ties included."""
    labels, values = arrays(rows)
    assert roc_auc(labels, values) == pytest.approx(roc_auc_score(labels, values))


@given(PAIRS)
def test_detection_is_scikit_learns(rows):
    """Precision, recall and F1 at one half, of either class."""
    labels, values = arrays(rows)
    called = values > 0.5
    for consistent in (True, False):
        truth, found = (labels == 1) == consistent, called == consistent
        for kind, score in (
            ("precision", precision_score), ("recall", recall_score), ("F1", f1_score),
        ):  # fmt: skip
            expected = score(truth, found, zero_division=0)
            assert detection(kind, consistent)(labels, values) == pytest.approx(expected)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=3, max_size=30))
def test_correlations_are_scipys(rows):
    """The correlations equal SciPy's where both series vary, and are undefined otherwise."""
    first, second = arrays(rows)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert np.isnan(pearson(first, second))
        assert np.isnan(spearman(first, second))
        return
    assert pearson(first, second) == pytest.approx(stats.pearsonr(first, second).statistic)
    assert spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)


def test_the_interval_of_single_items_is_scipys():
    """With a cluster for each item the bootstrap is the ordinary one."""
    values = np.random.default_rng(1).beta(2, 3, 200)
    clusters = [str(i) for i in range(200)]
    ours = bootstrap(mean_value, values, values, clusters)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert ours.interval == pytest.approx((theirs.low, theirs.high), abs=0.008)


def test_clusters_are_drawn_whole():
    """Every resample repeats all items of a context equally often."""
    for drawn in resamples(["a", "b", "a", "c", "b", "a"]):
        counts = np.bincount(drawn, minlength=6)
        assert counts[0] == counts[2] == counts[5]
        assert counts[1] == counts[4]
        assert counts[0] + counts[1] + counts[3] == 3


def test_items_that_repeat_a_context_widen_the_interval():
    """Ten copies of a context are no more evidence than one."""
    values = np.random.default_rng(3).random(40)
    alone = bootstrap(mean_value, values, values, [str(i) for i in range(40)])
    copied = np.repeat(values, 10)
    together = bootstrap(mean_value, copied, copied, [str(i // 10) for i in range(400)])
    apart = bootstrap(mean_value, copied, copied, [str(i) for i in range(400)])
    width = {name: one.interval[1] - one.interval[0] for name, one in
             (("alone", alone), ("together", together), ("apart", apart))}  # fmt: skip
    assert width["together"] == pytest.approx(width["alone"], rel=0.2)
    assert width["apart"] < width["alone"] / 2


def test_items_without_a_value_are_left_out_and_counted():
    """The support is what the figure rests on."""
    values = np.array([0.5, np.nan, 1.0, np.nan])
    found = bootstrap(mean_value, values, values, ["a", "b", "c", "d"])
    assert (found.value, found.support) == (0.75, 2)
    assert bootstrap(mean_value, values[1:2], values[1:2], ["b"]).value is None


def test_a_difference_is_significant_where_there_is_one():
    """A metric that knows the label beats one that guesses, and equals itself."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 200).astype(float)
    good, guess = labels + rng.normal(0, 0.3, 200), rng.random(200)
    clusters = [str(i) for i in range(200)]
    assert paired_bootstrap(roc_auc, labels, good, guess, clusters) == pytest.approx(2 / 1001)
    assert paired_bootstrap(roc_auc, labels, good, good, clusters) == 1.0


def test_the_threshold_is_the_best_on_the_items_given():
    """Of equal ones the lowest."""
    labels = np.array([0.0, 0.0, 1.0, 1.0])
    values = np.array([0.1, 0.4, 0.6, 0.9])
    assert best_threshold(labels, values, accuracy_at) == 0.4
    assert best_threshold(labels, values[::-1], accuracy_at) < 0.1
