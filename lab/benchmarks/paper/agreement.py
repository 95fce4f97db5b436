"""Agreement of two ways of scoring, item by item."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.benchmarks.paper.plain_loop import PairScore

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
