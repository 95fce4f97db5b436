"""Tests of calibrated probabilities and thresholds."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from qsquared.method.rates.calibration import (
    auc,
    brier,
    fit_curve,
    held_out,
    reliability,
    threshold_for,
)
from qsquared.storage.labels.judged_replies import resolved_labels


def replies(number, seed=0):
    """Scores, judgements that follow them, and weights."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random(number), 2)
    judged = (rng.random(number) < 0.9 - 0.8 * scores).astype(float)
    return scores, judged, rng.integers(1, 5, number).astype(float)


@pytest.mark.parametrize("number", [40, 400])
def test_a_curve_falls_and_is_a_probability(number):
    """A higher score never has a higher probability, also outside of the judged scores."""
    curve = fit_curve(*replies(number))
    chances = curve(np.linspace(-0.5, 1.5, 50))
    assert (np.diff(chances) <= 1e-12).all()
    assert ((chances >= 0) & (chances <= 1)).all()


def test_the_figures_are_those_of_scikit_learn():
    """AUC and Brier score are those of scikit-learn."""
    scores, judged, weights = replies(100)
    assert auc(1 - scores, judged) == pytest.approx(roc_auc_score(judged, 1 - scores))
    theirs = brier_score_loss(judged, 1 - scores, sample_weight=weights)
    assert brier(1 - scores, judged, weights) == pytest.approx(theirs)


def test_held_out_probabilities_are_reliable():
    """In each bin the judged share is near the held-out probability, and all labels are in one bin."""
    scores, judged, weights = replies(2000)
    bins = reliability(held_out(scores, judged, weights), judged, weights)
    assert sum(one.labels for one in bins) == 2000
    assert all(abs(one.chance - one.share) < 0.08 for one in bins)


def test_a_threshold_has_the_wanted_precision_or_recall():
    """Of the thresholds with the wanted precision the one of the highest recall is taken."""
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    judged = np.array([1.0, 1, 0, 1, 0])
    ones = np.ones(5)
    precise = threshold_for(scores, judged, ones, precision=0.75)
    assert (precise.value, precise.precision, precise.recall) == (0.4, 0.75, 1.0)
    assert threshold_for(scores, judged, ones, recall=0.6).value == 0.2
    assert threshold_for(scores, 1 - judged, ones, precision=0.9) is None


def test_the_majority_decides_and_a_tie_counts_half():
    """Most annotators decide; at a tie a reply counts half."""
    votes = {"a": "CII", "b": "C", "c": "CI"}
    rows = [(reply, vote) for reply, given in votes.items() for vote in given]
    verdicts = {"C": "consistent", "I": "inconsistent"}
    labels = pl.DataFrame(
        {"pair_id": [reply for reply, _ in rows], "verdict": [verdicts[vote] for _, vote in rows]}
    )
    assert dict(resolved_labels(labels).iter_rows()) == {"a": 1.0, "b": 0.0, "c": 0.5}
