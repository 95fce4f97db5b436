"""Tables of the figures of ``benchmarks.paper.loop``, and how far two ways of scoring agree item by item."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from lab.benchmarks.paper.plain_loop import PairScore
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


def sentences(report: Mapping[str, Any]) -> list[str]:
    """Say the ratio, the agreement and the machine, each in a sentence."""
    ratio, agreement, machine = report["ratio"], report["agreement"], report["machine"]
    repeats = "1 repeat" if report["repeats"] == 1 else f"{report['repeats']} interleaved repeats"
    return [
        (
            f"The stages were {ratio['median']:.1f} times as fast as the plain loop "
            f"({ratio['min']:.1f} to {ratio['max']:.1f} times), over {report['pairs']:,} pairs, "
            f"profile {report['profile']}, {repeats}."
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
    for rows in (overall(report), by_role(report)):
        print_table(console, rows)
    for sentence in sentences(report):
        console.print(sentence, highlight=False)
    for difference in report["agreement"]["differences"][:10]:
        console.print("  differs:", difference, markup=False, highlight=False)


def markdown(report: Mapping[str, Any]) -> str:
    """Return the same tables and sentences as Markdown."""
    tables = "\n".join(markdown_table(rows, "---:") for rows in (overall(report), by_role(report)))
    return "\n".join([*sentences(report), "", tables])


TOLERANCE = 1e-6
"""Scores that differ by no more are equal; they are means of a few token F1 and verdicts."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of compared items, and the unequal ones in words."""

    items: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> int:
        """Items decided alike."""
        return self.items - len(self.differences)

    @property
    def share(self) -> float:
        """Share of equal items, 0 to 1; 1 where there is none."""
        return self.equal / self.items if self.items else 1.0


def compare_scores(first: Mapping[str, PairScore], second: Mapping[str, PairScore]) -> Agreement:
    """Compare every pair's status and scores, and every question that either of the two kept."""
    items = 0
    differences = []
    for pair in {**first, **second}:
        ours, theirs = _items(first.get(pair)), _items(second.get(pair))
        for item in {**ours, **theirs}:
            items += 1
            if not _equal(ours.get(item), theirs.get(item)):
                differences.append(f"{pair} {item}: {ours.get(item)} against {theirs.get(item)}")
    return Agreement(items, tuple(differences))


def _items(score: PairScore | None) -> dict[str, tuple[Any, ...]]:
    return {} if score is None else dict(_decisions(score))


def _decisions(score: PairScore) -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield "pair", (score.status, score.q2, score.q2_without_nli)
    for asked in score.questions:
        yield (
            f"question {asked.rank} on {asked.span!r} at {asked.span_start}",
            (asked.question, asked.knowledge_answer, asked.score, asked.score_without_nli),
        )


def _equal(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> bool:
    if first is None or second is None:
        return False
    return all(
        abs(a - b) <= TOLERANCE if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(first, second, strict=True)
    )
