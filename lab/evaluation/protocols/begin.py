"""Tables of BEGIN's classes of replies, five-way and three-way (Dziri et al. 2021, table 3, figure 2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qsquared.evaluation.data.files import Item
from qsquared.evaluation.measured import (
    UNPUBLISHED,
    Mask,
    Measured,
    Published,
    make_table,
    papers_alone,
    published,
)
from qsquared.evaluation.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import mean_value
from qsquared.method.begin import (
    CONTRADICTION,
    ENTAILMENT,
    HALLUCINATION,
    LABELS,
    LABELS3,
    NEUTRAL,
)
from qsquared.method.bootstrap import Array, Figure
from qsquared.method.roc_auc import roc_auc

RUN = Run("begin", ("begin", "e2e_nli", "overlap"))

NLI = "end-to-end NLI"
"""The entailment model, in the place of the paper's classifiers that saw NLI data only."""


def _with_turn(item: Item) -> Item:
    """Put evidence and the turn before together as the premise, as the paper's classifiers read them."""
    return replace(item, knowledge=" ".join(filter(None, (item.knowledge, item.previous))))


WITH_TURN = Run("with the turn before", ("e2e_nli",), reads=_with_turn)

OVERLAPS = 0.5
"""The floor calls a reply entailed from this token overlap on; chosen before anything was seen."""

_LARGER = " The paper's test set is larger than the released one (6,474 replies)."

_OF_NLI = {1.0: ENTAILMENT, 0.5: NEUTRAL, 0.0: CONTRADICTION}

Labels = Sequence[str | None]
"""A class of each item of the dataset, or ``None`` where it has none."""


def accuracy(labels: Array, values: Array) -> float:
    """Return the share of items with the right class."""
    return float((labels == values).mean())


def macro_f1(labels: Array, values: Array) -> float:
    """Return the mean F1 of the classes that occur on either side (as in scikit-learn)."""
    found = []
    for one in np.union1d(labels, values):
        true, called = labels == one, values == one
        found.append(2 * (true & called).sum() / (true.sum() + called.sum()))
    return float(np.mean(found))


def begin_tables(measured: Measured) -> list[ResultTable]:
    """Make tables 1 and 3, people's accuracy, the ranking and figure 2 of each split."""
    tables = [papers_alone("begin", "people")]
    for split in dict.fromkeys(measured.facts("split")):
        tables += _split_tables(measured, str(split))
    return tables


def _frequencies(measured: Measured, within: Mask) -> ResultTable:
    """Make table 1: the share of each class."""
    known = published("begin", "table 1")
    rows = []
    for label in LABELS:
        has = np.array([found == label for found in measured.facts("label")], dtype=float)
        rows.append(known.row("frequency", label, measured.figure(mean_value, has, within)))
    return make_table("begin", "table 1", rows, known=known)


def _split_tables(measured: Measured, split: str) -> list[ResultTable]:
    known = published("begin", f"table 3 {split}")
    within = measured.having(split=split)
    five = _Classes(measured, LABELS, "label", within)
    three = _Classes(measured, LABELS3, "label3", within)
    called5, called3 = _called(measured)
    ours = five.rows("five-way", called5, known) + three.rows("three-way", called3, known)
    rank = measured.rows(
        "entailment against the rest, ROC-AUC",
        ("begin_entailment", "e2e_nli", FLOOR),
        roc_auc,
        UNPUBLISHED,
        within=within,
        labels=np.array([label == ENTAILMENT for label in measured.facts("label")], dtype=float),
    )
    rows = known.complete(ours)
    said: dict[str, Any] = {"split": split, "overlaps": OVERLAPS}
    said["test"] = _LARGER if split == "test" else ""
    tables = [_frequencies(measured, within)] if split == "dev" else []
    tables.append(make_table("begin", "table 3", rows, known=known, **said))
    tables.append(make_table("begin", "ranking", rank, split=split))
    for name, called in {**called3, **called5}.items():
        matrix = five.confusion(called, LABELS if name in called5 else LABELS3)
        tables.append(make_table("begin", "figure 2", matrix, split=split, name=name))
    return tables


def _classifiers(measured: Measured) -> dict[str, str]:
    """Return the name of each profile's classifier and its run; none where there is no model."""
    return {
        "begin" if profile == measured.profile else f"begin, {profile}": run
        for profile, run in measured.profiles.items()
        if "begin" in measured.scores[run].tables
    }


def _called(measured: Measured) -> tuple[dict[str, Labels], dict[str, Labels]]:
    """Return the classes that each way of telling gives all replies: five-way and three-way."""
    runs = {name: measured.scores[run] for name, run in _classifiers(measured).items()}
    overlap = [
        ENTAILMENT if value >= OVERLAPS else HALLUCINATION for value in measured.values(FLOOR)
    ]
    nli = {NLI: "", f"{NLI}, the turn before read, too": WITH_TURN.name}
    five = {name: scores.column("begin", "label") for name, scores in runs.items()}
    three = {name: scores.column("begin", "label3") for name, scores in runs.items()}
    return {**five, "overlap": overlap}, {
        **three,
        **{
            name: [_OF_NLI.get(value) for value in measured.values("e2e_nli", run)]
            for name, run in nli.items()
        },
        "overlap": [label if label == ENTAILMENT else NEUTRAL for label in overlap],
    }


class _Classes:
    """True classes of some items, and figures of the classes that they are given.

    Args:
        measured: all items.
        names: the classes.
        fact: name of the true class among an item's facts.
        within: the items of the figures.
    """

    def __init__(self, measured: Measured, names: Sequence[str], fact: str, within: Mask) -> None:
        self.measured = measured
        self.names = names
        self.within = within
        self._labels = self._numbers(measured.facts(fact))
        self.labels = self._labels[within]

    def _numbers(self, labels: Labels) -> Array:
        """Return the index of each label; NaN where an item was not classified."""
        return np.array(
            [np.nan if label is None else float(self.names.index(label)) for label in labels]
        )

    def rows(self, form: str, called: dict[str, Labels], known: Published) -> list[Row]:
        """Return accuracy and macro-F1 of each way to call the items, and of the most frequent class."""
        counts = [int((self.labels == i).sum()) for i in range(len(self.names))]
        majority = [self.names[int(np.argmax(counts))]] * len(self.within)
        numbers = {
            metric: self._numbers(labels)
            for metric, labels in {**called, "majority": majority}.items()
        }
        measured = replace(self.measured, derived=numbers)
        rows = []
        for name, statistic in (("accuracy", accuracy), ("macro-F1", macro_f1)):
            rows += measured.rows(
                f"{form} {name}",
                numbers,
                statistic,
                known,
                within=self.within,
                labels=self._labels,
                floor="overlap",
            )
        return rows

    def confusion(self, labels: Labels, names: Sequence[str]) -> list[Row]:
        """Return for each class how often it is called each of ``names``."""
        given = np.array([str(label) for label in labels])[self.within]
        rows = []
        for index, name in enumerate(self.names):
            of_class = self.labels == index
            for called in names:
                number = int((of_class & (given == called)).sum())
                share = number / of_class.sum() if of_class.any() else None
                rows.append(Row(name, f"called {called}", Figure(share, None, number)))
        return rows
