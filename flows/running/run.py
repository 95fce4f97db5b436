"""A scoring run around its stages: read logs, keep the run's record, sum up."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from qsquared import __version__
from qsquared.errors import DeniedLogError, InputError, StoreError
from qsquared.flows.running.plan import Plan
from qsquared.flows.running.progress import observer
from qsquared.flows.running.stopping import stopping
from qsquared.storage.files.shard_claims import RUN, abandoned_claims, run_claim
from qsquared.storage.logs.paths import expand_inputs, log_path
from qsquared.storage.outputs.results import check_results, summarise
from qsquared.storage.outputs.selected_turns import first_reject
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.inputs.manifests import InputManifest
from qsquared.storage.records.runs import recorded_as
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import Job, ScoreOptions
from qsquared.tasks.jobs.stage_keys import write_configuration
from qsquared.tasks.running.retries import smaller_batches
from qsquared.tasks.running.stage_runner import StageRunner, open_job

_RUNS_LOOKED_AT = 20
_OF_INPUT = ("fingerprint", "turns", "rejects", "reused", "doubt")
"""The fields of an input that the record of a run has, beside its paths."""


def read_log(store: Store, options: ScoreOptions, path: str) -> InputManifest:
    """Read one log into a store, unless that has its content already."""
    watcher = observer()
    watcher.ingesting(path)
    manifest = ingest_file(
        store,
        log_path(path),
        options.mapping or {},
        options.limit,
        on_progress=watcher.rows_read,
        file_format=options.file_format,
    )
    watcher.ingested(manifest.turns, manifest.rejects, manifest.reused)
    return manifest


def read_logs(
    logs: Sequence[str], limit: int | None, read: Callable[[str], InputManifest]
) -> tuple[list[InputManifest], dict[str, InputError]]:
    """Read logs one after another until there are enough turns; the errors of others come by their paths.

    A copy of a log brings no turns, unless a person counts it as a log of its own (`apart`).

    Raises:
        InputError: no log can be read, or there is none.
    """
    inputs: list[InputManifest] = []
    unreadable: dict[str, InputError] = {}
    turns: dict[str, int] = {}
    for path in expand_inputs(logs):
        if limit is not None and sum(turns.values()) >= limit:
            break
        try:
            manifest = read(str(path))
            before = turns.get(manifest.fingerprint, 0) if manifest.apart else 0
            turns[manifest.fingerprint] = before + manifest.turns
            inputs.append(manifest)
        except InputError as error:
            unreadable[str(path)] = error
            observer().unreadable(error.message)
    if unreadable and not inputs:
        raise next(iter(unreadable.values()))
    return inputs, unreadable


@dataclass
class RunRecord:
    """The record of a run, which grows while the run goes on."""

    runner: StageRunner
    run_id: str
    content: dict[str, Any]
    started: float

    def write(self, **more: Any) -> None:
        """Put the record into the store's runs."""
        spending = self.runner.spending
        if spending.requests or spending.reused:
            self.content |= {"requests": spending.to_json()}
        self.content |= {"seconds": round(time.monotonic() - self.started, 3), **more}
        self.runner.store.write_json(
            self.runner.store.small_file("runs", self.run_id), self.content
        )

    def complete(
        self, inputs: Sequence[InputManifest], unreadable: Mapping[str, InputError], plan: Plan
    ) -> dict[str, Any]:
        """Count and average the turns of the run from all their rows; write and return the record."""
        store, configuration = self.runner.store, self.runner.configuration
        measured = self.runner.paths.measured(tuple(plan.shards))
        check_results(store, plan.selection, list(chain.from_iterable(measured.values())))
        results = summarise(store, plan.selection, measured)
        self.write(
            status="completed",
            **results,
            inputs=[
                {"paths": list(log.paths), **{name: getattr(log, name) for name in _OF_INPUT}}
                for log in inputs
            ],
            unreadable=[
                {
                    "path": path,
                    "reason": error.message,
                    "hint": error.hint,
                    "denied": isinstance(error, DeniedLogError),
                }
                for path, error in unreadable.items()
            ],
            rejects=plan.selection.rejects(store),
            unread_times=plan.selection.unread_times(store),
            first_reject=first_reject(store, plan.selection),
            shards=len(plan.shards),
            reused_shards=len(plan.shards) - len(plan.unfinished),
            reused_turns=plan.reused_turns,
            stages_run=len(self.runner.executed),
            smaller_batches=smaller_batches(self.runner.models, configuration.graph.roles),
            damaged=self.runner.new_damage(),
            selection={"inputs": list(plan.selection.inputs), "limit": plan.selection.limit},
            shard_keys=list(plan.shards),
        )
        write_configuration(store, configuration, completed=True)
        return self.content


@contextmanager
def record_run(job: Job, logs: Sequence[str], limit: int | None) -> Iterator[RunRecord]:
    """Keep a record of the run in the store, whether it ends well, fails or is interrupted."""
    began, clock = datetime.now(UTC), time.monotonic()
    # Names of runs that begin in the same second are in their order, too.
    run_id = f"{began:%Y%m%dT%H%M%S}-{began.microsecond:05x}{secrets.randbelow(16):x}"
    runner = open_job(job)
    runner.executed.clear()
    runner.spending.clear()
    configuration = runner.configuration
    write_configuration(runner.store, configuration, completed=False)
    record = RunRecord(
        runner,
        run_id,
        {
            "run_id": run_id,
            "started_at": began.isoformat(timespec="seconds"),
            "version": __version__,
            "metric": job.metric_names,
            "profile": job.profile,
            "parameters": dict(configuration.parameters),
            "configuration": configuration.digest,
            "configurations": configuration.digests,
            "models": dict(configuration.identities),
            "logs": list(logs),
            "limit": limit,
            "store": str(runner.store.root),
        },
        clock,
    )
    alive = run_claim(runner.store.root, run_id)
    alive.take()
    try:
        _note_killed(runner.store)
        record.write(status="running")
        with recorded_as(run_id):
            yield record
    except BaseException as error:
        stopped = (
            stopping() is not None
            or isinstance(error, (KeyboardInterrupt, SystemExit))
            # Prefect's own name for SIGTERM; this module works without Prefect.
            or type(error).__name__ == "TerminationSignal"
        )
        # On a full disk the error to report is that one, not this failed write.
        with suppress(OSError):
            record.write(status="interrupted" if stopped else "failed", error=str(error))
        raise
    finally:
        alive.release()


def _note_killed(store: Store) -> None:
    """Mark the last runs that were killed as such and free their claims, which they could not do themselves."""
    records = sorted((store.root / "runs").glob("[!.]*.json"))[-_RUNS_LOOKED_AT:]
    running = {path.stem for path in records if _status(store, path) == "running"}
    # A run that is killed before its first record, or while it marks another, leaves a claim alone.
    left = {path.stem.removeprefix(RUN) for path, _ in abandoned_claims(store.root, f"{RUN}*")}
    for run_id in sorted(running | left):
        claim = run_claim(store.root, run_id)
        if not claim.take():
            continue
        path = store.root / "runs" / f"{run_id}.json"
        try:
            # Read anew, since the run may have ended well while its claim was asked for.
            if _status(store, path) == "running":
                store.write_json(path, store.read_json(path) | {"status": "killed"})
        finally:
            claim.release()


def _status(store: Store, path: Path) -> str:
    try:
        return str(store.read_json(path).get("status"))
    except StoreError:
        return "unreadable"
