"""The figures of ``benchmarks.paper.loop`` as tables, on a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from qsquared.errors import UsageError

BEGIN, END = "<!-- loop: begin -->", "<!-- loop: end -->"

Rows = list[tuple[str, ...]]


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def overall(report: Mapping[str, Any]) -> Rows:
    """Each way's time, time a pair, and share of it spent in models."""
    rows: Rows = [("", "plain loop", "stages")]
    ways = report["plain_loop"], report["stages"]
    pairs = report["pairs"]
    rows.append(("median", *(_seconds(way["median_seconds"]) for way in ways)))
    rows.append(("fastest repeat", *(_seconds(min(way["seconds"])) for way in ways)))
    rows.append(("slowest repeat", *(_seconds(max(way["seconds"])) for way in ways)))
    rows.append(("a pair", *(f"{way['median_seconds'] / pairs * 1000:.0f} ms" for way in ways)))
    rows.append(("in models", *(f"{way['model_share']:.1%}" for way in ways)))
    return rows


def by_role(report: Mapping[str, Any]) -> Rows:
    """What each model was asked and how long it took, in both ways (medians over the repeats)."""
    rows: Rows = [("model", "loop", "calls", "stages", "calls", "requests", "loop / stages")]
    for role, loop in report["plain_loop"]["models"].items():
        stages = report["stages"]["models"][role]
        ratio = loop["seconds"] / stages["seconds"] if stages["seconds"] else 0.0
        rows.append(
            (
                role.replace("_", " "),
                _seconds(loop["seconds"]),
                f"{loop['calls']:,}",
                _seconds(stages["seconds"]),
                f"{stages['calls']:,}",
                f"{stages['requests']:,}",
                f"{ratio:.1f}",
            )
        )
    return rows


def by_stage(report: Mapping[str, Any]) -> Rows:
    """How long each stage took (median over the repeats)."""
    seconds: Mapping[str, float] = report["stages"]["by_stage"]
    whole = sum(seconds.values())
    rows: Rows = [("stage", "time", "share")]
    rows += [(name, _seconds(took), f"{took / whole:.1%}") for name, took in seconds.items()]
    return rows


def sentences(report: Mapping[str, Any]) -> list[str]:
    """The ratio, the agreement and the machine, each in a sentence."""
    ratio, agreement, machine = report["ratio"], report["agreement"], report["machine"]
    repeats = "1 repeat" if report["repeats"] == 1 else f"{report['repeats']} interleaved repeats"
    return [
        (
            f"The stages were {ratio['median']:.1f} times as fast as the plain loop "
            f"({ratio['min']:.1f} to {ratio['max']:.1f} times), over {report['pairs']:,} pairs, "
            f"profile {report['profile']}, variant {report['variant']}, {repeats}."
        ),
        (
            f"Equal decisions, over all repeats: {agreement['equal']:,} of "
            f"{agreement['items']:,} ({agreement['share']:.2%})."
        ),
        (
            f"Machine: {machine['processor']}, {machine['cores']} cores, "
            f"{machine['torch_threads']} torch threads, {machine['memory_gib']} GiB, "
            f"{machine['system']}; Python {machine['python']}, torch {machine['torch']}, "
            f"transformers {machine['transformers']}, spaCy {machine['spacy']}."
        ),
    ]


def show(console: Console, report: Mapping[str, Any]) -> None:
    """Print the tables and sentences, and the first differences if there are any."""
    for rows in (overall(report), by_role(report), by_stage(report)):
        table = Table(*rows[0])
        for column in table.columns[1:]:
            column.justify = "right"
        for row in rows[1:]:
            table.add_row(*row)
        console.print(table)
    for sentence in sentences(report):
        console.print(sentence, highlight=False)
    for difference in report["agreement"]["differences"][:10]:
        console.print("  differs:", difference, markup=False, highlight=False)


def markdown(report: Mapping[str, Any]) -> str:
    """The same tables and sentences as Markdown."""
    tables = "\n".join(
        _markdown_table(rows) for rows in (overall(report), by_role(report), by_stage(report))
    )
    return "\n".join([*sentences(report), "", tables])


def _markdown_table(rows: Rows) -> str:
    rule = tuple("---" if column == 0 else "---:" for column in range(len(rows[0])))
    return "".join(f"| {' | '.join(row)} |\n" for row in (rows[0], rule, *rows[1:]))


def write_markdown(path: Path, report: Mapping[str, Any]) -> None:
    """Put the figures between the two marker comments of a page; the rest of it stays.

    Raises:
        UsageError: the page is not there or lacks the markers.
    """
    text = read_page(path)
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n{markdown(report)}\n{END}{after}", encoding="utf-8")


def read_page(path: Path) -> str:
    """The text of a page that has the markers.

    Raises:
        UsageError: the page is not there or lacks the markers.
    """
    hint = f"Name a page that has the lines {BEGIN} and {END}."
    if not path.is_file():
        raise UsageError(f"There is no page {path}.", hint)
    text = path.read_text(encoding="utf-8")
    if -1 in (start := text.find(BEGIN), text.find(END, max(start, 0))):
        raise UsageError(f"{path} lacks a marker comment for the figures.", hint)
    return text
