"""Run a protocol: read the data, score it through a store, and make the report."""

from __future__ import annotations

from pathlib import Path

from qsquared.errors import UsageError
from qsquared.evaluation.measured import Measured
from qsquared.evaluation.protocols import PROTOCOLS, Protocol
from qsquared.evaluation.report import Report
from qsquared.evaluation.scoring import Watch, score_items
from qsquared.evaluation.statistics import RESAMPLES
from qsquared.profiles import Profile, get_profile
from qsquared.tasks.workbench import Job, open_job

PAPERS = "paper"
"""The profile whose models are the paper's (Q², section 4), save for the NLI model."""

_WARNING = (
    "The models of the profile `{profile}` are substitutes, not the paper's: these figures say how "
    "good this profile is, not how good the method is."
)
_NEARLY = "The models of the profile `paper` are the paper's, save for the NLI model, which is a substitute."

_INTERVALS = (
    f"Intervals: percentile bootstrap of {RESAMPLES:,} resamples of whole contexts; p: paired "
    "bootstrap of the same resamples, against the token overlap."
)


def get_protocol(name: str) -> Protocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"There is no protocol {name!r}.", f"Use one of: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


def evaluate(
    protocol: Protocol, data: Path, job: Job, command: str, watch: Watch = lambda *_: None
) -> Report:
    """Score a protocol's data and report what was found.

    Args:
        protocol: which.
        data: the file, or a folder that holds the published files or a folder with them.
        job: store, profile and device.
        command: what was typed, for the report.
        watch: told how far the scoring is.

    Raises:
        Q2Error: the data, a model or the store cannot be used.
    """
    dataset = protocol.read(data)
    scores = {run.name: score_items(dataset.items, run, job, watch) for run in protocol.runs}
    main = protocol.runs[0].name
    measured = Measured(dataset, scores, main)
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    warning = _NEARLY if profile.name == PAPERS else _WARNING.format(profile=profile.name)
    return Report(
        f"{protocol.name}: {protocol.meaning}",
        command,
        warning,
        _facts(measured, profile, job),
        tuple(protocol.tables(measured)),
        tuple(protocol.charts(measured)),
        (
            *dataset.notes,
            _INTERVALS,
        ),
    )


def _facts(measured: Measured, profile: Profile, job: Job) -> tuple[tuple[str, str], ...]:
    facts = [("profile", profile.name)]
    run = measured.scores[measured.main].run
    identities = open_job(Job(job.store, job.profile, job.profiles, run.metrics)).configuration
    facts += sorted(identities.identities.items())
    facts += [
        (f"configuration of the run {name}", f"{','.join(found.run.metrics)} {found.configuration}")
        for name, found in measured.scores.items()
    ]
    facts += [(f"SHA-256 of {name}", digest) for name, digest in measured.dataset.files.items()]
    facts.append(("items", f"{len(measured.items):,} in {len(set(measured.clusters)):,} contexts"))
    return tuple(facts)
