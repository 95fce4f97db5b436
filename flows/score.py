"""The main job: score chatbot logs, each stage on each shard once.

The stages of the asked metrics are run shard by shard, each after those that it reads; which they
are stands in ``tasks/metric.py``, in the order of the papers.
What is finished is reused, so a rerun costs only what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from qsquared.flows.running.distributed import score_elsewhere
from qsquared.flows.running.plan import Plan, plan_run, shards_to_score
from qsquared.flows.running.run import known_inputs, read_log, read_logs, record_run
from qsquared.flows.running.runner_setting import read_setting
from qsquared.flows.running.stopping import handle_sigterm_ourselves
from qsquared.flows.watching.progress import watched
from qsquared.storage.files.parquet import Receipt
from qsquared.tasks.metric import METRICS
from qsquared.tasks.running.cached import cached
from qsquared.tasks.running.prefect_retries import RETRIES
from qsquared.tasks.running.stage_runner import Job, open_job

# An input's own manifest is its cache: a reading that went further serves a smaller limit too,
# which no equality of keys could express.
ingest = task(name="ingest", cache_policy=NO_CACHE, persist_result=False, **RETRIES)(read_log)
plan_shards = task(name="plan", cache_policy=NO_CACHE, persist_result=False)(plan_run)

STAGES = {
    stage.name: watched(stage.name, cached(stage.name))
    for metric in METRICS.values()
    for stage in metric.stages
}


@flow(name="score", validate_parameters=False, persist_result=False)
def score(
    logs: list[str],
    store: str = "q2-store",
    profile: str = "compact",
    profiles: str = "",
    mapping: dict[str, str] | None = None,
    limit: int | None = None,
    parameters: str = "{}",
    device: str = "cpu",
    retry_errors: bool = False,
    metrics: Sequence[str] = ("q2",),
    file_format: str = "",
    known: list[str] | None = None,
    runner: str = "threads",
) -> dict[str, Any]:
    """Score the replies of some logs; gives the summary that also lies in the store's runs.

    Args:
        logs: files, folders or glob patterns.
        store: folder of the Parquet store.
        profile: name of the set of models.
        profiles: TOML file with further profiles, or empty.
        mapping: field of the log → field of a turn.
        limit: score only the first so many turns.
        parameters: JSON object of the metric's parameters that differ from the paper's.
        device: where the models run, as torch names it.
        retry_errors: run the stages again on which a model failed.
        metrics: what to score by; a stage that several of them read runs once.
        file_format: how to read the logs, as `--format` names it; empty: told from their content.
        known: inputs that the store has read before, by fingerprint, to be scored with the logs.
        runner: where shards are scored: `threads` (this process), `dask`, `ray`, or an address.
    """
    job = Job(store, profile, profiles, tuple(metrics), parameters, device)
    setting = read_setting(runner)
    bench = open_job(job)
    with handle_sigterm_ourselves(), record_run(job, logs, limit) as run:
        inputs, unreadable = read_logs(
            logs, limit, lambda path: ingest(job, path, mapping or {}, limit, file_format)
        )
        inputs += known_inputs(job, known or [])
        fingerprints = [manifest.fingerprint for manifest in inputs]
        plan: Plan = plan_shards(job, fingerprints, limit, retry_errors)
        if not setting.here:
            score_elsewhere(job, plan, setting, run.run_id)
            return run.summary(inputs, unreadable, plan)
        with shards_to_score(job, plan) as shards:
            for shard in shards:
                made: dict[str, Receipt] = {}
                for stage in bench.stages_of(shard):
                    before = [made[name] for name in stage.inputs if name in made]
                    made[stage.name] = STAGES[stage.name](job, shard, *before)
        return run.summary(inputs, unreadable, plan)
