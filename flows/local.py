"""A scoring run on this machine, and a dry run that says beforehand what it would read."""

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qsquared.flows.prefect_api.embedded import embedded_prefect
from qsquared.flows.running.ahead import Ahead, taken_over
from qsquared.flows.running.plan import Plan, make_plan, score_shards
from qsquared.flows.running.run import (
    Unreadable,
    finished_summary,
    read_log,
    read_logs,
    record_run,
)
from qsquared.flows.running.runner_setting import THREADS
from qsquared.flows.running.shard_claims import take
from qsquared.flows.running.stopping import begin_stage, stop_if_asked
from qsquared.flows.watching.progress import Observer, observed_by, observer
from qsquared.language.models import import_engines
from qsquared.storage.files.locks.claims import Claim
from qsquared.storage.files.places import place
from qsquared.storage.logs.paths import expand_inputs
from qsquared.storage.outputs.selection import Selection, distinct_pairs, scored_pairs
from qsquared.storage.records.ingest import ingest_file
from qsquared.storage.records.manifests import InputManifest
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running.stage_runner import StageRunner, open_job

_SMALL_BYTES = 4_000_000
_FEW_BYTES = 64_000
_FEW_PAIRS = 24
"""Pairs that are scored sooner than Prefect has started."""


def score_here(options: ScoreOptions, debug: bool = False) -> dict[str, Any]:
    """Score logs and return the summary of the run.

    Prefect starts where more than a few pairs are left to score, or where ``PREFECT_API_URL`` names
    a server, which is to know of every run; ``debug`` lets it log.
    """
    if not options.retry_errors:
        summary = finished_summary(options)
        if summary is not None:
            return summary
    ahead = Ahead()
    if options.runner == THREADS and "PREFECT_API_URL" not in os.environ:
        summary = score_few(options, ahead)
        if summary is not None:
            return summary

    def meanwhile(ready: Callable[[], bool]) -> None:
        if options.runner == THREADS:
            work_ahead(options, ahead, ready)
        # Prefect takes seconds to import, and a run that reuses everything does without.
        import qsquared.flows.score  # noqa: F401

    with embedded_prefect(place(options.store), debug, meanwhile), taken_over(ahead):
        from qsquared.flows.score import score

        made: dict[str, Any] = score(**asdict(options))
    return made


def score_few(options: ScoreOptions, ahead: Ahead) -> dict[str, Any] | None:
    """Score a few pairs without Prefect, whose start takes longer; return the summary of the run.

    Returns:
        None if they are not few, or if something goes wrong: that is left to the run with Prefect,
        which tries again what may pass.
    """
    with suppress(Exception):
        if not _are_within(_FEW_BYTES, options):
            return None
        runner = open_job(options.job)
        inputs, unreadable, plan = _read_and_plan(options, runner, ahead)
        if unreadable or plan.unfinished_pairs > _FEW_PAIRS:
            return None
        _tell(ahead, plan)
        with taken_over(ahead), record_run(options.job, options.logs, options.limit) as run:
            try:
                score_shards(
                    options.job,
                    plan,
                    lambda stage, shard: (
                        runner.finished(stage, shard) or runner.run_recorded(stage, shard)
                    ),
                )
            finally:
                ahead.executed = list(runner.executed)
            return run.summary(inputs, unreadable, plan)
    # A library may have made an error of its own out of a signal.
    stop_if_asked()
    return None


def work_ahead(options: ScoreOptions, ahead: Ahead, ready: Callable[[], bool]) -> None:
    """Do what the run will do first, until Prefect's API is ready to record it.

    Small logs are read, and stages run on the first shard that is free.
    What goes wrong is left to the run, which meets it again and tells.
    """
    with suppress(Exception):
        runner = open_job(options.job)
        import_engines(runner.models, runner.configuration.graph.roles)
        if not _are_within(_SMALL_BYTES, options):
            return
        plan = ahead.plan or _read_and_plan(options, runner, ahead)[-1]
        if plan.unfinished and not ahead.told:
            _tell(ahead, plan)
            # A run that is stopped now has a record, too; the flow writes it on.
            with taken_over(ahead), record_run(options.job, options.logs, options.limit):
                _begin(runner, plan, ahead, ready)


def _are_within(most_bytes: int, options: ScoreOptions) -> bool:
    """Whether logs are files of so few bytes that they are read in a moment, and all that is asked."""
    if options.retry_errors or options.known:
        return False
    paths = expand_inputs(options.logs)
    return all(map(Path.is_file, paths)) and sum(p.stat().st_size for p in paths) < most_bytes


def _read_and_plan(
    options: ScoreOptions, runner: StageRunner, ahead: Ahead
) -> tuple[list[InputManifest], list[Unreadable], Plan]:
    """Read logs and plan their shards in silence; the observer hears of them when work begins."""

    def read(path: str) -> InputManifest:
        mapping, limit = options.mapping or {}, options.limit
        read = read_log(options.job, path, mapping, limit, options.file_format)
        return ahead.manifests.setdefault(path, read)

    with observed_by(Observer()):
        inputs, unreadable = read_logs(options.logs, options.limit, read)
        fingerprints = tuple(manifest.fingerprint for manifest in inputs)
        ahead.plan = make_plan(runner, Selection(fingerprints, options.limit))
    return inputs, unreadable, ahead.plan


def _tell(ahead: Ahead, plan: Plan) -> None:
    """Tell the observer of the logs and the plan, so that it can show how the work goes on."""
    for path, manifest in ahead.manifests.items():
        observer().ingesting(path)
        observer().ingested(manifest.turns, manifest.rejects, manifest.reused)
    observer().planned(plan.all_turns, plan.reused_turns, plan.unfinished_pairs)
    ahead.told = True


def _begin(runner: StageRunner, plan: Plan, ahead: Ahead, ready: Callable[[], bool]) -> None:
    """Run the stages of the first shard until the API is ready, unless others have it."""
    shard = plan.unfinished[0]
    claim = Claim(runner.store.root, shard)
    if not take(claim):
        return
    ahead.shard = shard
    stages = [stage.name for stage in runner.paths.stages_of(shard)]
    try:
        with ahead.meter.shard(stages, plan.share_of(shard), shard):
            for stage in stages:
                if ready():
                    break
                begin_stage(stage, shard)
                ahead.meter.begin()
                if runner.finished(stage, shard) is None:
                    runner.run_recorded(stage, shard)
    finally:
        ahead.executed = list(runner.executed)
        claim.release()


@dataclass(frozen=True, slots=True)
class DryRun:
    """The logs that a run would read, and the pairs that it would score."""

    inputs: dict[str, InputManifest]
    unreadable: list[Unreadable]
    pairs: int
    new_pairs: int


def dry_run(options: ScoreOptions) -> DryRun:
    """Read the logs into a store that is thrown away, and compare its pairs with the real one."""
    with tempfile.TemporaryDirectory(prefix="q2-dry-run-") as folder:
        scratch = Store.open(Path(folder), create=True)
        inputs: dict[str, InputManifest] = {}

        def read(path: str) -> InputManifest:
            inputs[path] = ingest_file(
                scratch,
                Path(path),
                options.mapping or {},
                options.limit,
                file_format=options.file_format,
            )
            return inputs[path]

        found, unreadable = read_logs(options.logs, options.limit, read)
        fingerprints = tuple(manifest.fingerprint for manifest in found)
        pairs = distinct_pairs(scratch, Selection(fingerprints, options.limit))
        return DryRun(inputs, unreadable, len(pairs), len(pairs - _scored(options, pairs)))


def _scored(options: ScoreOptions, pairs: set[str]) -> set[str]:
    """Return the pairs that the store has scores of, by all metrics."""
    if not (place(options.store) / "store.json").exists():
        return set()
    runner = open_job(options.job)
    for stage in runner.paths.measured(()):
        lineage = runner.configuration.lineages[stage]
        pairs = pairs & scored_pairs(runner.store, stage, lineage)
    return pairs


def without_output(logs: Sequence[str], out: Path | None) -> list[str]:
    """Return the logs without the table that an earlier run wrote among them."""
    if out is None:
        return list(logs)
    paths = expand_inputs(logs)
    others = [path for path in paths if path.resolve() != out.resolve()]
    return list(logs) if len(others) == len(paths) else [str(path) for path in others]
