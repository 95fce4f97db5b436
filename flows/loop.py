"""The loop of every scoring run on a store: read logs, plan shards, run stages on each, sum up.

`Steps` runs each step in this process; ``flows/score.py`` runs the same steps as Prefect tasks.
``flows/local.py`` chooses: this process for a few pairs left to score, else Prefect for the
stages; or Prefect for the whole run, where ``PREFECT_API_URL`` names a server.
Finished tables are reused, so a rerun computes only new ones.
`qsquared.score` has no store and a loop of its own, in memory (``tasks/jobs/in_memory.py``).
"""

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from qsquared.errors import first_line
from qsquared.flows.running.plan import Plan, plan_run, shards_to_score
from qsquared.flows.running.progress import WorkMeter, observer
from qsquared.flows.running.run import read_log, read_logs, record_run
from qsquared.flows.running.stopping import stop_if_asked
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.records.inputs.same_logs import counts_elsewhere
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running.retries import JITTER, WAITS, may_pass
from qsquared.tasks.running.stage_runner import open_job

logger = logging.getLogger("qsquared")

Result = TypeVar("Result")


class Steps:
    """The steps of a scoring run, in this process; a log or stage with a failure that may pass is tried again."""

    def __init__(self, options: ScoreOptions) -> None:
        self.options = options
        self.job = options.job

    def read(self, path: str) -> InputManifest:
        """Read one log into the store."""
        return _retried(lambda: read_log(open_job(self.job).store, self.options, path))

    def plan(self, fingerprints: Sequence[str]) -> Plan:
        """Plan the shards of the logs with these fingerprints."""
        return plan_run(self.job, fingerprints, self.options.limit, self.options.retry_errors)

    def run_stage(self, stage: str, shard: str, _name: str) -> None:
        """Run a stage on a shard; ``_name`` is the task's name in Prefect, unused here."""
        _retried(lambda: open_job(self.job).run(stage, shard))

    def run_shards(self, plan: Plan) -> None:
        """Run the stages of the unfinished shards one after another."""
        runner = open_job(self.job)
        meter = WorkMeter(lambda: runner.spending.told)
        with shards_to_score(self.job, plan) as shards:
            for shard in shards:
                stages = [stage.name for stage in runner.paths.stages_of(shard)]
                with meter.shard(stages, plan.share_of(shard)):
                    for stage in stages:
                        stop_if_asked()
                        observer().stage(stage, shard)
                        meter.begin()
                        self.run_stage(stage, shard, f"{stage}, {plan.name_of(shard)}")


def score_logs(options: ScoreOptions, steps: Steps) -> dict[str, Any]:
    """Score the replies of some logs; return the run's summary, as the store's ``runs`` have it."""
    with record_run(options.job, options.logs, options.limit) as run:
        manifests, unreadable = read_logs(options.logs, options.limit, steps.read)
        # Inputs that the store has read before, whose logs may be gone: a rescoring names all that
        # count, a night or a backfill those of its date.
        store = open_job(options.job).store
        known = options.known or []
        manifests += [replace(read_manifest(store, name), reused=True) for name in known]
        # Drop a log that is only the beginning of a longer one, so no turn counts twice. The store is
        # asked again, since a log that was read later may have been found to begin with it.
        manifests = [log for log in manifests if not counts_elsewhere(store, log.fingerprint)]
        plan = steps.plan([log.fingerprint for log in manifests])
        steps.run_shards(plan)
        return run.complete(manifests, unreadable, plan)


def _retried(step: Callable[[], Result]) -> Result:
    """Run a step, and again after a failure that may pass, as often as Prefect does its tasks."""
    for wait in WAITS:
        try:
            return step()
        except Exception as error:
            # A Ctrl-C may surface as another error; then the run ends, without another try.
            stop_if_asked()
            if not may_pass(error):
                raise
            logger.warning("It is tried again: %s", first_line(error))
        time.sleep(wait * random.uniform(1, 1 + JITTER))
    return step()
