"""Prefect tasks of the stages, cached under their content keys.

A cached result is the small JSON receipt of a Parquet file, never the table and never a pickle.
A hit is believed only after the file behind it is checked; else the stage runs again.
Each record is checked before Prefect reads it: a record names its own serializer, so a changed one
could have a pickle read, and a broken one would end the run far from its cause.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefect import task
from prefect.context import TaskRunContext
from prefect.settings import get_current_settings

from qsquared.storage.files.parquet import Receipt
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.running.retries import RETRIES, tags_of
from qsquared.tasks.running.stage_runner import open_job

logger = logging.getLogger("qsquared")

CachedStage = Callable[[Job, str, str], Receipt]
"""Runs a stage of a job on a shard; the last argument names the run in Prefect."""


def cached(stage: str) -> CachedStage:
    """Return a Prefect task that runs one stage on one shard, once for each content key."""

    def content_key(_context: TaskRunContext, arguments: dict[str, Any]) -> str:
        return open_job(arguments["job"]).configuration.key(stage, arguments["shard"])

    @task(
        name=stage,
        cache_key_fn=content_key,
        result_serializer="json",
        persist_result=True,
        # Else Prefect would keep every receipt of a long run.
        cache_result_in_memory=False,
        **RETRIES,
    )
    def run(job: Job, shard: str) -> dict[str, Any]:
        return asdict(open_job(job).run(stage, shard))

    def call(job: Job, shard: str, name: str) -> Receipt:
        runner = open_job(job)
        tags = tags_of(job.device, runner.paths.stages[stage].roles)
        tagged = run.with_options(tags=tags, task_run_name=name)
        _drop_unless(runner.configuration.key(stage, shard), runner.finished(stage, shard))
        receipt = _read_receipt(tagged(job, shard))
        if receipt is not None and runner.finished(stage, shard) == receipt:
            return receipt
        return Receipt.from_json(tagged.with_options(refresh_cache=True)(job, shard))

    return call


def _drop_unless(key: str, receipt: Receipt | None) -> None:
    """Remove Prefect's local record of a stage unless it is the plain JSON of this receipt.

    Args:
        key: the content key of the stage's output, which names the record.
        receipt: of the file in the store; None if there is none that holds.
    """
    path = Path(get_current_settings().results.local_storage_path) / key
    try:
        record = json.loads(path.read_bytes())
        plain = record["metadata"]["serializer"]["type"] == "json"
        cached_receipt = _read_receipt(json.loads(record["result"])) if plain else None
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        cached_receipt = None
    if cached_receipt is None:
        logger.warning("%s is no receipt of a stage. It was removed from Prefect's cache.", path)
    if cached_receipt is None or cached_receipt != receipt:
        path.unlink(missing_ok=True)


def _read_receipt(value: Any) -> Receipt | None:
    """Return the receipt that a cache gave, or None if the value is no receipt."""
    try:
        return Receipt.from_json(value)
    except (KeyError, TypeError, ValueError):
        return None
