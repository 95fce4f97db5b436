"""The flows that score chatbot logs: the steps of `flows/loop.py` as Prefect tasks.

Each stage on each shard is one task, cached under its content key.
Two flows have the name "score" in Prefect:

- `score` is the whole run, for deployments, nights, and ``q2 score`` with ``PREFECT_API_URL`` set;
- `score_shards` runs the stages only, after ``q2 score`` without a server has read and planned.

Where a few pairs are left to score, ``q2 score`` without a server uses neither (`flows/local.py`).

A cached result is the small JSON receipt of a Parquet file, never the table and never a pickle.
A hit is believed only after the file behind it is checked; else the stage runs again.
Each record is checked before Prefect reads it: a record names its own serializer, so a changed one
could have a pickle read, and a broken one would end the run far from its cause.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.context import TaskRunContext
from prefect.settings import get_current_settings

from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.running.embedded_prefect import end_loops_with_process
from qsquared.flows.running.plan import Plan, plan_run
from qsquared.flows.running.prefect_runs import flat_parameters, logs_named, named, score_name
from qsquared.flows.running.run import read_log
from qsquared.flows.running.stopping import handle_sigterm_ourselves
from qsquared.storage.files.parquet import Receipt
from qsquared.storage.records.inputs.manifests import InputManifest
from qsquared.tasks.jobs.options import Job, ScoreOptions
from qsquared.tasks.running.retries import RETRIES, tags_of
from qsquared.tasks.running.stage_runner import open_job

logger = logging.getLogger("qsquared")

# For a worker of Prefect, which imports this module first; in a process of our own it is done by then.
end_loops_with_process()

# Not cached by Prefect: the manifest of an input is the cache, and one that was read with a limit of 100
# serves a limit of 50, too.
ingest_task = task(name="ingest", cache_policy=NO_CACHE, persist_result=False, **RETRIES)(read_log)
plan_task = task(name="plan", task_run_name="plan", cache_policy=NO_CACHE, persist_result=False)(
    plan_run
)


def _content_key(_context: TaskRunContext, arguments: dict[str, Any]) -> str:
    configuration = open_job(arguments["job"]).configuration
    return configuration.key(arguments["stage"], arguments["shard"])


@task(
    cache_key_fn=_content_key,
    result_serializer="json",
    persist_result=True,
    # Else Prefect would keep every receipt of a long run.
    cache_result_in_memory=False,
    **RETRIES,
)
def stage_task(job: Job, stage: str, shard: str) -> dict[str, Any]:
    """Run a stage on a shard, once for each content key; return the receipt as plain JSON."""
    return asdict(open_job(job).run(stage, shard))


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


class Tasks(Steps):
    """The steps of a run as Prefect tasks."""

    def read(self, path: str) -> InputManifest:
        """Read one log into the store, in a task of its name."""
        reading = ingest_task.with_options(task_run_name=named(f"read {logs_named([path])}"))
        return reading(open_job(self.job).store, self.options, path)

    def plan(self, fingerprints: Sequence[str]) -> Plan:
        """Plan the shards in a task."""
        return plan_task(self.job, fingerprints, self.options.limit, self.options.retry_errors)

    def run_stage(self, stage: str, shard: str, name: str) -> None:
        """Run a stage on a shard in a task, unless Prefect's cache and the store have it."""
        runner = open_job(self.job)
        tags = tags_of(self.job.device, runner.paths.stages[stage].roles)
        run = stage_task.with_options(name=stage, tags=tags, task_run_name=name)
        _drop_unless(runner.configuration.key(stage, shard), runner.finished(stage, shard))
        receipt = _read_receipt(run(self.job, stage, shard))
        if receipt is None or receipt != runner.finished(stage, shard):
            run.with_options(refresh_cache=True)(self.job, stage, shard)


@flow(name="score", flow_run_name=score_name, validate_parameters=False, persist_result=False)
@flat_parameters(ScoreOptions, first=("logs",))
def score(options: ScoreOptions) -> dict[str, Any]:
    """Score the replies of some logs; return the run's summary, as the store's ``runs`` have it."""
    with handle_sigterm_ourselves():
        return score_logs(options, Tasks(options))


def score_shards(options: ScoreOptions, plan: Plan) -> None:
    """Score the shards of a plan in a flow, for the current run, which has read its logs before."""
    name = named(f"score {logs_named(options.logs)}")

    # Without parameters, since Prefect would store the whole plan with the flow's run.
    @flow(name="score", flow_run_name=name, persist_result=False)
    def shards() -> None:
        with handle_sigterm_ourselves():
            Tasks(options).run_shards(plan)

    shards()
