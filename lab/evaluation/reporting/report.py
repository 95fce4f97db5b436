"""Report of an evaluation as plain values (tables of figures, and curves), and its files."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError
from qsquared.evaluation.pairs import MetricDifference
from qsquared.method.bootstrap import Figure
from qsquared.storage.files.atomic import written_whole

FLOOR = "overlap_f1"
"""The trivial metric that every other one has to beat: shared words of reply and knowledge."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one metric on one part of the data.

    ``published`` is the paper's, with ``published_interval`` if it prints one, and ``confirmed`` says
    whether it stands in the paper's text; a figure without a value is one that only the paper has;
    ``p_floor`` is the p-value of the difference to the token overlap.
    """

    part: str
    metric: str
    figure: Figure
    published: float | None = None
    floor: float | None = None
    p_floor: float | None = None
    confirmed: bool = True
    published_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Figures of one statistic, and the differences between all pairs of metrics where they matter."""

    title: str
    statistic: str
    rows: tuple[Row, ...]
    source: str = ""
    note: str = ""
    comparisons: tuple[MetricDifference, ...] = ()


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
    """All facts, tables, charts and notes of an evaluation."""

    name: str
    command: str
    warning: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[ResultTable, ...]
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return the report as a plain JSON object."""
        return asdict(self)


HEAD = ("part", "metric", "ours", "95 % interval", "published", "token overlap", "n", "p")


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as texts, in the order of `HEAD`."""
    figure = row.figure
    return (
        row.part,
        row.metric,
        _number(figure.value),
        _interval(figure.interval),
        _published(row),
        _number(row.floor),
        f"{figure.support:,}",
        _number(row.p_floor),
    )


def _published(row: Row) -> str:
    if row.published is None:
        return ""
    bounds = "" if row.published_interval is None else f" ({_interval(row.published_interval)})"
    return _number(row.published) + bounds + ("" if row.confirmed else " ?")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{_number(ends[0])} to {_number(ends[1])}"


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of all pairs of metrics on one part of the data, as a square of texts."""

    part: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def differences(table: ResultTable) -> list[Differences]:
    """Return the comparisons of a table as squares: row minus column, and p in brackets."""
    squares = []
    for part in dict.fromkeys(one.part for one in table.comparisons):
        pairs = {(one.first, one.second): one for one in table.comparisons if one.part == part}
        firsts = list(dict.fromkeys(first for first, _ in pairs))
        seconds = list(dict.fromkeys(second for _, second in pairs))
        rows = tuple(
            (first, *(_difference(pairs.get((first, second))) for second in seconds))
            for first in firsts
        )
        squares.append(Differences(part, tuple(seconds), rows))
    return squares


def _difference(one: MetricDifference | None) -> str:
    if one is None:
        return ""
    return f"{one.difference:+.3f}" + ("" if one.p is None else f" ({one.p:.3f})")


def markdown(report: Report) -> str:
    """Return the report as Markdown, with the command that made it."""
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
        for square in differences(table):
            yield f"\n{square.part}, row minus column, and p of the paired bootstrap:\n"
            yield f"| | {' | '.join(square.names)} |"
            yield f"|---|{'--:|' * len(square.names)}"
            for line in square.rows:
                yield f"| {' | '.join(line)} |"


def _json(report: Report) -> str:
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Report], str]] = {
    ".md": markdown,
    ".json": _json,
}


def check_form(path: Path) -> None:
    """Refuse a file of another form.

    Raises:
        UsageError: its extension names none.
    """
    if path.suffix not in FORMS:
        raise UsageError(f"--out {path} has no known extension.", f"Use one of: {', '.join(FORMS)}")


def write_report(report: Report, path: Path) -> None:
    """Write a report whole or not at all, in the form that its extension names.

    Raises:
        UsageError: the file cannot be written.
    """
    with written_whole(path) as temporary:
        temporary.write_text(FORMS[path.suffix](report), encoding="utf-8")
