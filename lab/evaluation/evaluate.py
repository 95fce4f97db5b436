"""Run of a protocol: read the data, score it through a store, and make the report."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from qsquared.errors import UsageError
from qsquared.evaluation.measured import Measured
from qsquared.evaluation.protocols.registry import PROTOCOLS, Protocol
from qsquared.evaluation.report import Report, ResultTable
from qsquared.evaluation.scoring import Run, Watch, score_items
from qsquared.method.bootstrap import RESAMPLES
from qsquared.profiles.loading import get_profile
from qsquared.profiles.profile import Profile
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.metrics import METRICS
from qsquared.tasks.running.stage_runner import open_job

PAPERS = frozenset({"paper", "paper-greedy", "paper-bertscore"})
"""The profiles whose models are the paper's (Q², section 2), save for the NLI model."""

_WARNING = (
    "The models of the profile `{profile}` are substitutes, not the paper's: these figures say how "
    "good this profile is, not how good the method is."
)
_NEARLY = (
    "The models of the profile `{profile}` are the paper's, save for the NLI model, which is a "
    "substitute."
)

_NO_MODEL = "No model is asked: the values of the measures are read from the data."

_INTERVALS = (
    f"Intervals: percentile bootstrap of {RESAMPLES:,} resamples of whole contexts; p: paired "
    "bootstrap of the same resamples, against the token overlap."
)

_UNCONFIRMED = (
    "A published figure with ? is of a table that the text at hand lacks: compare it with the paper "
    "before you quote it."
)


class NothingToMeasureError(UsageError):
    """A profile has no model for any metric of a protocol."""


def get_protocol(name: str) -> Protocol:
    """Return the protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"There is no protocol {name!r}.", f"Use one of: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


def evaluate(
    protocol: Protocol, data: Path, job: Job, command: str, watch: Watch = lambda *_: None
) -> Report:
    """Score a protocol's data and make its report.

    Args:
        protocol: the data, the runs and the tables.
        data: the file, or a folder that holds the published files or a folder with them.
        job: store, profile and device.
        command: the command as typed, for the report.
        watch: called with the progress of the scoring.

    Raises:
        Q2Error: the data, a model or the store cannot be used.
    """
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    dataset = protocol.read(data)
    runs, left_out = _possible(protocol.runs, profile)
    scores = {run.name: score_items(dataset.items, run, job, watch) for run in runs}
    main = runs[0].name if runs else ""
    measured = Measured(dataset, scores, main, profile.name, left_out)
    tables = tuple(protocol.tables(measured))
    warning = _NEARLY if profile.name in PAPERS else _WARNING
    if not runs:
        warning = _NO_MODEL
    return Report(
        f"{protocol.name}: {protocol.meaning}",
        command,
        warning.format(profile=profile.name),
        _facts(measured, profile, job),
        tables,
        (*dataset.notes, *_notes(profile, left_out, tables)),
    )


def _possible(runs: Sequence[Run], profile: Profile) -> tuple[list[Run], frozenset[str]]:
    """Leave out the metrics that the profile has no model for; return the runs and those measures."""
    asked = {name for run in runs for name in run.metrics}
    lacking = {name for name in asked if graph([name]).roles - profile.provides}
    left = [
        replace(run, metrics=tuple(name for name in run.metrics if name not in lacking))
        for run in runs
    ]
    if runs and not any(run.metrics for run in left):
        raise NothingToMeasureError(
            f"The profile {profile.name} has no model for what this evaluation measures: "
            f"{', '.join(sorted(lacking))}.",
            "Use another profile, or write one: see qsquared/profiles/profiles.toml and --profiles.",
        )
    tables = [stage.table for name in lacking for stage in METRICS[name].stages]
    return left, frozenset(measure for table in tables for measure in table.measures)


def _notes(
    profile: Profile, left_out: frozenset[str], tables: Sequence[ResultTable]
) -> Iterator[str]:
    yield _INTERVALS
    if left_out:
        names = ", ".join(sorted(left_out))
        yield f"The profile {profile.name} has no model for {names}, which are left out."
    if any(not row.confirmed for table in tables for row in table.rows):
        yield _UNCONFIRMED


def _facts(measured: Measured, profile: Profile, job: Job) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    if measured.scores:
        run = measured.scores[measured.main].run
        facts.append(("profile", profile.name))
        facts += sorted(open_job(run.job(job)).configuration.identities.items())
    facts += [
        (f"configuration of the run {name}", f"{','.join(found.run.metrics)} {found.configuration}")
        for name, found in measured.scores.items()
    ]
    facts += [(f"SHA-256 of {name}", digest) for name, digest in measured.dataset.files.items()]
    facts.append(
        ("items", f"{len(measured.items):,} in {len(set(measured.clusters())):,} contexts")
    )
    return tuple(facts)
