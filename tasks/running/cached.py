"""The stages as Prefect tasks whose cache carries the content key.

A cached result is the small JSON receipt of a Parquet file, never the table and never a pickle.
A hit is believed only after the file behind it is checked; else the stage runs again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.context import TaskRunContext

from qsquared.storage.files.parquet import Receipt
from qsquared.storage.records.executions import recorded
from qsquared.tasks.running.prefect_retries import RETRIES, tags_of
from qsquared.tasks.running.receipts import drop_unless, read_receipt
from qsquared.tasks.running.stage_runner import Job, open_job

CachedStage = Callable[..., Receipt]


def cached(stage: str) -> CachedStage:
    """A Prefect task that runs one stage on one shard, once for each content key.

    Called as ``task(job, shard, *receipts_of_the_inputs)`` within a flow; the receipts only tell
    Prefect what comes after what.
    """

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
    def run(job: Job, shard: str, inputs: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: ARG001
        bench = open_job(job)
        there = bench.finished(stage, shard)
        if there is not None:
            return there.to_json()
        with recorded(bench.store, stage, shard, bench.configuration.key(stage, shard)):
            return bench.run(stage, shard).to_json()

    def call(job: Job, shard: str, *inputs: Receipt) -> Receipt:
        bench = open_job(job)
        tagged = run.with_options(tags=tags_of(job.device, bench.roles(stage)))
        given = [receipt.to_json() for receipt in inputs]
        drop_unless(bench.configuration.key(stage, shard), bench.finished(stage, shard))
        receipt = read_receipt(tagged(job, shard, given))
        if receipt is not None and bench.finished(stage, shard) == receipt:
            return receipt
        return Receipt.from_json(tagged.with_options(refresh_cache=True)(job, shard, given))

    return call
