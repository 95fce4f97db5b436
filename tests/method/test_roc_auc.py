"""Tests of the quality of scores beside labels."""

import numpy as np
import pytest

from qsquared.method.roc_auc import chance, quality


def test_scores_that_follow_the_labels_are_no_chance():
    """A perfect order has a ROC-AUC of 1 and a tiny p-value."""
    labels = np.repeat([0.0, 1.0], 20)
    found = quality(labels, labels * 0.8 + 0.1, [str(i % 20) for i in range(40)])
    assert found.auc.value == 1.0
    assert found.p_value < 1e-6


def test_items_without_a_label_or_a_score_are_left_out():
    """They count neither for a figure nor for its number of items."""
    labels = np.array([1.0, 0.0, np.nan, 1.0])
    scores = np.array([0.9, 0.1, 0.9, np.nan])
    found = quality(labels, scores, list("abcd"))
    assert (found.auc.value, found.auc.support) == (1.0, 2)


@pytest.mark.parametrize("scores", [np.full(20, 0.4), np.full(20, np.nan)])
def test_scores_that_say_nothing_are_chance(scores):
    """Equal scores, or none, have a p-value of 1."""
    assert chance(np.repeat([0.0, 1.0], 10), scores) == 1.0


def test_scores_of_no_relation_pass_as_often_as_the_level_says():
    """About one shuffle in twenty is below .05."""
    rng = np.random.default_rng(5)
    labels = np.repeat([0.0, 1.0], 30)
    below = sum(chance(labels, rng.random(60)) <= 0.05 for _ in range(1000))
    assert 30 <= below <= 70
