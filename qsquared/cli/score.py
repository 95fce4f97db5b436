"""The command ``q2 score``."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from qsquared.cli.mapping import stated_mapping
from qsquared.cli.shortage import telling_shortage
from qsquared.cli.summary import show_dry_run, show_summary
from qsquared.cli.text import count, visible
from qsquared.cli.watch import LineWatcher, TerminalWatcher
from qsquared.errors import InputError, ModelError, UsageError
from qsquared.flows.prefect_api.embedded import embedded_prefect
from qsquared.flows.running.run import finished_summary, read_logs
from qsquared.flows.running.runner_setting import read_setting
from qsquared.flows.watching.progress import observed_by
from qsquared.language.models import import_engines
from qsquared.method.q2.roundtrip import VARIANTS
from qsquared.method.q2.score import FALLBACK_PREMISES
from qsquared.storage.logs.paths import expand_inputs
from qsquared.storage.outputs.results import EXPORTS, export, lowest
from qsquared.storage.outputs.selection import Selection, distinct_pairs, scored_pairs
from qsquared.storage.records.ingest import ingest_file
from qsquared.storage.records.manifests import InputManifest
from qsquared.storage.store import Store
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.metric import METRICS
from qsquared.tasks.running.stage_runner import Job, open_job

_LOWEST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ScoreCommand:
    """The arguments of ``q2 score``; ``parameters`` are the metrics'."""

    logs: tuple[str, ...]
    store: Path
    profile: str
    profiles: Path | None
    mapping: tuple[str, ...]
    limit: int | None
    out: Path | None
    parameters: Mapping[str, Any]
    device: str
    retry_errors: bool
    debug: bool
    metrics: tuple[str, ...] = ("q2",)
    map_file: Path | None = None
    file_format: str = ""
    runner: str = "threads"


def _check(command: ScoreCommand, dry_run: bool) -> None:
    """Refuse what can be refused before any work is done."""
    read_setting(command.runner)
    asked = graph(command.metrics)
    for name, value in command.parameters.items():
        if name not in asked.defaults and value != _default(name):
            raise UsageError(
                f"{_option(name)} means nothing to the metrics {', '.join(command.metrics)}.",
                "Leave it out, or add the metric that it is for with --metric.",
            )
    for name, allowed in (("variant", VARIANTS), ("fallback_premise", FALLBACK_PREMISES)):
        if command.parameters[name] not in allowed:
            raise UsageError(
                f"{_option(name)} is {command.parameters[name]!r}.",
                f"Use one of: {', '.join(allowed)}",
            )
    if command.out is not None and command.out.suffix.lower() not in EXPORTS:
        raise UsageError(
            f"--out {command.out} has no known extension.",
            f"Use one of: {', '.join(sorted(EXPORTS))}",
        )
    if command.out is None:
        return
    named = {Path(log).resolve() for log in command.logs}
    if command.out.resolve() in named:
        raise UsageError(
            f"--out {command.out} is one of the logs and would be overwritten.",
            "Give the table another name.",
        )
    if not dry_run:
        _check_writable(command.out)


def _default(name: str) -> Any:
    """What a parameter is where nothing is said."""
    return next(m.defaults[name] for m in METRICS.values() if name in m.defaults)


def _option(name: str) -> str:
    """The option that sets a parameter."""
    return "--keep-personal" if name == "leave_out_personal" else f"--{name.replace('_', '-')}"


def _check_writable(out: Path) -> None:
    """Better now than after hours of scoring."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
        if out.is_dir():
            raise IsADirectoryError(f"{out} is a folder")
    except OSError as error:
        raise UsageError(f"The file {out} cannot be written: {error}") from error


@telling_shortage
def run_score(command: ScoreCommand, dry_run: bool) -> None:
    """Score logs, show the summary, write ``--out``.

    Raises:
        Q2Error: something that the person can act upon.
    """
    _check(command, dry_run)
    mapping, file_format = stated_mapping(command.mapping, command.map_file, command.file_format)
    command = replace(command, file_format=file_format)
    console = Console()
    if dry_run:
        _dry_run(command, mapping, console)
        return
    began = time.monotonic()
    watcher = TerminalWatcher(console) if console.is_terminal else LineWatcher(console)
    with watcher, observed_by(watcher):
        summary = _score(command, mapping)
    bench = open_job(_job(command, command.store))
    measured = bench.measured(summary["shard_keys"])
    selection = Selection(tuple(summary["selection"]["inputs"]), summary["selection"]["limit"])
    summary |= {"seconds": time.monotonic() - began}
    if command.out is not None:
        rows = export(bench.store, selection, measured, command.out)
        summary |= {"exported": f"{command.out} ({count(rows, 'row')})"}
    show_summary(console, summary, lowest(bench.store, selection, measured, _LOWEST_SHOWN))
    _complain(summary)


def _complain(summary: Mapping[str, Any]) -> None:
    """End with an error where a log, or all that there was to score, was lost."""
    if summary["turns"] == 0 and summary["rejects"]:
        raise InputError(
            "Not one row could be read as a turn; the first reject says: "
            + summary["first_reject"],
            "Name the fields with --map theirs=ours; q2 score --dry-run shows what would be read.",
        )
    if summary["turns"] and summary["statuses"].get("error") == summary["turns"]:
        raise ModelError(
            "The models failed on every turn: " + summary["unscored"][0]["reason"],
            "Check them with: q2 models verify; then score again with --retry-errors",
        )
    if summary["unreadable"]:
        first = summary["unreadable"][0]
        raise InputError(
            f"{count(len(summary['unreadable']), 'log')} could not be read, all others are scored. "
            + first["reason"],
            first["hint"],
        )


def _job(command: ScoreCommand, store: Path) -> Job:
    profiles = str(command.profiles.absolute()) if command.profiles else ""
    parameters = json.dumps(dict(command.parameters), sort_keys=True)
    return Job(
        str(store.absolute()),
        command.profile,
        profiles,
        command.metrics,
        parameters,
        command.device,
    )


def _without(logs: Sequence[str], out: Path | None) -> list[str]:
    """The logs, less the table that an earlier run wrote among them."""
    if out is None:
        return list(logs)
    paths = expand_inputs(logs)
    others = [path for path in paths if path.resolve() != out.resolve()]
    return list(logs) if len(others) == len(paths) else [str(path) for path in others]


def _score(command: ScoreCommand, mapping: dict[str, str]) -> dict[str, Any]:
    job = _job(command, command.store)
    logs = _without(command.logs, command.out)
    done = None
    if not command.retry_errors:
        done = finished_summary(job, logs, mapping, command.limit, command.file_format)
    if done is not None:
        return done
    here = command.runner == "threads" and graph(job.metrics).roles
    with embedded_prefect(command.store, command.debug, import_engines if here else None):
        # Prefect takes seconds to import, and a run that reuses everything does without.
        from qsquared.flows.score import score

        summary: dict[str, Any] = score(
            logs,
            store=job.store,
            profile=job.profile,
            profiles=job.profiles,
            mapping=mapping,
            limit=command.limit,
            parameters=job.parameters,
            device=job.device,
            retry_errors=command.retry_errors,
            metrics=job.metrics,
            file_format=command.file_format,
            runner=command.runner,
        )
    return summary


def _dry_run(command: ScoreCommand, mapping: dict[str, str], console: Console) -> None:
    """Read the logs into a store that is thrown away, and compare its pairs with the real one."""
    with tempfile.TemporaryDirectory(prefix="q2-dry-run-") as folder:
        scratch = Store.open(Path(folder), create=True)
        read: list[str] = []

        def ingest(path: str) -> InputManifest:
            manifest = ingest_file(
                scratch, Path(path), mapping, command.limit, file_format=command.file_format
            )
            read.append(path)
            return manifest

        logs = _without(command.logs, command.out)
        inputs, unreadable = read_logs(logs, command.limit, ingest)
        pairs = distinct_pairs(
            scratch, Selection(tuple(m.fingerprint for m in inputs), command.limit)
        )
        known = pairs if (command.store / "store.json").exists() else set()
        if known:
            bench = open_job(_job(command, command.store))
            for stage in bench.measured(()):
                lineage = bench.configuration.lineages[stage]
                known = known & scored_pairs(bench.store, stage, lineage)
        show_dry_run(console, dict(zip(read, inputs, strict=True)), len(pairs), len(pairs - known))
        for log in unreadable:
            console.print(visible(log.error.message), markup=False)
