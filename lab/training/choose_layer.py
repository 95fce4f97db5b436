"""``python -m lab.training.choose_layer``: choose the layer of BERTScore's encoder on STS-B's development set.

The pairs of ``glue/stsb_dev.csv`` (Cer et al. 2017) are rated by people from 0 to 5; the best layer is
the one whose F1 goes along with these ratings most.
No figure of BERTScore is measured on them.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from lab.training.sources.glue import Rated, read_rated_pairs
from qsquared.evaluation.statistics import Figure, bootstrap, pearson
from qsquared.language.judging.similarity import TokenSimilarity
from qsquared.profiles.loading import get_profile
from qsquared.profiles.roles import Similarity


def correlations(role: Similarity, pairs: Sequence[Rated]) -> Iterator[tuple[int, Figure]]:
    """Give Pearson's correlation of F1 with the ratings for each layer, from the embeddings on."""
    texts = [(pair.first, pair.second or "") for pair in pairs]
    ratings = np.array([pair.value for pair in pairs])
    layer, last = 0, 0
    while layer <= last:
        parameters = role.parameters.model_copy(update={"layer": layer})
        model = TokenSimilarity(role.checkpoint, role.revision, parameters=parameters)
        last = int(model.load().model.config.num_hidden_layers)
        found = np.array([one.f1 for one in model.compare(texts)])
        yield layer, bootstrap(pearson, ratings, found, [str(i) for i in range(len(pairs))])
        layer += 1


def best_layer(found: Sequence[tuple[int, Figure]]) -> int:
    """Return the layer of the highest correlation; of equal ones the lowest."""
    return max(found, key=lambda one: (one[1].value or 0.0, -one[0]))[0]


def main() -> None:
    """Print the correlation of each layer with its interval, and the best layer."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.choose_layer", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--profile", default="compact", help="whose encoder of BERTScore")
    parser.add_argument("--profiles", type=Path, help="file with further profiles")
    arguments = parser.parse_args()
    role = get_profile(arguments.profile, arguments.profiles).similarity
    if role is None:
        parser.error(f"the profile {arguments.profile} has no encoder of BERTScore")
    found = []
    for layer, figure in correlations(role, read_rated_pairs(arguments.data)):
        found.append((layer, figure))
        low, high = figure.interval or (float("nan"), float("nan"))
        print(f"layer {layer}: Pearson {figure.value:.3f} ({low:.3f} to {high:.3f})", flush=True)
    print(f"best: layer {best_layer(found)}")


if __name__ == "__main__":
    main()
