"""Scored items of a protocol, and statistics on them as rows of a table."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from qsquared.evaluation.data.files import Dataset, Item
from qsquared.evaluation.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run, Scores
from qsquared.evaluation.statistics import MetricDifference, compare_all, paired_bootstrap
from qsquared.method.bootstrap import (
    Array,
    Figure,
    Statistic,
    bootstrap,
)

Mask = npt.NDArray[np.bool_]
"""Marks the items of one part of the data."""

_PUBLISHED, _WORDS = (
    tomllib.loads(files("qsquared.evaluation").joinpath(name).read_text(encoding="utf-8"))
    for name in ("published.toml", "tables.toml")
)

BASELINES = ("overlap", "bleu", "rouge", "meteor", "bertscore", "e2e_nli")
"""The metrics that the papers compare with; all of them are run together."""

OVERLAPS = (FLOOR, "bleu", "rouge1", "rouge2", "rouge_l", "meteor", "bertscore")
"""Measures that compare words or their vectors, as tables show them."""

MEASURES = ("q2", "q2_without_nli", "blend", "e2e_nli", *OVERLAPS)
"""Measures that tables of Q² show, in this order."""

PUBLISHED_RULES = ", published rules"
"""Ends the name of a measure by the rules of the published code; its figure is that of the measure."""

MAIN_RUN = Run("q2", ("q2", "blend", *BASELINES))


@dataclass(frozen=True)
class Published:
    """The published figures of a table by "part / metric", confirmed ones and others."""

    source: str = ""
    confirmed: Mapping[str, float] = field(default_factory=dict)
    unconfirmed: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def row(
        self,
        part: str,
        metric: str,
        figure: Figure,
        floor: float | None = None,
        p_floor: float | None = None,
    ) -> Row:
        """Return a row with the published figure beside ours, if there is one."""
        key = f"{part} / {metric.removesuffix(PUBLISHED_RULES)}"
        known = self.confirmed.get(key, self.unconfirmed.get(key))
        sure = key not in self.unconfirmed
        bounds = self.intervals.get(key)
        return Row(part, metric, figure, known, floor, p_floor, sure, bounds)

    def complete(
        self, rows: Sequence[Row], of: Callable[[str], bool] = lambda _part: True
    ) -> list[Row]:
        """Add the published figures that no row has, each after the last row of its part.

        Args:
            rows: rows of ours.
            of: whether a part belongs to the table, where several tables share the figures.
        """
        there = {f"{row.part} / {row.metric.removesuffix(PUBLISHED_RULES)}" for row in rows}
        parts = list(dict.fromkeys(row.part for row in rows))
        found = {part: [row for row in rows if row.part == part] for part in parts}
        for key in (*self.confirmed, *self.unconfirmed):
            part, _, metric = key.partition(" / ")
            if key not in there and of(part):
                found.setdefault(part, []).append(self.row(part, metric, Figure(None, None, 0)))
        return [row for group in found.values() for row in group]


UNPUBLISHED = Published()
"""For tables of figures that no paper has."""


@dataclass(frozen=True)
class Measured:
    """A dataset with its scores by the name of the run.

    ``profile`` names the models of the runs that name no other;
    ``left_out`` are measures that these models cannot give.
    ``derived`` are measures that the protocol computed itself, one value for each item.
    Where a method takes ``within``, it is about these items only, else about all.
    """

    dataset: Dataset
    scores: Mapping[str, Scores]
    main: str
    profile: str = ""
    left_out: frozenset[str] = frozenset()
    derived: Mapping[str, Array] = field(default_factory=dict)

    @property
    def profiles(self) -> dict[str, str]:
        """Profile → its run, where runs differ in nothing else; the main one first."""
        others = {found.run.profile: name for name, found in self.scores.items()}
        return {self.profile: self.main} | {name: run for name, run in others.items() if name}

    def present(self, measures: Iterable[str]) -> list[str]:
        """Leave out the measures that the models cannot give."""
        return [measure for measure in measures if measure not in self.left_out]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the dataset."""
        return self.dataset.items

    @property
    def labels(self) -> Array:
        """People's judgements."""
        return np.array([item.label for item in self.items], dtype=float)

    def clusters(self, within: Mask | None = None) -> list[str]:
        """Return the context of each item."""
        kept = [True] * len(self.items) if within is None else within
        return [item.cluster for item, one in zip(self.items, kept, strict=True) if one]

    def values(self, measure: str, run: str = "") -> Array:
        """Return a measure of each item; NaN where it is not scored."""
        if measure in self.derived:
            return self.derived[measure]
        return self.scores[run or self.main].values(measure)

    def counts(self, name: str, run: str = "") -> Array:
        """Return a count of Q² for each item, such as its questions; 0 where it is not scored."""
        found = self.scores[run or self.main].column("scores", name)
        return np.array([0 if value is None else value for value in found], dtype=float)

    def facts(self, name: str) -> list[Any]:
        """Return a fact of each item."""
        return [item.facts.get(name) for item in self.items]

    def having(self, **facts: Any) -> Mask:
        """Mark the items that have all of these facts."""
        return np.array([facts.items() <= item.facts.items() for item in self.items], dtype=bool)

    def figure(
        self, statistic: Statistic, values: Array, within: Mask, labels: Array | None = None
    ) -> Figure:
        """Return a statistic of labels (people's, if none are given) and values."""
        truth = self.labels if labels is None else labels
        return bootstrap(statistic, truth[within], values[within], self.clusters(within))

    def rows(
        self,
        part: str,
        measures: Iterable[str],
        statistic: Statistic,
        published: Published,
        *,
        within: Mask | None = None,
        run: str = "",
        labels: Array | None = None,
        compare: bool = True,
        floor: str = FLOOR,
    ) -> list[Row]:
        """Return one row for each measure, beside the published figure and the token overlap."""
        chosen = slice(None) if within is None else within
        truth = (self.labels if labels is None else labels)[chosen]
        clusters = self.clusters(within)
        floor_values = self.values(floor)[chosen]
        of_floor = bootstrap(statistic, truth, floor_values, clusters).value
        rows = []
        for measure in self.present(measures):
            values = self.values(measure, run)[chosen]
            p_found = None
            if compare and measure != floor:
                p_found = paired_bootstrap(statistic, truth, values, floor_values, clusters)
            figure = bootstrap(statistic, truth, values, clusters)
            rows.append(published.row(part, measure, figure, of_floor, p_found))
        return rows

    def no_answer_row(self, part: str, published: Published, within: Mask) -> Row:
        """Return the share of questions that the knowledge does not answer; n is the questions."""
        asked = int(self.counts("questions")[within].sum())
        share = self.counts("no_answer")[within].sum() / max(1, asked)
        return published.row(part, "no_answer", Figure(float(share), None, asked))

    def pairs(
        self,
        part: str,
        measures: Iterable[str],
        statistic: Statistic,
        within: Mask | None = None,
    ) -> tuple[MetricDifference, ...]:
        """Return the differences between all pairs of measures of the main run."""
        chosen = slice(None) if within is None else within
        values = {measure: self.values(measure)[chosen] for measure in self.present(measures)}
        return compare_all(part, statistic, self.labels[chosen], values, self.clusters(within))


def published(protocol: str, table: str) -> Published:
    """Return the published figures of a table; none where the paper has no such table."""
    found: dict[str, Any] = dict(_PUBLISHED.get(protocol, {}).get(table, {}))
    if not found:
        return Published()
    source = f"{found.pop('source')}; confirmed by {found.pop('confirmed')}"
    unconfirmed = found.pop("unconfirmed", {})
    intervals = {key: (low, high) for key, (low, high) in found.pop("intervals", {}).items()}
    return Published(source, found, unconfirmed, intervals)


def make_table(
    protocol: str,
    table: str,
    rows: Sequence[Row],
    comparisons: Sequence[MetricDifference] = (),
    known: Published = UNPUBLISHED,
    **values: Any,
) -> ResultTable:
    """Make a table with the words of `tables.toml`, and the source of its published figures.

    Args:
        protocol: the protocol's name there.
        table: the table's name there.
        rows: the figures.
        comparisons: differences between metrics.
        known: published figures of the table.
        values: to put in the words.
    """
    words = _WORDS[protocol][table]
    title, statistic, note = (
        words.get(part, "").format(**values) for part in ("title", "statistic", "note")
    )
    return ResultTable(title, statistic, tuple(rows), known.source, note, tuple(comparisons))


def papers_alone(protocol: str, table: str) -> ResultTable:
    """Make a table of published figures that the released data cannot give."""
    known = published(protocol, table)
    return make_table(protocol, table, known.complete([]), known=known)
