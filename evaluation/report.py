"""What an evaluation found, as plain values: tables of figures, and curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from qsquared.evaluation.statistics import Figure

FLOOR = "overlap_f1"
"""The trivial metric that each other one has to beat: shared words of reply and knowledge."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one metric on one part of the data.

    ``published`` is the paper's, ``p_floor`` the p-value of the difference to the token overlap.
    """

    part: str
    metric: str
    figure: Figure
    published: float | None = None
    floor: float | None = None
    p_floor: float | None = None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Figures of one statistic."""

    title: str
    statistic: str
    rows: tuple[Row, ...]
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a chart: points (x, y) in order."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over the same axes, both 0 to 1."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Report:
    """All that an evaluation says."""

    name: str
    command: str
    warning: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[ResultTable, ...]
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The report as a plain JSON object."""
        return asdict(self)


HEAD = ("part", "metric", "ours", "95 % interval", "published", "token overlap", "n", "p")


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, in the order of `HEAD`."""
    figure = row.figure
    interval = (
        "" if figure.interval is None else f"{_n(figure.interval[0])} to {_n(figure.interval[1])}"
    )
    return (
        row.part,
        row.metric,
        _n(figure.value),
        interval,
        "" if row.published is None else _n(row.published),
        "" if row.floor is None else _n(row.floor),
        f"{figure.support:,}",
        "" if row.p_floor is None else f"{row.p_floor:.3f}",
    )


def _n(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def markdown(report: Report) -> str:
    """The report as Markdown, with the command that made it."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {report.name}\n"
    yield f"{report.warning}\n"
    yield f"```sh\n{report.command}\n```\n"
    for name, value in report.facts:
        yield f"- {name}: {value}"
    for note in report.notes:
        yield f"- {note}"
    for table in report.tables:
        yield f"\n## {table.title}\n"
        yield f"{table.statistic}." + (f" Published: {table.source}." if table.source else "")
        if table.note:
            yield table.note
        yield ""
        yield f"| {' | '.join(HEAD)} |"
        yield "|---|---|--:|---|--:|--:|--:|--:|"
        for row in table.rows:
            yield f"| {' | '.join(cells(row))} |"
