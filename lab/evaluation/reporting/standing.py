"""Page of ten lines: our figures beside the papers', read from the reports of the protocols."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qsquared.evaluation.reporting.report import FLOOR
from qsquared.profiles.profile import OPTIONAL_ROLES, ROLES

_Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A figure of a paper and the row of a report that has ours.

    ``table`` begins the title of the table; ``papers_metric`` is the paper's row of the same part,
    where it has another name than our ``metric``; the paired test is with the measure ``against``.
    """

    paper: str
    statistic: str
    report: str
    table: str
    part: str
    metric: str
    papers_metric: str = ""
    lower_is_better: bool = False
    against: str = FLOOR


LINES = (
    Line(
        "Q², table 3",
        "accuracy on single replies at 0.5",
        "q2-wow", "Table 3", "accuracy", "q2",
    ),
    Line(
        "Q², table 4",
        "order of simulated systems, Spearman",
        "q2-system-level", "Table 4", "all systems", "q2",
    ),
    Line(
        "Q², table 5",
        "Topical-Chat's \"Uses Knowledge\", Spearman",
        "topical-chat", "Table 5", "Spearman", "q2",
    ),
    Line(
        "Q², table 6",
        "accuracy on Dialogue NLI at a tuned threshold",
        "dnli", "Table 6", "accuracy", "q2",
    ),
    Line(
        "Q², table 10",
        "mean Q² beside another dialogue's knowledge (lower is better)",
        "q2-random-knowledge", "Table 10", "across dialogues", "q2",
        lower_is_better=True,
    ),
    Line(
        "QAGS, table 1",
        "CNN/DM summaries, Pearson",
        "qags-cnndm", "Agreement with people", "Pearson", "qags",
    ),
    Line(
        "QAGS, table 1",
        "XSUM summaries, Pearson",
        "qags-xsum", "Agreement with people", "Pearson", "qags",
    ),
    Line(
        "QAGS, table 5",
        "correct sentence ranked above the wrong one",
        "ranking", "Ranking of claims", "correct above incorrect", "qags",
    ),
    Line(
        "BEGIN, table 3",
        "three-way accuracy, development set",
        "begin", "Table 3, dev", "three-way accuracy", "begin",
        "BERT, MNLI and adversarial",
    ),
    Line(
        "GLUE, table 1",
        "Topical-Chat's \"Overall\" by the regression on all indicators, Pearson",
        "usr", "topical-chat: Pearson", "Overall", "regression, all",
        against="the paper's regression, all",
    ),
)  # fmt: skip
"""One line for each table that a paper rests on."""

_HEAD = (
    "paper", "statistic", "ours", "95 % interval", "the paper's", "ours is", "token overlap", "p",
)  # fmt: skip


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
    return "\n".join(_lines(reports, left_out)) + "\n"


def _lines(reports: Mapping[str, _Json], left_out: Mapping[str, str]) -> Iterator[str]:
    yield "# Where ours stands against the papers\n"
    profiles = dict.fromkeys(
        value for report in reports.values() for name, value in report["facts"] if name == "profile"
    )
    yield f"Profile: {', '.join(profiles) or 'none'}; its models are in the head of each report."
    yield "`make results DATA=…` writes this page from the reports beside it.\n"
    yield f"| {' | '.join(_HEAD)} |"
    yield "|---|---|--:|---|--:|---|--:|--:|"
    missing = []
    for line in LINES:
        cells = _cells(line, reports.get(line.report))
        yield f"| {' | '.join((line.paper, _linked(line, reports), *cells))} |"
        if line.report not in reports:
            missing.append(left_out.get(line.report, f"{line.report}: it was not measured."))
    yield ""
    yield (
        "*Ours is* compares our interval with the paper's figure as it is printed: `level` if the "
        "interval holds it. Of Q², QAGS and BEGIN the scores of single items are not released, so "
        "this is no paired test; it takes their figure as exact."
    )
    yield (
        "*p* is the paired bootstrap on the same items: of ours against the token overlap, the floor "
        "that needs no model, and in the line of GLUE against the paper's own models, whose values "
        "are released. It is empty where the report compares nothing so."
    )
    for name in _made_otherwise(reports):
        yield f"- {name} was measured with other models than the other reports; measure it again."
    for sentence in dict.fromkeys(missing):
        yield f"- Not measured: {sentence}"


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
    usual = {}
    for role in (*ROLES, *OPTIONAL_ROLES):
        counts = Counter(found[role] for found in models.values() if role in found)
        if counts:
            usual[role] = counts.most_common(1)[0][0]
    return [
        name
        for name, found in models.items()
        if any(usual[role] != one for role, one in found.items())
    ]


def _linked(line: Line, reports: Mapping[str, _Json]) -> str:
    if line.report not in reports:
        return line.statistic
    return f"[{line.statistic}]({line.report}.md)"


def _cells(line: Line, report: _Json | None) -> tuple[str, ...]:
    """Return the cells after the statistic; all but the first are empty where nothing was measured."""
    found = None if report is None else _figure(line, report)
    if found is None:
        return ("not measured", *("" for _ in _HEAD[3:]))
    return found


def _figure(line: Line, report: _Json) -> tuple[str, ...] | None:
    tables = [table for table in report["tables"] if table["title"].startswith(line.table)]
    rows = [row for table in tables for row in table["rows"] if row["part"] == line.part]
    ours = _row(rows, line.metric)
    if ours is None or ours["figure"]["value"] is None:
        return None
    papers = _row(rows, line.papers_metric) if line.papers_metric else ours
    published = None if papers is None else papers["published"]
    doubt = "" if papers is None or papers["confirmed"] else " ?"
    return (
        _number(ours["figure"]["value"]),
        _interval(ours["figure"]["interval"]),
        _number(published) + doubt,
        _comparison(ours["figure"], published, line.lower_is_better),
        _number(_floor(ours, rows)),
        _number(_p(line, ours, tables)),
    )


def _row(rows: list[_Json], metric: str) -> _Json | None:
    """Return the row of a metric; a star behind its name marks a significant correlation."""
    return next((row for row in rows if row["metric"].removesuffix(" *") == metric), None)


def _floor(ours: _Json, rows: list[_Json]) -> float | None:
    if ours["floor"] is not None:
        return float(ours["floor"])
    floor = _row(rows, FLOOR)
    return None if floor is None else floor["figure"]["value"]


def _p(line: Line, ours: _Json, tables: list[_Json]) -> float | None:
    """Return the p-value of the line's paired test, from the row or the table's comparisons."""
    if ours["p_floor"] is not None:
        return float(ours["p_floor"])
    both = {line.metric, line.against}
    for table in tables:
        for one in table["comparisons"]:
            if one["part"] == ours["part"] and {one["first"], one["second"]} == both:
                return None if one["p"] is None else float(one["p"])
    return None


def _comparison(figure: _Json, published: float | None, lower_is_better: bool) -> str:
    if published is None or figure["interval"] is None:
        return ""
    low, high = figure["interval"]
    if low <= published <= high:
        return "level"
    above = low > published
    better = above != lower_is_better
    return f"{'above' if above else 'below'} ({'better' if better else 'worse'})"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(ends: list[float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"
