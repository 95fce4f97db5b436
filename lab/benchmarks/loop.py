"""``python -m lab.benchmarks.loop``: time the stages of Q² against the plain loop, in one process.

Both score the same pairs with the same model objects, in turns, so that a busy machine slows both.
Only the ratio counts; the command fails if the two decide anything differently.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from lab.benchmarks.corpus import EXAMPLES, read_shards
from lab.benchmarks.machine import describe_machine
from lab.benchmarks.plain_loop import AskedQuestion, PairScore, score_pair
from qsquared.errors import Q2Error, UsageError
from qsquared.language.judging.nli import NliJudge, PooledJudge
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.graph import AS_PUBLISHED
from qsquared.tasks.jobs.in_memory import run_stages
from qsquared.tasks.stage import Roles, Rows

QUICK_PAIRS = 6
WARM_UP_PAIRS = 2
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
    ours, theirs = dict(_decisions(first)), dict(_decisions(second))
    items = {**ours, **theirs}
    differences = [
        f"{item}: {ours.get(item)} against {theirs.get(item)}"
        for item in items
        if not _equal(ours.get(item), theirs.get(item))
    ]
    return Agreement(len(items), tuple(differences))


def _decisions(scores: Mapping[str, PairScore]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for pair, score in scores.items():
        yield f"{pair} pair", (score.status, score.q2, score.q2_without_nli)
        for asked in score.questions:
            yield (
                f"{pair} question {asked.rank} on {asked.span!r} at {asked.span_start}",
                (asked.question, asked.knowledge_answer, asked.score, asked.score_without_nli),
            )


def _equal(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> bool:
    if first is None or second is None:
        return False
    return all(
        abs(a - b) <= TOLERANCE if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(first, second, strict=True)
    )


def pair_scores(tables: Mapping[str, Rows]) -> dict[str, PairScore]:
    """Return the decisions in the tables, by pair."""
    spans = {(row["pair_id"], row["span_index"]): row for row in tables["spans"]}
    questions = _by_question(tables["questions"])
    compared = _by_question(tables["comparisons"])
    asked: dict[str, list[AskedQuestion]] = defaultdict(list)
    for key, answer in _by_question(tables["answers"]).items():
        pair, index, rank = key
        if index is None or key not in compared:
            continue  # a model failed here, and the pair's status says so
        span = spans[pair, index]
        asked[pair].append(
            AskedQuestion(
                span["start"],
                span["text"],
                rank,
                questions[key]["question"],
                answer["knowledge_answer"],
                compared[key]["score"],
                compared[key]["score_without_nli"],
            )
        )
    return {
        row["pair_id"]: PairScore(
            row["status"], row["q2"], row["q2_without_nli"], tuple(asked[row["pair_id"]])
        )
        for row in tables["scores"]
    }


def _by_question(rows: Rows) -> dict[tuple[str, Any, Any], dict[str, Any]]:
    return {(row["pair_id"], row["span_index"], row["rank"]): row for row in rows}


@dataclass
class Way:
    """One of the two ways to score: the time of each repeat, and the decisions."""

    seconds: list[float] = field(default_factory=list)
    scores: dict[str, PairScore] = field(default_factory=dict)


def _forget(models: Roles) -> None:
    """Let the judge forget what it has judged, so that it judges anew."""
    if isinstance(judge := models.entailment, NliJudge | PooledJudge):
        judge.forget()


def run_loop(shards: Sequence[Rows], models: Roles, way: Way) -> None:
    """Score all pairs by the plain loop."""
    _forget(models)
    started = time.perf_counter()
    way.scores = {
        pair["pair_id"]: score_pair(pair["response"], pair["knowledge"], models)
        for shard in shards
        for pair in shard
    }
    way.seconds.append(time.perf_counter() - started)


def run_batched(shards: Sequence[Rows], models: Roles, way: Way) -> None:
    """Score all pairs by the stages, shard by shard."""
    _forget(models)
    started = time.perf_counter()
    tables = [run_stages(shard, models, parameters={AS_PUBLISHED: True}) for shard in shards]
    way.seconds.append(time.perf_counter() - started)
    way.scores = {key: score for table in tables for key, score in pair_scores(table).items()}


def measure(shards: Sequence[Rows], models: Roles, repeats: int) -> tuple[Way, Way, Agreement]:
    """Run both ways in turns; the one that begins alternates, so that neither profits from it."""
    loop, staged = Way(), Way()
    # Loading weights and the first calls of each model belong to neither.
    warm_up = [shards[0][:WARM_UP_PAIRS]]
    run_loop(warm_up, models, Way())
    run_batched(warm_up, models, Way())
    items = 0
    differences: list[str] = []
    for repeat in range(repeats):
        ways = [("plain loop", run_loop, loop), ("stages", run_batched, staged)]
        for name, run, way in ways if repeat % 2 == 0 else reversed(ways):
            run(shards, models, way)
            told = f"{name}, {repeat + 1} of {repeats}: {way.seconds[-1]:.2f} s"
            print(told, file=sys.stderr, flush=True)
        agreement = compare_scores(loop.scores, staged.scores)
        items += agreement.items
        differences += agreement.differences
    return loop, staged, Agreement(items, tuple(differences))


def show(loop: Way, staged: Way, agreement: Agreement, scored: str) -> None:
    """Say the ratio, the agreement and the machine, each in a sentence, and the first differences."""
    ratios = [slow / fast for slow, fast in zip(loop.seconds, staged.seconds, strict=True)]
    print(
        f"The stages were {median(ratios):.1f} times as fast as the plain loop "
        f"({min(ratios):.1f} to {max(ratios):.1f} times), over {scored}."
    )
    print(
        f"Equal decisions, over all repeats: {agreement.equal:,} of "
        f"{agreement.items:,} ({agreement.share:.2%})."
    )
    print(
        "Machine:", ", ".join(f"{name} {value}" for name, value in describe_machine().items()) + "."
    )
    for difference in agreement.differences[:10]:
        print("  differs:", difference)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.loop",
        description="Time the batched stages of Q² against the plain loop, and compare decisions.",
    )
    parser.add_argument(
        "--logs", nargs="+", default=[str(EXAMPLES)], help="logs (default: examples)"
    )
    parser.add_argument("--profile", default="compact", help="set of models (default: compact)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument(
        "--quick", action="store_true", help="a few pairs once: only whether decisions agree"
    )
    arguments = parser.parse_args(argv)
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 0 if all decisions agree, 1 if one differs, 2 on a usage error."""
    arguments = _arguments(argv)
    try:
        profile = get_profile(arguments.profile)
        shards = read_shards(arguments.logs, profile.shard_size)
        if not shards:
            raise UsageError("The logs hold no pair to score.", "Name other logs with --logs.")
        repeats = arguments.repeats
        if arguments.quick:
            shards, repeats = [_spread(shards, QUICK_PAIRS)], 1
        loop, staged, agreement = measure(shards, build_models(profile), repeats)
        pairs = sum(len(shard) for shard in shards)
        times = "1 repeat" if repeats == 1 else f"{repeats} interleaved repeats"
        show(loop, staged, agreement, f"{pairs:,} pairs, profile {profile.name}, {times}")
    except Q2Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 1 if agreement.differences else 0


def _spread(shards: Sequence[Rows], number: int) -> Rows:
    """Take so many pairs, evenly from all."""
    pairs = [pair for shard in shards for pair in shard]
    return pairs[:: max(1, len(pairs) // number)][:number]


if __name__ == "__main__":
    raise SystemExit(main())
