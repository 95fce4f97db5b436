"""What a scoring run does around the stages: read logs, plan shards, keep a record."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared import __version__
from qsquared.errors import InputError
from qsquared.flows.progress import Observer, observed_by, observer
from qsquared.storage.ingest import find_input, ingest_file
from qsquared.storage.inputs import expand_inputs
from qsquared.storage.manifests import InputManifest
from qsquared.storage.results import Selection, first_reject, summarise, turns_by_shard
from qsquared.storage.shards import plan_shards
from qsquared.tasks.workbench import Job, Workbench, open_job


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A log that as a whole cannot be read, and why."""

    path: str
    error: InputError


class _NotFinishedError(Exception):
    """Something is left to do."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The shards of a run: all that it needs, those not finished, and the turns of each."""

    selection: Selection
    shards: tuple[str, ...]
    unfinished: tuple[str, ...]
    turns: dict[str, int]
    unfinished_pairs: int
    """Pairs in the unfinished shards; with a limit more than the selected turns need."""

    @property
    def reused_turns(self) -> int:
        """Turns whose shard was finished before the run."""
        return sum(self.turns.values()) - sum(self.turns[shard] for shard in self.unfinished)


def read_log(job: Job, path: str, mapping: dict[str, str], limit: int | None) -> InputManifest:
    """Read one log into the store, unless the store has its content already."""
    watcher = observer()
    watcher.ingesting(path)
    manifest = ingest_file(
        open_job(job).store, Path(path), mapping, limit, on_progress=watcher.rows_read
    )
    watcher.ingested(manifest.turns, manifest.rejects, manifest.reused)
    return manifest


def read_logs(
    logs: Sequence[str], limit: int | None, read: Callable[[str], InputManifest]
) -> tuple[list[InputManifest], list[Unreadable]]:
    """Read logs one after another until there are enough turns; one that cannot be read is noted.

    Raises:
        InputError: no log can be read, or there is none.
    """
    inputs: list[InputManifest] = []
    unreadable: list[Unreadable] = []
    for path in expand_inputs(logs):
        if limit is not None and sum(manifest.turns for manifest in inputs) >= limit:
            break
        try:
            inputs.append(read(str(path)))
        except InputError as error:
            unreadable.append(Unreadable(str(path), error))
            observer().unreadable(error.message)
    if unreadable and not inputs:
        raise unreadable[0].error
    return inputs, unreadable


def plan_run(job: Job, inputs: Sequence[str], limit: int | None, retry_errors: bool) -> Plan:
    """Put new pairs into shards and check which shards are finished, file by file."""
    plan = make_plan(open_job(job), Selection(tuple(inputs), limit), retry_errors)
    observer().planned(sum(plan.turns.values()), plan.reused_turns, plan.unfinished_pairs)
    return plan


def make_plan(bench: Workbench, selection: Selection, retry_errors: bool = False) -> Plan:
    """Which shards the selected turns need, and which of them are not finished.

    With ``retry_errors`` a shard with a failed pair is unfinished from the failed stage on.
    """
    inputs, limit = selection.inputs, selection.limit
    shards = plan_shards(bench.store, inputs, bench.shard_size, limit)
    keys = [shard.key for shard in shards]
    if retry_errors:
        for key in keys:
            bench.forget_errors(key)
    unfinished = [key for key in keys if bench.missing_stages(key)]
    turns = dict.fromkeys(keys, 0) | turns_by_shard(bench.store, selection, keys)
    pairs = sum(shard.pairs for shard in shards if shard.key in set(unfinished))
    return Plan(selection, tuple(keys), tuple(unfinished), turns, pairs)


def finished_summary(
    job: Job, logs: Sequence[str], mapping: dict[str, str], limit: int | None
) -> dict[str, Any] | None:
    """The summary of a run for which every log is read and every shard finished; else None.

    All files are checked as in any run; only Prefect, which would have nothing to do, is left out.
    """
    bench = open_job(job)

    def known(path: str) -> InputManifest:
        found = find_input(bench.store, Path(path), mapping, limit)
        if found is None:
            raise _NotFinishedError
        return found

    try:
        with observed_by(Observer()):
            inputs, unreadable = read_logs(logs, limit, known)
    except (_NotFinishedError, InputError):
        return None
    selection = Selection(tuple(manifest.fingerprint for manifest in inputs), limit)
    plan = make_plan(bench, selection)
    if plan.unfinished:
        return None
    observer().planned(sum(plan.turns.values()), plan.reused_turns, 0)
    with record_run(job, logs, limit) as run:
        return run.summary(inputs, unreadable, plan)


@dataclass
class RunRecord:
    """A run while it goes on, and what is known of it at its end."""

    bench: Workbench
    run_id: str
    content: dict[str, Any]
    started: float

    def write(self, **more: Any) -> None:
        """Put the record into the store's runs."""
        self.content |= {"seconds": round(time.monotonic() - self.started, 3), **more}
        self.bench.store.write_json(self.bench.store.run_path(self.run_id), self.content)

    def summary(
        self, inputs: Sequence[InputManifest], unreadable: Sequence[Unreadable], plan: Plan
    ) -> dict[str, Any]:
        """Count and average the turns of the run, from all their rows."""
        scores = [self.bench.path("scores", shard) for shard in plan.shards]
        results = summarise(self.bench.store, plan.selection, scores)
        self.write(
            status="completed",
            **results,
            inputs=[
                {
                    "paths": list(m.paths),
                    "fingerprint": m.fingerprint,
                    "turns": m.turns,
                    "rejects": m.rejects,
                    "reused": m.reused,
                }
                for m in inputs
            ],
            unreadable=[
                {"path": log.path, "reason": log.error.message, "hint": log.error.hint}
                for log in unreadable
            ],
            rejects=sum(manifest.rejects for manifest in inputs),
            first_reject=first_reject(self.bench.store, plan.selection),
            shards=len(plan.shards),
            reused_shards=len(plan.shards) - len(plan.unfinished),
            reused_turns=plan.reused_turns,
            stages_run=len(self.bench.executed),
            damaged=self.bench.quarantined(),
            selection={"inputs": list(plan.selection.inputs), "limit": plan.selection.limit},
            score_files=[str(path) for path in scores],
        )
        self.bench.describe(completed=True)
        return self.content


@contextmanager
def record_run(job: Job, logs: Sequence[str], limit: int | None) -> Iterator[RunRecord]:
    """Keep a record of the run in the store, whether it ends well, fails or is interrupted."""
    bench = open_job(job)
    bench.executed.clear()
    bench.describe(completed=False)
    now = datetime.now(UTC)
    run_id = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    record = RunRecord(
        bench,
        run_id,
        {
            "run_id": run_id,
            "started_at": now.isoformat(timespec="seconds"),
            "version": __version__,
            "metric": job.metric,
            "profile": job.profile,
            "parameters": dict(bench.configuration.parameters),
            "configuration": bench.configuration.digest,
            "models": dict(bench.configuration.identities),
            "logs": list(logs),
            "limit": limit,
            "store": str(bench.store.root),
        },
        time.monotonic(),
    )
    record.write(status="running")
    try:
        yield record
    except BaseException as error:
        # Prefect's own name for SIGTERM; this module works without Prefect.
        named = type(error).__name__
        stopped = isinstance(error, (KeyboardInterrupt, SystemExit)) or named == "TerminationSignal"
        record.write(status="interrupted" if stopped else "failed", error=str(error))
        raise
