"""The flow that scores chatbot logs, each stage once on each shard.

The stages of the asked metrics run shard by shard, each after those that it reads, as
``tasks/metric.py`` has them in the order of the papers.
What is finished is reused, so a rerun costs only what is new.
"""

from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from qsquared.flows.prefect_api.event_loops import end_with_process
from qsquared.flows.prefect_api.run_names import logs_named, named, score_name
from qsquared.flows.running.distributed import score_elsewhere
from qsquared.flows.running.parameters import flat_parameters
from qsquared.flows.running.plan import Plan, plan_run, score_shards
from qsquared.flows.running.run import known_inputs, read_log, read_logs, record_run
from qsquared.flows.running.runner_setting import read_setting
from qsquared.flows.running.stopping import handle_sigterm_ourselves
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.metric import METRICS
from qsquared.tasks.running.cached import cached
from qsquared.tasks.running.prefect_retries import RETRIES

# In a process that a worker has started; one of our own has done so before.
end_with_process()

# An input's own manifest is its cache: a reading that went further serves a smaller limit too,
# which no equality of keys could express.
ingest = task(name="ingest", cache_policy=NO_CACHE, persist_result=False, **RETRIES)(read_log)
plan_shards = task(name="plan", task_run_name="plan", cache_policy=NO_CACHE, persist_result=False)(
    plan_run
)

STAGES = {stage.name: cached(stage.name) for metric in METRICS.values() for stage in metric.stages}


@flow(name="score", flow_run_name=score_name, validate_parameters=False, persist_result=False)
@flat_parameters(ScoreOptions, first=("logs",))
def score(options: ScoreOptions) -> dict[str, Any]:
    """Score the replies of some logs; return the summary that the store's runs have too."""
    job = options.job
    setting = read_setting(options.runner)
    with handle_sigterm_ourselves(), record_run(job, options.logs, options.limit) as run:
        inputs, unreadable = read_logs(
            options.logs,
            options.limit,
            lambda path: ingest.with_options(task_run_name=named(f"read {logs_named([path])}"))(
                job, path, options.mapping or {}, options.limit, options.file_format
            ),
        )
        inputs += known_inputs(job, options.known or [])
        fingerprints = [manifest.fingerprint for manifest in inputs]
        plan: Plan = plan_shards(job, fingerprints, options.limit, options.retry_errors)
        if not setting.here:
            score_elsewhere(job, plan, setting, run.run_id)
            return run.summary(inputs, unreadable, plan)
        score_shards(
            job,
            plan,
            lambda stage, shard: STAGES[stage](job, shard, f"{stage}, {plan.name_of(shard)}"),
        )
        return run.summary(inputs, unreadable, plan)
