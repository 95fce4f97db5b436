"""The flow that scores all that the store has read anew; it needs no log."""

from datetime import date
from typing import Any

from prefect import flow

from qsquared.flows.date_run import absolute_job, scoring_flow
from qsquared.flows.running.prefect_runs import (
    bury_dead_runs,
    end_with_sentences,
    flat_parameters,
    rescore_name,
)
from qsquared.flows.score_date import Reports, alone_with, rescore_date
from qsquared.storage.files.remote_paths import place
from qsquared.storage.outputs.selected_turns import has_turns_since
from qsquared.storage.records.date_records import DateRecord, all_dates, parse_date
from qsquared.storage.records.inputs.manifests import current_manifests
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import Job, RescoreOptions
from qsquared.tasks.running.stage_runner import open_job

end_with_sentences()


@flow(name="rescore", flow_run_name=rescore_name, validate_parameters=False, persist_result=False)
@flat_parameters(RescoreOptions)
def rescore(options: RescoreOptions) -> dict[str, Any]:
    """Score every turn of the store anew where the configuration asks for it.

    Dates that were scored with these metrics and this profile before get the new scores, with a
    note, and a new report if one is asked for.
    """
    bury_dead_runs()
    job = absolute_job(options)
    reports = Reports(Store(place(job.store)), options.report)
    runner = open_job(job)
    label = runner.configuration.label
    score_logs = scoring_flow(job, "rescore")
    first = parse_date(options.since) if options.since else date.min
    inputs = [
        name
        for manifest in current_manifests(runner.store)
        for name in (manifest.fingerprint,) * len(manifest.paths)
        if not options.since or has_turns_since(runner.store, name, first)
    ]
    days = [
        day
        for day, record in all_dates(runner.store).items()
        if _has_metrics(record, job) and record.profile == label and day >= first
    ]
    summary = score_logs([], inputs)
    worked: dict[str, bool] = {}
    for day in days:
        with alone_with(runner.store, day):
            record = rescore_date(job, day, score_logs)
            if record is not None:
                reports.write(record)
        worked[str(day)] = record is not None
    unread = sum(
        summary["statuses"].get(status, 0) for status in ("empty_response", "no_knowledge")
    )
    return {"turns": summary["turns"] - unread, "unread": unread, "dates": worked}


def _has_metrics(record: DateRecord, job: Job) -> bool:
    """Whether a date was scored by the metrics of a job, in any order."""
    return set(record.metric.split(", ")) == set(job.metrics)
