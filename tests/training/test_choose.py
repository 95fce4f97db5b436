"""The choice of the blend's weights."""

import numpy as np
import pytest

from training.choose import best_weights, grid


def test_all_weights_of_the_grid_sum_to_one():
    """From all of one part to even shares."""
    found = grid(3)
    assert (1.0, 0.0, 0.0) in found
    assert all(sum(weights) == pytest.approx(1) for weights in found)
    assert len(found) == len(set(found)) == 66


def test_the_part_that_orders_the_replies_gets_the_weight():
    """Noise gets little."""
    rng = np.random.default_rng(1)
    labels = np.array([0.0, 1.0] * 200)
    columns = {"right": labels + rng.normal(size=400) / 2, "noise": rng.normal(size=400)}
    _, (right, noise) = best_weights(labels, columns)[0]
    assert right >= 0.8
    assert noise <= 0.2
