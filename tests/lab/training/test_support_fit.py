"""Support is fitted to replies of one and of several sentences, each set counting the same."""

from pathlib import Path

import numpy as np
import pytest

from lab.training.passages import read_passages
from lab.training.reply_sets import JOINED, read_joined
from lab.training.support import design, diagram, fitted, kept_apart, predicted, reliability


@pytest.fixture(scope="module")
def joined():
    """The replies that are put together of claims."""
    return list(read_joined(Path()))


def test_joined_replies_are_on_passages_that_nothing_was_trained_on(joined):
    """As many as are asked for, about half of them supported, with three claims or more."""
    apart = {passage.knowledge for passage in read_passages() if passage.kept_apart}
    assert len(joined) == JOINED
    assert {reply.knowledge for reply in joined} <= apart
    assert 0.4 < np.mean([reply.supported for reply in joined]) < 0.6


def test_a_reply_that_is_not_supported_has_one_claim_that_is_not_entailed(joined):
    """Its other claims are true ones of the same passage."""
    true = {
        passage.knowledge: [c.text.strip() for c in passage.claims if c.label == "entailment"]
        for passage in read_passages()
    }
    for reply in joined:
        rest = reply.response
        for claim in sorted(true[reply.knowledge], key=len, reverse=True):
            rest = rest.replace(claim, "")
        assert bool(rest.strip()) != reply.supported


def test_the_place_of_what_is_wrong_in_a_joined_reply_is_known(joined):
    """One sentence of an unsupported reply, none of a supported one."""
    assert all(len(reply.wrong) == (not reply.supported) for reply in joined)
    assert all(place < reply.sentences for reply in joined for place in reply.wrong)


def test_sure_and_right_predictions_are_reliable_and_the_diagram_has_a_dot_for_each_bin():
    """A bin has the mean prediction and the share that is supported."""
    predicted_shares, supported = np.array([0.1, 0.1, 0.9, 0.95]), np.array([0.0, 1.0, 1.0, 1.0])
    low, high = reliability(predicted_shares, supported)
    assert (low.chance, low.share, low.labels) == (pytest.approx(0.1), 0.5, 2)
    assert (high.chance, high.share, high.labels) == (pytest.approx(0.925), 1.0, 2)
    assert diagram({"replies": [low, high], "sentences": [high]}).count("<circle") == 3


def test_weights_that_made_labels_are_found_and_none_is_below_zero():
    """Of replies whose labels a part decides that part gets the weight."""
    drawn = np.random.default_rng(7)
    read, many = drawn.normal(size=(600, 4)), drawn.uniform(size=600)
    labels = read[:, 3] + 0.1 * drawn.normal(size=600) > 0
    sets = np.repeat([0, 1], 300)
    columns = design(read, many)
    weights = fitted(columns, labels, sets)
    assert weights[-1] > 5 * np.abs(weights[:3]).max()
    assert (weights[[0, 1, 2, 4, 5, 6, 8]] >= 0).all()
    assert np.mean((predicted(columns, weights) > 0.5) == labels) > 0.9
    assert np.mean((kept_apart(columns, labels, sets) > 0.5) == labels) > 0.9
