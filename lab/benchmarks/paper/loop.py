"""``python -m lab.benchmarks.paper.loop``: time the stages of Q² against the plain loop, in one process.

Both score the same pairs with the same model objects, in turns, so that a busy machine slows both.
Only the ratio counts; the command fails if the two decide anything differently.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lab.benchmarks.corpus import EXAMPLES
from lab.benchmarks.machine import describe_machine
from lab.benchmarks.paper.loop_report import NAME, Agreement, compare_scores, markdown, show
from lab.benchmarks.paper.plain_loop import PairScore, score_pair
from lab.benchmarks.paper.staged import pair_scores, read_shards
from lab.benchmarks.paper.watched import WatchedRoles
from lab.benchmarks.tables import split_page, write_between
from qsquared.errors import Q2Error, UsageError
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.graph import AS_PUBLISHED
from qsquared.tasks.jobs.in_memory import run_stages
from qsquared.tasks.stage import Roles, Rows

QUICK_PAIRS = 6
WARM_UP_PAIRS = 2


@dataclass
class Way:
    """One of the two ways to score: the time of each repeat, and the decisions."""

    seconds: list[float] = field(default_factory=list)
    counts: list[dict[str, dict[str, float]]] = field(default_factory=list)
    scores: dict[str, PairScore] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Return times with their median; counts and times of the models as medians too."""
        models = {
            role: {
                "calls": int(median(counts[role]["calls"] for counts in self.counts)),
                "requests": int(median(counts[role]["requests"] for counts in self.counts)),
                "seconds": median(counts[role]["seconds"] for counts in self.counts),
            }
            for role in self.counts[0]
        }
        shares = [
            sum(model["seconds"] for model in counts.values()) / seconds
            for counts, seconds in zip(self.counts, self.seconds, strict=True)
        ]
        return {
            "seconds": self.seconds,
            "median_seconds": median(self.seconds),
            "model_share": median(shares),
            "models": models,
        }


def run_loop(shards: Sequence[Rows], models: Roles, way: Way, tick: Any) -> None:
    """Score all pairs by the plain loop."""
    roles: Any = WatchedRoles(models)
    scores = {}
    started = time.perf_counter()
    for pair in (pair for shard in shards for pair in shard):
        scores[pair["pair_id"]] = score_pair(pair["response"], pair["knowledge"], roles)
        tick(1)
    way.seconds.append(time.perf_counter() - started)
    way.counts.append(roles.counts())
    way.scores = scores


def run_batched(shards: Sequence[Rows], models: Roles, way: Way, tick: Any) -> None:
    """Score all pairs by the stages, shard by shard."""
    roles: Any = WatchedRoles(models)
    tables = []
    started = time.perf_counter()
    for shard in shards:
        tables.append(run_stages(shard, roles, parameters={AS_PUBLISHED: True}))
        tick(len(shard))
    way.seconds.append(time.perf_counter() - started)
    way.counts.append(roles.counts())
    way.scores = {key: score for table in tables for key, score in pair_scores(table).items()}


def measure(
    shards: Sequence[Rows], models: Roles, repeats: int, progress: Progress
) -> tuple[Way, Way, Agreement]:
    """Run both ways in turns; the one that begins alternates, so that neither profits from it."""
    loop, staged = Way(), Way()
    # Loading weights and the first calls of each model belong to neither.
    warm_up = [shards[0][:WARM_UP_PAIRS]]
    run_loop(warm_up, models, Way(), lambda _: None)
    run_batched(warm_up, models, Way(), lambda _: None)
    pairs = sum(len(shard) for shard in shards)
    items = 0
    differences: list[str] = []
    for repeat in range(repeats):
        ways = [("plain loop", run_loop, loop), ("stages", run_batched, staged)]
        for name, run, way in ways if repeat % 2 == 0 else reversed(ways):
            task = progress.add_task(f"{name}, {repeat + 1} of {repeats}", total=pairs)
            run(shards, models, way, lambda done, task=task: progress.advance(task, done))
        agreement = compare_scores(loop.scores, staged.scores)
        items += agreement.items
        differences += agreement.differences
    return loop, staged, Agreement(items, tuple(differences))


def make_report(
    loop: Way, staged: Way, agreement: Agreement, described: dict[str, Any]
) -> dict[str, Any]:
    """Return all figures as JSON."""
    ratios = [slow / fast for slow, fast in zip(loop.seconds, staged.seconds, strict=True)]
    return {
        **described,
        "machine": describe_machine(),
        "ratio": {"median": median(ratios), "min": min(ratios), "max": max(ratios)},
        "agreement": {
            "items": agreement.items,
            "equal": agreement.equal,
            "share": agreement.share,
            "differences": list(agreement.differences),
        },
        "plain_loop": loop.report(),
        "stages": staged.report(),
    }


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.paper.loop",
        description="Time the batched stages of Q² against the plain loop, and compare decisions.",
    )
    parser.add_argument(
        "--logs", nargs="+", default=[str(EXAMPLES)], help="logs (default: examples)"
    )
    parser.add_argument("--profile", default="compact", help="set of models (default: compact)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="put the tables between the page's markers"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a few pairs once: only whether decisions agree"
    )
    arguments = parser.parse_args(argv)
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if arguments.quick and arguments.markdown:
        parser.error("--quick gives no times worth a page; leave --markdown out")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 0 if all decisions agree, 1 if one differs, 2 on a usage error."""
    arguments = _arguments(argv)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        # Drawing takes time from the measured work.
        refresh_per_second=1,
    )
    try:
        if arguments.markdown:
            split_page(arguments.markdown, NAME)  # a page without markers is found before the work
        profile = get_profile(arguments.profile)
        shards = read_shards(arguments.logs, profile.shard_size)
        if not shards:
            raise UsageError("The logs hold no pair to score.", "Name other logs with --logs.")
        repeats = arguments.repeats
        if arguments.quick:
            shards, repeats = [_spread(shards, QUICK_PAIRS)], 1
        with progress:
            measured = measure(shards, build_models(profile), repeats, progress)
        described = {
            "profile": profile.name,
            "quick": arguments.quick,
            "repeats": repeats,
            "pairs": sum(len(shard) for shard in shards),
            "shards": len(shards),
        }
        report = make_report(*measured, described)
        show(Console(), report)
        if arguments.json:
            arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        if arguments.markdown:
            write_between(arguments.markdown, NAME, markdown(report))
    except Q2Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 1 if report["agreement"]["differences"] else 0


def _spread(shards: Sequence[Rows], number: int) -> Rows:
    """Take so many pairs, evenly from all."""
    pairs = [pair for shard in shards for pair in shard]
    return pairs[:: max(1, len(pairs) // number)][:number]


if __name__ == "__main__":
    raise SystemExit(main())
