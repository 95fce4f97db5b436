"""Tables of the figures of ``benchmarks.paper.loop``, on a terminal and in Markdown."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from lab.benchmarks.tables import markdown_table, print_table

NAME = "loop"
"""Name of the figures in the marker comments of a page."""

Rows = list[tuple[str, ...]]


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def overall(report: Mapping[str, Any]) -> Rows:
    """Return each way's time, time a pair, and share of it spent in models."""
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
    """Return the calls and the time of each model, in both ways (medians over the repeats)."""
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
    """Return the time of each stage (median over the repeats)."""
    seconds: Mapping[str, float] = report["stages"]["by_stage"]
    whole = sum(seconds.values())
    rows: Rows = [("stage", "time", "share")]
    rows += [(name, _seconds(took), f"{took / whole:.1%}") for name, took in seconds.items()]
    return rows


def sentences(report: Mapping[str, Any]) -> list[str]:
    """Say the ratio, the agreement and the machine, each in a sentence."""
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
        print_table(console, rows)
    for sentence in sentences(report):
        console.print(sentence, highlight=False)
    for difference in report["agreement"]["differences"][:10]:
        console.print("  differs:", difference, markup=False, highlight=False)


def markdown(report: Mapping[str, Any]) -> str:
    """Return the same tables and sentences as Markdown."""
    tables = "\n".join(
        markdown_table(rows, "---:")
        for rows in (overall(report), by_role(report), by_stage(report))
    )
    return "\n".join([*sentences(report), "", tables])
