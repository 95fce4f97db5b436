"""Report of an evaluation as plain values (tables of figures), and its files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from qsquared.errors import UsageError
from qsquared.evaluation.statistics import MetricDifference
from qsquared.method.bootstrap import Figure
from qsquared.storage.files.atomic import written_whole

FLOOR = "overlap_f1"
"""The trivial metric that every other one has to beat: shared words of reply and knowledge."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of one metric on one part of the data.

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


@dataclass(frozen=True)
class Report:
    """All facts, tables and notes of an evaluation."""

    name: str
    command: str
    warning: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[ResultTable, ...]
    notes: tuple[str, ...] = ()


HEAD = ("part", "metric", "ours", "95 % interval", "published", "token overlap", "n", "p")


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as texts, in the order of `HEAD`."""
    figure = row.figure
    return (
        row.part,
        row.metric,
        number(figure.value),
        interval(figure.interval),
        _published(row),
        number(row.floor),
        f"{figure.support:,}",
        number(row.p_floor),
    )


def _published(row: Row) -> str:
    if row.published is None:
        return ""
    bounds = "" if row.published_interval is None else f" ({interval(row.published_interval)})"
    return number(row.published) + bounds + ("" if row.confirmed else " ?")


def number(value: float | None) -> str:
    """Return a figure with three digits."""
    return "" if value is None else f"{value:.3f}"


def interval(ends: Sequence[float] | None) -> str:
    """Return the ends of an interval."""
    return "" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


_TEMPLATES = Environment(  # noqa: S701 - Markdown, not HTML
    loader=FileSystemLoader(Path(__file__).with_name("parts")),
    undefined=StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)


def rendered(name: str, **values: Any) -> str:
    """Return a page of Markdown by its template."""
    return _TEMPLATES.get_template(f"{name}.md.j2").render(values)


def markdown(report: Report) -> str:
    """Return the report as Markdown, with the command that made it."""
    return rendered("report", report=report, head=HEAD, cells=cells)


def _json(report: Report) -> str:
    return json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Report], str]] = {".md": markdown, ".json": _json}


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
