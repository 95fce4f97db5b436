"""Figures of an encoder on each task of GLUE, beside a floor that needs no encoder."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

from lab.training.sources.glue import TASKS, Rated
from qsquared.evaluation.statistics import pearson, spearman
from qsquared.method.bootstrap import Array, Statistic, bootstrap

_TOKEN = re.compile(r"\w+")


def figures(task: str, rows: Sequence[Rated], logits: Array) -> dict[str, Any]:
    """Return the task's own statistic with a 95 % interval, and the floor that it has to exceed.

    The floor is the better of the commonest class and of word overlap, for which the threshold and
    its direction are chosen on these very rows, so that it is, if anything, too high.
    An indicator is good enough if the whole interval is above it.

    Args:
        task: name in ``TASKS``.
        rows: the measured texts.
        logits: (rows, labels of the task).
    """
    values = np.array([row.value for row in rows])
    overlap = np.array([word_overlap(row) for row in rows])
    if len(TASKS[task].labels) == 1:
        found = logits[:, 0]
        statistic: Statistic = pearson
        others: dict[str, Statistic] = {"Spearman": spearman}
        main, floor = "Pearson", pearson(values, overlap)
    else:
        found = logits.argmax(axis=1).astype(float)
        others = {"accuracy": _accuracy, "F1": _f1, "MCC": _mcc}
        main = "MCC" if task == "cola" else "accuracy"
        statistic = others.pop(main)
        floor = _best_threshold(values, overlap, statistic)
    measured = bootstrap(statistic, values, found, [str(i) for i in range(len(rows))])
    low, high = measured.interval or (float("nan"), float("nan"))
    return {
        "rows": len(rows),
        "statistic": main,
        "value": round(statistic(values, found), 4),
        "interval": [round(low, 4), round(high, 4)],
        "floor": round(floor, 4),
        "good_enough": bool(low > floor),
        "others": {name: round(one(values, found), 4) for name, one in others.items()},
    }


def word_overlap(row: Rated) -> float:
    """Return the share of the second text's words that the first has (0 to 1); 0 for one text."""
    if row.second is None:
        return 0.0
    first, second = (set(_TOKEN.findall(text.lower())) for text in (row.first, row.second))
    return len(first & second) / max(1, len(second))


def _best_threshold(values: Array, overlap: Array, statistic: Statistic) -> float:
    calls = [np.full_like(values, one) for one in (0.0, 1.0)]
    for threshold in np.unique(overlap):
        above = (overlap >= threshold).astype(float)
        calls += [above, 1 - above]
    return max(statistic(values, call) for call in calls)


def _accuracy(values: Array, found: Array) -> float:
    return float(accuracy_score(values, found))


def _f1(values: Array, found: Array) -> float:
    return float(f1_score(values, found, zero_division=0))


def _mcc(values: Array, found: Array) -> float:
    return float(matthews_corrcoef(values, found))
