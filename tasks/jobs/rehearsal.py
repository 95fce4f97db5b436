"""Estimate of what a job would ask servers: its stages run on pairs in memory, with stand-ins."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qsquared.language.endpoint.rehearsal import StandIns
from qsquared.language.endpoint.session import Estimate, Journal, Session, asking_in
from qsquared.language.models import build_models
from qsquared.profiles.endpoints import EndpointRole
from qsquared.profiles.profile import Profile
from qsquared.storage.tables.units import PAIR
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.jobs.in_memory import run_stages
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.stage import Rows

_SAMPLE = 200
_REPLACED = ("question_generation", "question_answering", "entailment", "consistency")


def hosts_asked(profile: Profile, metrics: Sequence[str]) -> dict[str, EndpointRole]:
    """Return host → a role that it plays, of those that the metrics need."""
    needed = graph(metrics).roles
    return {
        role.endpoint.host: role
        for name, role in profile.roles.items()
        if isinstance(role, EndpointRole) and name in needed
    }


def estimate(profile: Profile, job: Job, pairs: Rows, journal: Journal) -> Estimate | None:
    """Return about how much would be asked for some pairs; ``None`` where servers play no part.

    Kept answers are left out.
    Of many pairs some are rehearsed, and stand for the others.
    """
    asked = graph(job.metrics)
    if not hosts_asked(profile, job.metrics):
        return None
    sample = sorted(pairs, key=lambda pair: pair[PAIR.key])[:_SAMPLE]
    models = build_models(profile)
    stand_ins: dict[str, Any] = {
        role: StandIns()
        for role in _REPLACED
        if not isinstance(getattr(profile, role), EndpointRole)
    }
    counted = Estimate()
    with asking_in(Session(journal, estimate=counted)):
        wanted = [m.name for m in asked.metrics if all(s.unit is PAIR for s in m.stages)]
        run_stages(sample, replace(models, **stand_ins), wanted, json.loads(job.parameters))
    return counted.times(len(pairs) / max(len(sample), 1))
