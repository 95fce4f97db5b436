"""Tests of differences between two metrics, against SciPy and known answers."""

import numpy as np
import pytest
from scipy import stats

from qsquared.evaluation.statistics import compare_all, mean_value, paired_bootstrap, pearson
from qsquared.method.roc_auc import roc_auc


def alone(number):
    """A context for each item."""
    return [str(i) for i in range(number)]


def test_the_difference_of_two_means_is_that_of_a_paired_test():
    """P is near that of the paired t-test, the interval near scipy's paired bootstrap."""
    rng = np.random.default_rng(1)
    first = rng.random(150)
    second = first - rng.normal(0.02, 0.12, 150)
    (found,) = compare_all("mean", mean_value, first, {"a": first, "b": second}, alone(150))
    assert found.difference == pytest.approx((first - second).mean())
    assert found.support == 150
    assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=0.03)
    theirs = stats.bootstrap(
        (first, second), lambda x, y, axis: (x - y).mean(axis=axis), paired=True,
        n_resamples=1000, method="percentile", rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    assert found.interval == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_every_pair_is_compared_as_the_two_alone_would_be():
    """Items that lack either are left out of that pair only."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 80).astype(float)
    values = {name: labels + rng.normal(0, spread, 80) for name, spread in
              (("sharp", 0.4), ("dull", 2.0), ("gappy", 1.0))}  # fmt: skip
    values["gappy"][::4] = np.nan
    clusters = [str(i // 2) for i in range(80)]
    found = {(c.first, c.second): c for c in
             compare_all("area", roc_auc, labels, values, clusters)}  # fmt: skip
    assert list(found) == [("sharp", "dull"), ("sharp", "gappy"), ("dull", "gappy")]
    for (first, second), one in found.items():
        alike = paired_bootstrap(roc_auc, labels, values[first], values[second], clusters)
        assert one.p == alike
        assert one.support == (80 if "gappy" not in (first, second) else 60)
    assert found["sharp", "dull"].difference > 0
    assert found["sharp", "dull"].p < 0.05


def test_a_metric_equals_itself():
    """No difference, and no evidence of one."""
    values = np.random.default_rng(4).random(30)
    (found,) = compare_all("r", pearson, values, {"a": values, "b": values}, alone(30))
    assert (found.difference, found.p) == (0.0, 1.0)


def test_what_cannot_be_compared_is_left_out():
    """Metrics without an item in common, and a statistic that is not defined."""
    gap = np.array([0.1, 0.2, np.nan, np.nan])
    other = gap[::-1].copy()
    assert not compare_all("m", mean_value, gap, {"a": gap, "b": other}, alone(4))
    same = np.ones(4)
    assert not compare_all("r", pearson, gap, {"a": same, "b": same}, alone(4))
