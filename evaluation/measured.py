"""The scored items of a protocol, and figures of them as rows of a table."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from qsquared.evaluation.data.items import Dataset, Item
from qsquared.evaluation.pairs import Comparison, compare_all
from qsquared.evaluation.reporting.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run, Scores
from qsquared.evaluation.statistics import Figure, Statistic, bootstrap, paired_bootstrap

Array = npt.NDArray[np.float64]

_PUBLISHED: dict[str, Any] = tomllib.loads(
    files("qsquared.evaluation").joinpath("published.toml").read_text(encoding="utf-8")
)

BASELINES = ("overlap", "bleu", "rouge", "meteor", "bertscore", "e2e_nli")
"""The metrics that the papers compare with; all of them are run together."""

MEASURES = (
    "q2",
    "q2_without_nli",
    "blend",
    "e2e_nli",
    "overlap_f1",
    "bleu",
    "rouge1",
    "rouge2",
    "rouge_l",
    "meteor",
    "bertscore",
)
"""What tables of Q² show, in this order."""


@dataclass(frozen=True)
class Published:
    """The published figures of a table by "part / metric", confirmed ones and others."""

    source: str = ""
    confirmed: Mapping[str, float] = field(default_factory=dict)
    unconfirmed: Mapping[str, float] = field(default_factory=dict)

    def row(
        self,
        part: str,
        metric: str,
        figure: Figure,
        floor: float | None = None,
        p_floor: float | None = None,
    ) -> Row:
        """A row with the published figure beside ours, if there is one."""
        key = f"{part} / {metric}"
        known = self.confirmed.get(key, self.unconfirmed.get(key))
        return Row(part, metric, figure, known, floor, p_floor, key not in self.unconfirmed)


@dataclass(frozen=True)
class Measured:
    """A dataset with its scores by the name of the run.

    ``profile`` names the models of the runs that name no other;
    ``left_out`` are measures that these models cannot give.
    """

    dataset: Dataset
    scores: Mapping[str, Scores]
    main: str
    profile: str = ""
    left_out: frozenset[str] = frozenset()

    @property
    def profiles(self) -> dict[str, str]:
        """Profile → its run, where runs differ in nothing else; the main one first."""
        others = {found.run.profile: name for name, found in self.scores.items()}
        return {self.profile: self.main} | {name: run for name, run in others.items() if name}

    def present(self, measures: Iterable[str]) -> list[str]:
        """Those of the measures that there are."""
        return [measure for measure in measures if measure not in self.left_out]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the dataset."""
        return self.dataset.items

    @property
    def labels(self) -> Array:
        """People's judgements; NaN where there is none."""
        found = [np.nan if item.label is None else item.label for item in self.items]
        return np.array(found, dtype=float)

    @property
    def clusters(self) -> list[str]:
        """The context of each item."""
        return [item.cluster for item in self.items]

    def values(self, measure: str, run: str = "") -> Array:
        """A measure of each item; NaN where it is not scored."""
        return self.scores[run or self.main].values(measure)

    def facts(self, name: str) -> list[Any]:
        """A fact of each item."""
        return [item.facts.get(name) for item in self.items]

    def where(self, holds: Callable[[Item], bool]) -> npt.NDArray[np.bool_]:
        """The items for which something holds."""
        return np.array([holds(item) for item in self.items], dtype=bool)

    def rows(
        self,
        part: str,
        measures: Iterable[str],
        statistic: Statistic,
        published: Published,
        *,
        within: npt.NDArray[np.bool_] | None = None,
        run: str = "",
        labels: Array | None = None,
        compare: bool = True,
    ) -> list[Row]:
        """One row for each measure, beside the published figure and the token overlap."""
        chosen = np.ones(len(self.items), dtype=bool) if within is None else within
        truth = (self.labels if labels is None else labels)[chosen]
        clusters = [name for name, one in zip(self.clusters, chosen, strict=True) if one]
        floor_values = self.values(FLOOR)[chosen]
        floor = bootstrap(statistic, truth, floor_values, clusters).value
        rows = []
        for measure in self.present(measures):
            values = self.values(measure, run)[chosen]
            p_found = None
            if compare and measure != FLOOR:
                p_found = paired_bootstrap(statistic, truth, values, floor_values, clusters)
            figure = bootstrap(statistic, truth, values, clusters)
            rows.append(published.row(part, measure, figure, floor, p_found))
        return rows

    def pairs(
        self,
        part: str,
        measures: Iterable[str],
        statistic: Statistic,
        within: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[Comparison, ...]:
        """The differences between all pairs of measures of the main run."""
        chosen = np.ones(len(self.items), dtype=bool) if within is None else within
        values = {measure: self.values(measure)[chosen] for measure in self.present(measures)}
        clusters = [name for name, one in zip(self.clusters, chosen, strict=True) if one]
        return compare_all(part, statistic, self.labels[chosen], values, clusters)


def published(protocol: str, table: str) -> Published:
    """The published figures of a table; none where the paper has no such table."""
    found: dict[str, Any] = dict(_PUBLISHED.get(protocol, {}).get(table, {}))
    if not found:
        return Published()
    source = f"{found.pop('source')} (found again in: {found.pop('confirmed')})"
    unconfirmed = found.pop("unconfirmed", {})
    return Published(source, found, unconfirmed)


def make_table(
    title: str,
    statistic: str,
    rows: Sequence[Row],
    known: Published,
    note: str = "",
    comparisons: Sequence[Comparison] = (),
) -> ResultTable:
    """A table with the source of its published figures."""
    return ResultTable(title, statistic, tuple(rows), known.source, note, tuple(comparisons))


MAIN_RUN = Run("q2", ("q2", "blend", *BASELINES))
