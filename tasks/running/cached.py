"""Prefect tasks of the stages, cached under their content keys.

A cached result is the small JSON receipt of a Parquet file, never the table and never a pickle.
A hit is believed only after the file behind it is checked; else the stage runs again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.context import TaskRunContext

from qsquared.storage.files.parquet import Receipt
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.running.prefect_retries import RETRIES, tags_of
from qsquared.tasks.running.receipts import drop_unless, read_receipt
from qsquared.tasks.running.stage_runner import open_job

CachedStage = Callable[[Job, str], Receipt]


def cached(stage: str) -> CachedStage:
    """Return a Prefect task that runs one stage on one shard, once for each content key."""

    def content_key(_context: TaskRunContext, arguments: dict[str, Any]) -> str:
        return open_job(arguments["job"]).configuration.key(stage, arguments["shard"])

    @task(
        name=stage,
        task_run_name=stage + " {shard}",
        cache_key_fn=content_key,
        result_serializer="json",
        persist_result=True,
        # Else Prefect would keep every receipt of a long run.
        cache_result_in_memory=False,
        **RETRIES,
    )
    def run(job: Job, shard: str) -> dict[str, Any]:
        runner = open_job(job)
        receipt = runner.finished(stage, shard) or runner.run_recorded(stage, shard)
        return receipt.to_json()

    def call(job: Job, shard: str) -> Receipt:
        runner = open_job(job)
        tagged = run.with_options(tags=tags_of(job.device, runner.paths.stages[stage].roles))
        drop_unless(runner.configuration.key(stage, shard), runner.finished(stage, shard))
        receipt = read_receipt(tagged(job, shard))
        if receipt is not None and runner.finished(stage, shard) == receipt:
            return receipt
        return Receipt.from_json(tagged.with_options(refresh_cache=True)(job, shard))

    return call
