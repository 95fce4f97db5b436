"""The choice of the blend's weights, and of the layer of BERTScore."""

import numpy as np
import pytest

from lab.training.choose import best_weights, grid
from lab.training.choose_layer import best_layer, correlations
from lab.training.sources.glue import Rated
from qsquared.evaluation.statistics import Figure
from qsquared.profiles.parameters import SimilarityParameters
from qsquared.profiles.roles import Similarity
from tests.language.tiny_models import bert_nli


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


def test_each_layer_of_an_encoder_is_compared_with_the_ratings(tmp_path):
    """From the embeddings to the last; pairs of equal words, rated higher, go along with all."""
    role = Similarity(
        implementation="token-similarity",
        checkpoint=str(bert_nli(tmp_path / "model")),
        parameters=SimilarityParameters(layer=1, max_tokens=64, classifier=True),
    )
    words = ["the sea", "a dog", "old tea", "the mill"]
    pairs = [Rated(one, two, 5.0 * (one == two)) for one in words for two in words]
    found = list(correlations(role, pairs))
    assert [layer for layer, _ in found] == [0, 1, 2]
    assert all(figure.value > 0.5 for _, figure in found)


def test_of_equal_layers_the_lowest_is_chosen():
    """It is the cheapest."""
    found = [(layer, Figure(value, None, 9)) for layer, value in enumerate((0.5, 0.7, 0.7, 0.1))]
    assert best_layer(found) == 1
