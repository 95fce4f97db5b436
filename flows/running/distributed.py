"""Distribute the shards of a run over other processes: one task a shard, with all its stages.

A task is so coarse because starting one costs far more there than in this process.
The claims on the shards stay with this process; a worker that dies costs the stage that it was at,
since Dask gives its shard to another one, which finds the finished stages in the store.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from qsquared.errors import LostWorkerError, ModelError, Q2Error, UsageError
from qsquared.flows.running.plan import Plan, show_owners
from qsquared.flows.running.progress import observer
from qsquared.flows.running.stopping import stop_if_asked
from qsquared.profiles.profile import ROLES
from qsquared.storage.files.shard_claims import Claim
from qsquared.storage.records.runs import current_run, recorded_as
from qsquared.tasks.jobs.options import Dask, Job
from qsquared.tasks.running.retries import tags_of
from qsquared.tasks.running.stage_runner import open_job

_POLL_SECONDS = 0.05
_HELD_POLL_SECONDS = 0.5
_SHARDS_A_WORKER = 2
"""Shards at hand for each worker, so that none waits for the next one."""

_one_shard = threading.Lock()
"""The models of a process are for one shard at a time, however many threads Dask gives it."""


def run_shard(job: Job, shard: str, run_id: str, configuration: str) -> list[str]:
    """Run the stages that a shard lacks in this process; return their names.

    The models are loaded for the first shard and stay for the next ones.

    Raises:
        ModelError: this machine's scores would not be those of the run's ``configuration``.
    """
    with _one_shard, recorded_as(run_id):
        runner = open_job(job)
        if runner.configuration.digest != configuration:
            raise ModelError(
                "A worker has other models than the process that began the run, or computes them on "
                "another engine or in another precision, and its scores would not be the run's.",
                "Install the same version with the same packages on both; --precision fp32 is the same "
                "on every processor.",
            )
        missing = runner.missing_stages(shard)
        for stage in missing:
            runner.run(stage, shard)
        return missing


shard_task = task(name="shard", cache_policy=NO_CACHE, persist_result=False)(run_shard)


def run_on_dask(job: Job, plan: Plan, dask: Dask) -> None:
    """Score the unfinished shards of a plan, for the current run, in processes of Dask.

    Raises:
        LostWorkerError: workers died again and again on a shard.
        Q2Error: what ended a stage.
    """
    if plan.unfinished:
        with dask_workers(dask) as (runner, number):
            _Distribution(job, plan, runner, _SHARDS_A_WORKER * number).run()


@contextmanager
def dask_workers(dask: Dask) -> Iterator[tuple[TaskRunner[Any], int]]:
    """Start or join the workers of Dask of a setting; started ones end at the exit.

    Returns:
        Prefect's runner of tasks, and the number of workers.

    Raises:
        UsageError: nothing can be reached at the address.
    """
    from distributed import LocalCluster
    from prefect_dask.task_runners import DaskTaskRunner

    if dask.address:
        runner = DaskTaskRunner(address=dask.address)
    else:
        runner = DaskTaskRunner(
            cluster_class=LocalCluster,
            cluster_kwargs={
                "n_workers": dask.workers or os.cpu_count() or 1,
                # Models are for one thread at a time; a process each is what makes it parallel.
                "threads_per_worker": 1,
                "processes": True,
                "host": "127.0.0.1",
                "dashboard_address": None,
                "silence_logs": logging.CRITICAL,
            },
        )
    with runner:
        try:
            joined = runner.client.scheduler_info(n_workers=-1)["workers"]
        except OSError as error:
            raise UsageError(
                f"There is no dask cluster at {dask.address}: {error}",
                "Start one there, or let this command start one of its own: --runner dask",
            ) from error
        yield runner, max(1, len(joined))


@dataclass
class _Distribution:
    """The shards of one run that wait, that workers have, at ``most`` so many, and that are done."""

    job: Job
    plan: Plan
    runner: TaskRunner[Any]
    most: int

    def __post_init__(self) -> None:
        self._stages = open_job(self.job)
        self._task = shard_task.with_options(tags=tags_of(self.job.device, ROLES))
        self._left = deque(Claim(self._stages.store.root, key) for key in self.plan.unfinished)
        self._at_work: dict[PrefectFuture[Any], Claim] = {}
        self._owners_shown: set[str] = set()
        self._ask_again = 0.0

    def run(self) -> None:
        try:
            while self._left or self._at_work:
                stop_if_asked()
                if self._hand_out() or self._collect():
                    continue
                if self._left and not self._at_work:
                    show_owners(self._left, self._owners_shown)
                time.sleep(_POLL_SECONDS)
        finally:
            for future, claim in self._at_work.items():
                _of_dask(future).cancel()
                claim.release()

    def _hand_out(self) -> bool:
        """Give one more shard to the workers, if they may have one and one is free."""
        if len(self._at_work) >= self.most or time.monotonic() < self._ask_again:
            return False
        for _ in range(len(self._left)):
            claim = self._left.popleft()
            if not claim.take():
                self._left.append(claim)
                continue
            shard = claim.path.stem
            if self._stages.missing_stages(shard):
                digest = self._stages.configuration.digest
                given = {"job": self.job, "shard": shard, "run_id": current_run()}
                observer().stage("shard", shard)
                asked = self._task.with_options(task_run_name=self.plan.name_of(shard))
                self._at_work[self.runner.submit(asked, given | {"configuration": digest})] = claim
            else:
                claim.release()
                self.plan.report_scored(shard)
            return True
        # Others hold all shards that are left; asking them all the time would only cost.
        self._ask_again = time.monotonic() + _HELD_POLL_SECONDS
        return False

    def _collect(self) -> bool:
        """Take back the shards whose tasks have ended."""
        done = [future for future in self._at_work if _of_dask(future).done()]
        for future in done:
            claim = self._at_work.pop(future)
            shard = claim.path.stem
            try:
                stages = _result(future, shard)
            finally:
                claim.release()
            self._stages.executed += [(stage, shard) for stage in stages]
            self.plan.report_scored(shard)
        return bool(done)


def _of_dask(future: PrefectFuture[Any]) -> Any:
    """Return Dask's future behind Prefect's."""
    return getattr(future, "wrapped_future", future)


def _result(future: PrefectFuture[Any], shard: str) -> list[str]:
    try:
        return list(future.result())
    except Q2Error:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] != "distributed":
            raise
        raise LostWorkerError(
            f"The workers that had the shard {shard} died again and again: {error}",
            "Look whether they had memory enough (their own logs tell), and run the same command "
            "again: it goes on where it stopped.",
        ) from error
