"""``python -m lab.training.indicators``: measure the GLUE indicators that a profile offers, as shipped."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.metrics import roc_curve

from lab.training.glue import figures
from lab.training.sources.glue import TASKS, Rated, measured_sets, training_sets
from qsquared.language.judging.ratings import TaskRatings
from qsquared.method.bootstrap import Array
from qsquared.profiles.loading import get_profile
from qsquared.profiles.roles import IndicatorModel
from qsquared.records import RatingRequest


def rated(task: str, model: IndicatorModel, rows: Sequence[Rated]) -> Array:
    """Return the indicator's value of each row, by the model as the profile has it."""
    requests = [
        RatingRequest(task, row.first)
        if row.second is None
        else RatingRequest(task, row.second, row.first)
        for row in rows
    ]
    ratings = TaskRatings({task: model}, batch_size=32).rate(requests)
    return np.array([rating.value for rating in ratings])


def as_outputs(task: str, model: IndicatorModel, values: Array) -> Array:
    """Return values as (rows, labels of the task), so that the greatest is the class at 0.5."""
    if model.reading.number:
        return values[:, None]
    place = _place(task, model)
    return np.stack([values if i == place else 1 - values for i in range(2)], axis=1)


def best_threshold(task: str, model: IndicatorModel, rows: Sequence[Rated]) -> float:
    """Return the probability, not shifted, at which most rows are right; for training rows only."""
    yes = np.array([row.value for row in rows]) == _place(task, model)
    plain = model.model_copy(
        update={"reading": model.reading.model_copy(update={"threshold": None})}
    )
    wrong, right, thresholds = roc_curve(yes, rated(task, plain, rows), drop_intermediate=False)
    return float(thresholds[np.argmax(right * yes.sum() - wrong * (~yes).sum())])


def _place(task: str, model: IndicatorModel) -> int:
    return TASKS[task].labels.index(model.reading.label.rpartition(":")[2])


def main() -> None:
    """Print the figures of each indicator of a profile, with 95 % intervals and the floor."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.indicators", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument(
        "--threshold", action="store_true", help="choose the threshold on the training rows, too"
    )
    arguments = parser.parse_args()
    offered = get_profile(arguments.profile).indicators
    found: dict[str, Any] = {}
    for task in arguments.tasks:
        model = offered.models.get(task) if offered else None
        if model is None:
            found[task] = "not offered"
            continue
        rows = measured_sets(arguments.data)[task]
        found[task] = figures(task, rows, as_outputs(task, model, rated(task, model, rows)))
        if arguments.threshold and not model.reading.number:
            read = training_sets(arguments.data, 0)[task]
            found[task]["threshold"] = best_threshold(task, model, read)
    Console().print_json(data=found)


if __name__ == "__main__":
    main()
