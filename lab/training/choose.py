"""``python -m lab.training.choose``: choose the weights of the blend on replies that people judged.

The replies of ``more/replies/wow-judged-dev`` (Santhanam et al. 2021) are for choosing only: nothing is
trained on them, and no figure of the project is measured on them.
"""

import argparse
import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lab.training.measure import score
from lab.training.sources.formats import read_jsonl
from qsquared.evaluation.data.items import Item
from qsquared.evaluation.statistics import Array
from qsquared.method.roc_auc import roc_auc
from qsquared.tasks.jobs.options import Job

PARTS = ("q2", "nli", "token_f1")
"""The columns that the blend weighs."""
STEP = 0.1
"""The grid of the weights; finer ones would fit the 875 replies, not replies."""


def read_judged(data: Path) -> list[Item]:
    """Read the judged replies: 1 is entailed, 0 is not."""
    path = data / "more" / "replies" / "wow-judged-dev.jsonl.gz"
    return [
        Item(str(i), str(i), row["premise"], row["hypothesis"], float(row["label"] == "entailment"))
        for i, row in enumerate(read_jsonl(path))
    ]


def grid(parts: int) -> list[tuple[float, ...]]:
    """Return all weights on the grid that sum to one."""
    steps = round(1 / STEP)
    return [
        tuple(one / steps for one in counts)
        for counts in itertools.product(range(steps + 1), repeat=parts)
        if sum(counts) == steps
    ]


def best_weights(
    labels: Array, columns: Mapping[str, Array]
) -> list[tuple[float, tuple[float, ...]]]:
    """Return ROC-AUC and weights, the best first; of equal ones the most even."""
    stacked = np.stack(list(columns.values()))
    found = [
        (round(float(roc_auc(labels, np.asarray(weights) @ stacked) or 0.0), 4), weights)
        for weights in grid(len(columns))
    ]
    return sorted(found, key=lambda one: (-one[0], max(one[1])))


def main() -> None:
    """Print the ROC-AUC of each part, and the best weights."""
    parser = argparse.ArgumentParser(prog="python -m lab.training.choose", description=main.__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("build/choose"))
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--profiles", default="", help="file with further profiles")
    arguments = parser.parse_args()
    items = read_judged(arguments.data)
    scores = score(
        items, Job(str(arguments.store.absolute()), arguments.profile, arguments.profiles)
    )
    labels = np.array([item.label for item in items])
    columns = {name: scores.values(name) for name in PARTS}
    for name, values in {**columns, "blend": scores.values("blend")}.items():
        print(f"{name}: ROC-AUC {roc_auc(labels, values):.4f}")
    for auc, weights in best_weights(labels, columns)[:10]:
        print(auc, dict(zip(columns, weights, strict=True)))


if __name__ == "__main__":
    main()
