"""A new profile, metric or version over all that the store has read; no log is needed."""

from __future__ import annotations

from typing import Any

from prefect import flow

from qsquared.flows.dates.date_run import from_the_root, job_options
from qsquared.flows.dates.night import alone_with, refresh_date
from qsquared.flows.prefect_api.artifacts import ProgressArtifact, publish_artifacts
from qsquared.flows.score import score
from qsquared.flows.watching.progress import observed_by, observer
from qsquared.storage.records.dates.date_records import all_dates
from qsquared.storage.records.manifests import current_manifests
from qsquared.tasks.running.stage_runner import Job, open_job


@flow(name="rescore", validate_parameters=False, persist_result=False)
def rescore(
    store: str = "q2-store",
    profile: str = "compact",
    profiles: str = "",
    parameters: str = "{}",
    device: str = "cpu",
    metric: str = "q2",
    runner: str = "threads",
) -> dict[str, Any]:
    """Score every turn of the store anew where the configuration asks for it.

    Dates that were scored with this metric and profile before get the new scores, with a note.
    The parameters are those of the nightly flow.
    """
    job = Job(from_the_root(store), profile, profiles, (metric,), parameters, device)
    bench = open_job(job)

    def known_inputs(logs: list[str], known: list[str]) -> dict[str, Any]:
        summary: dict[str, Any] = score(logs, known=known, runner=runner, **job_options(job))
        return summary

    inputs = [m.fingerprint for m in current_manifests(bench.store) for _ in m.paths]
    own = (metric, bench.configuration.label)
    days = [
        day for day, told in all_dates(bench.store).items() if (told.metric, told.profile) == own
    ]
    progress = ProgressArtifact(observer(), 1 + len(days))
    done = []
    with observed_by(progress):
        summary = known_inputs([], inputs)
        progress.part_done()
        for day in days:
            with alone_with(bench.store, day):
                done.append(refresh_date(job, day, known_inputs))
            progress.part_done()
    title = f"Everything with {metric}, {bench.configuration.label}"
    dates = [(night.record, night.worked) for night in done if night.record is not None]
    publish_artifacts(title, dates, [], bench.store.root.as_uri())
    return {"turns": summary["turns"], "dates": {str(n.date): n.worked for n in done}}
