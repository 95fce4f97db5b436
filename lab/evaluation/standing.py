"""Page of our figures beside the papers' best, read from the reports of the protocols.

It judges as an opponent would: a figure of ours is better only where its whole interval is, the
paper's best figure of the table counts, and so does the best measure that merely compares words.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qsquared.evaluation.report import FLOOR, interval, number, rendered
from qsquared.profiles.profile import OPTIONAL_ROLES, ROLES

_Json = Mapping[str, Any]

_WORDS = frozenset(
    f"overlap {FLOOR} bleu bleu-1 bleu-2 bleu-3 rouge1 rouge2 rouge_l meteor".split()
)
"""Measures that compare the words of reply and knowledge, without any model."""

_SIGNIFICANT = 0.05
_NOT_MEASURED = ("not measured", *[""] * 6)


@dataclass(frozen=True, slots=True)
class Line:
    """A table of a paper and the row of a report that has our figure of it.

    ``table`` begins the title of the table; ``against`` is a measure for the paired test where the
    report has no measure of words.
    A lower mean is no achievement of words, so a line in which ``lower_is_better`` has no such test.
    """

    paper: str
    statistic: str
    report: str
    table: str
    part: str
    metric: str
    lower_is_better: bool = False
    against: str = ""


LINES = tuple(
    Line(**line)
    for line in tomllib.loads(
        Path(__file__).with_name("standing.toml").read_text(encoding="utf-8")
    )["line"]
)
"""A line for each table that a paper rests on."""


def read_reports(folder: Path) -> dict[str, _Json]:
    """Read the reports of a folder that a line of the page needs, by the name of the protocol."""
    paths = {name: folder / f"{name}.json" for name in dict.fromkeys(one.report for one in LINES)}
    return {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name, path in paths.items()
        if path.exists()
    }


def standing(reports: Mapping[str, _Json], left_out: Mapping[str, str]) -> str:
    """Return the page as Markdown.

    Args:
        reports: the reports as in their JSON files, by the name of the protocol.
        left_out: why a protocol has no report, by its name.
    """
    lines, missing = [], []
    for line in LINES:
        report = reports.get(line.report)
        cells = None if report is None else _cells(line, report)
        name = line.statistic if report is None else f"[{line.statistic}]({line.report}.md)"
        lines.append((line.paper, name, *(cells or _NOT_MEASURED)))
        if report is None:
            missing.append(left_out.get(line.report, f"{line.report}: it was not measured."))
        elif cells is None:
            missing.append(f"{line.report}, {line.statistic}: its report has no such row.")
    facts = (fact for report in reports.values() for fact in report["facts"])
    return rendered(
        "standing",
        profiles=dict.fromkeys(value for name, value in facts if name == "profile"),
        lines=lines,
        made_otherwise=_made_otherwise(reports),
        missing=dict.fromkeys(missing),
    )


def _made_otherwise(reports: Mapping[str, _Json]) -> list[str]:
    """Return the reports in which a role has another model than in most.

    The arithmetic, which follows the parameters, makes no other model: the decisions are equal.
    """
    models = {
        name: {
            role: one.partition("} ")[0]
            for role, one in report["facts"]
            if role in {*ROLES, *OPTIONAL_ROLES}
        }
        for name, report in reports.items()
    }
    counts = Counter(pair for found in models.values() for pair in found.items())
    usual = dict(pair for pair, _ in reversed(counts.most_common()))
    return [name for name, found in models.items() if not found.items() <= usual.items()]


def _cells(line: Line, report: _Json) -> tuple[str, ...] | None:
    """Return the cells after the statistic, or ``None`` if the report lacks our figure."""
    tables = [table for table in report["tables"] if table["title"].startswith(line.table)]
    rows = [row for table in tables for row in table["rows"] if row["part"] == line.part]
    ours = _row(rows, line.metric)
    if ours is None or ours["figure"]["value"] is None:
        return None
    best = _best_published(rows, line)
    words = None if line.lower_is_better else _best_of_words(rows)
    p = _p(line, ours, None if words is None else words["metric"], tables)
    floor = next((row for name in (FLOOR, "overlap") if (row := _row(rows, name))), None)
    return (
        number(ours["figure"]["value"]),
        interval(ours["figure"]["interval"]),
        "" if best is None else _published(best, line),
        "" if floor is None else number(floor["figure"]["value"]),
        "" if words is None else f"{number(words['figure']['value'])} ({words['metric']})",
        number(p),
        _verdict(line, ours, best, words, p),
    )


def _row(rows: list[_Json], metric: str) -> _Json | None:
    """Return the row of a metric; a star behind its name marks a significant correlation."""
    return next((row for row in rows if row["metric"].removesuffix(" *") == metric), None)


def _best_published(rows: list[_Json], line: Line) -> _Json | None:
    known = [row for row in rows if row["published"] is not None]
    choose = min if line.lower_is_better else max
    return choose(known, key=lambda row: float(row["published"]), default=None)


def _published(row: _Json, line: Line) -> str:
    name = row["metric"].removesuffix(" *")
    whose = "" if line.metric.startswith(name) else f" ({name})"
    return number(row["published"]) + ("" if row["confirmed"] else " ?") + whose


def _best_of_words(rows: list[_Json]) -> _Json | None:
    measured = [
        row
        for row in rows
        if row["metric"].partition(",")[0] in _WORDS and row["figure"]["value"] is not None
    ]
    return max(measured, key=lambda row: float(row["figure"]["value"]), default=None)


def _p(line: Line, ours: _Json, words: str | None, tables: list[_Json]) -> float | None:
    """Return the p-value of the line's paired test, from the table's comparisons or the row."""
    other = line.against or words
    pair = {line.metric, other}
    for one in (one for table in tables for one in table["comparisons"]):
        if one["part"] == ours["part"] and {one["first"], one["second"]} == pair:
            return None if one["p"] is None else float(one["p"])
    if other in (FLOOR, "overlap") and ours["p_floor"] is not None:
        return float(ours["p_floor"])
    return None


def _verdict(
    line: Line, ours: _Json, best: _Json | None, words: _Json | None, p: float | None
) -> str:
    """Return how ours stands against the paper's best figure and against mere words."""
    found = []
    if best is not None and ours["figure"]["interval"] is not None:
        low, high = ours["figure"]["interval"]
        if low <= best["published"] <= high:
            found.append("level with the paper")
        else:
            better = (low > best["published"]) != line.lower_is_better
            found.append(f"{'better' if better else 'worse'} than the paper")
    if words is not None:
        value = float(words["figure"]["value"])
        if p is None or p >= _SIGNIFICANT:
            found.append("not told apart from words")
        else:
            above = float(ours["figure"]["value"]) > value
            found.append(f"{'better' if above else 'worse'} than words")
        if best is not None and value > best["published"]:
            found.append("words are above the paper, too")
    return "; ".join(found)
