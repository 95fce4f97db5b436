"""Table 3 and figure 2 of BEGIN (Dziri et al. 2021, first version): how well classes are told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from qsquared.evaluation.measured import Measured, Published, make_table, published
from qsquared.evaluation.reporting.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import Array, Figure, bootstrap, roc_auc
from qsquared.method.begin import CONTRADICTION, ENTAILMENT, HALLUCINATION, LABELS, LABELS3, NEUTRAL

RUN = Run("begin", ("begin", "e2e_nli", "overlap"))

OVERLAPS = 0.5
"""The floor calls a reply entailed from this token overlap on; chosen before anything was seen."""

_OF_NLI = {1.0: ENTAILMENT, 0.5: NEUTRAL, 0.0: CONTRADICTION}
_Mask = npt.NDArray[np.bool_]


def accuracy(labels: Array, values: Array) -> float:
    """Share of items whose class is the right one."""
    return float((labels == values).mean())


def macro_f1(labels: Array, values: Array) -> float:
    """Mean F1 of the classes that occur, as label or as what is called (as in scikit-learn)."""
    found = np.union1d(labels, values)
    return float(np.mean([class_f1(labels, values, one) for one in found]))


def class_f1(labels: Array, values: Array, one: float) -> float:
    """F1 of one class; 0 where it is never hit."""
    true, called = labels == one, values == one
    return float(2 * (true & called).sum() / max(1, true.sum() + called.sum()))


def begin_tables(measured: Measured) -> list[ResultTable]:
    """For each split that is there: both forms, the classes alone, and who is taken for whom."""
    tables = []
    for split in dict.fromkeys(measured.facts("split")):
        within = measured.where(lambda item, split=split: item.facts["split"] == split)  # type: ignore[misc]
        tables += _of_split(measured, str(split), within)
    return tables


def _of_split(measured: Measured, split: str, within: _Mask) -> list[ResultTable]:
    known = published("begin", f"table 3 {split}")
    overlap = measured.values(FLOOR)
    nli = measured.values("e2e_nli")
    called = measured.scores[measured.main]
    five = _Classes(LABELS, measured.facts("label"), within, measured.clusters)
    three = _Classes(LABELS3, measured.facts("label3"), within, measured.clusters)
    from_overlap = [ENTAILMENT if value >= OVERLAPS else HALLUCINATION for value in overlap]
    rows5 = five.rows(
        "five-way",
        {
            "begin": called.column("begin", "label"),
            "overlap": from_overlap,
            "majority": five.majority(),
        },
        known,
    )
    neutral = [ENTAILMENT if label == ENTAILMENT else NEUTRAL for label in from_overlap]
    rows3 = three.rows(
        "three-way",
        {
            "begin": called.column("begin", "label3"),
            "end-to-end NLI": [_OF_NLI.get(value) for value in nli],
            "overlap": neutral,
            "majority": three.majority(),
        },
        known,
    )
    note = (
        f"overlap: entailment from a token overlap of {OVERLAPS} on, else hallucination (neutral); "
        "majority: the most frequent class of this split for every reply. Macro-F1 is the mean over "
        "the classes that occur."
    )
    rank = measured.rows(
        "entailment against the rest, ROC-AUC",
        ("begin_entailment", "e2e_nli", FLOOR),
        roc_auc,
        Published(),
        within=within,
        labels=np.array([label == ENTAILMENT for label in measured.facts("label")], dtype=float),
    )
    told = called.column("begin", "label")
    return [
        make_table(f"Table 3, {split}", "Accuracy and macro-F1", [*rows5, *rows3], known, note),
        make_table(f"Ranking, {split}", "ROC-AUC", rank, Published()),
        make_table(f"Classes, {split}", "Precision, recall and F1", five.each(told), Published()),
        make_table(
            f"Figure 2, {split}: who is taken for whom",
            "Share of a class that is called so; n is the number of replies",
            five.confusion(told),
            Published(),
        ),
    ]


class _Classes:
    """The true classes of some items as numbers, and figures of what they are called."""

    def __init__(
        self, names: Sequence[str], labels: Sequence[str], within: _Mask, clusters: Sequence[str]
    ) -> None:
        self.names = names
        self.within = within
        self.labels = self._numbers(labels)
        self.clusters = [name for name, one in zip(clusters, within, strict=True) if one]

    def _numbers(self, labels: Sequence[str | None]) -> Array:
        """Index of each label; NaN where an item was not classified."""
        found = [np.nan if label is None else float(self.names.index(label)) for label in labels]
        return np.array(found)[self.within]

    def majority(self) -> list[str]:
        """The most frequent class, for every item."""
        counts = [int((self.labels == i).sum()) for i in range(len(self.names))]
        return [self.names[int(np.argmax(counts))]] * len(self.within)

    def rows(
        self, form: str, called: dict[str, Sequence[str | None]], known: Published
    ) -> list[Row]:
        """Accuracy and macro-F1 of each way to call the items."""
        rows = []
        for name, statistic in (("accuracy", accuracy), ("macro-F1", macro_f1)):
            floor = None
            if "overlap" in called:
                floor = statistic(self.labels, self._numbers(called["overlap"]))
            for metric, labels in called.items():
                figure = bootstrap(statistic, self.labels, self._numbers(labels), self.clusters)
                part = f"{form} {name}"
                rows.append(known.row(part, metric, figure, floor))
        return rows

    def each(self, labels: Sequence[str | None]) -> list[Row]:
        """Precision, recall and F1 of each class; n is its support."""
        values = self._numbers(labels)
        rows = []
        for index, name in enumerate(self.names):
            true, called = self.labels == index, values == index
            support, hits = int(true.sum()), float((true & called).sum())
            figures = {
                "precision": hits / called.sum() if called.any() else None,
                "recall": hits / support if support else None,
                "F1": class_f1(self.labels, values, index) if support else None,
            }
            rows += [Row(name, how, Figure(value, None, support)) for how, value in figures.items()]
        return rows

    def confusion(self, labels: Sequence[str | None]) -> list[Row]:
        """For each class, how often it is called each of them."""
        values = self._numbers(labels)
        rows = []
        for index, name in enumerate(self.names):
            of_class = self.labels == index
            for other, called in enumerate(self.names):
                number = int((of_class & (values == other)).sum())
                share = number / of_class.sum() if of_class.any() else None
                rows.append(Row(name, f"called {called}", Figure(share, None, number)))
        return rows
