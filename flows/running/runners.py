"""Worker processes that score shards, on a Dask cluster or on Ray.

Prefect's task runners distribute the shards; this module only chooses and starts one.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from prefect.task_runners import TaskRunner

from qsquared.errors import UsageError
from qsquared.flows.running.runner_setting import DASK, Setting

_AHEAD = 2
"""Shards at hand for each worker, so that none waits for the next one."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that take shards.

    ``runner`` is Prefect's task runner, ``shards`` how many may be at hand at once; ``is_done``
    says whether the engine's own future has ended in any way, ``cancel`` gives it up.
    """

    runner: TaskRunner[Any]
    shards: int
    is_done: Callable[[Any], bool]
    cancel: Callable[[Any], object]


@contextmanager
def workers(setting: Setting, device: str) -> Iterator[Workers]:
    """Start or join the workers that a setting names; started ones end at the exit.

    Args:
        setting: neither of this process nor of an engine that is not installed.
        device: where the models run; on Ray, a shard on a GPU asks for a whole one.

    Raises:
        UsageError: nothing can be reached at the address.
    """
    with _dask(setting) if setting.kind == DASK else _ray(setting, device) as found:
        yield found


@contextmanager
def _dask(setting: Setting) -> Iterator[Workers]:
    from distributed import LocalCluster
    from prefect_dask.task_runners import DaskTaskRunner

    if setting.address:
        runner = DaskTaskRunner(address=setting.address)
    else:
        runner = DaskTaskRunner(
            cluster_class=LocalCluster,
            cluster_kwargs={
                "n_workers": setting.workers or os.cpu_count() or 1,
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
            raise _no_cluster(setting, error) from error
        yield Workers(
            runner,
            _AHEAD * max(1, len(joined)),
            lambda future: bool(future.done()),
            lambda future: future.cancel(),
        )


@contextmanager
def _ray(setting: Setting, device: str) -> Iterator[Workers]:
    # Ray would report every start to its makers.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from prefect_ray import RayTaskRunner
    from prefect_ray.context import remote_options

    options: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False}
    if setting.workers:
        options["num_cpus"] = setting.workers
    runner = RayTaskRunner(setting.address or None, {} if setting.address else options)
    try:
        runner.__enter__()
    except ConnectionError as error:
        raise _no_cluster(setting, error) from error
    try:
        kind = "GPU" if device.startswith("cuda") else "CPU"
        slots = int(ray.cluster_resources().get(kind, 1))
        with remote_options(num_gpus=1) if kind == "GPU" else remote_options(num_cpus=1):
            yield Workers(
                runner,
                _AHEAD * max(1, slots),
                lambda future: bool(ray.wait([future], timeout=0)[0]),
                ray.cancel,
            )
    finally:
        runner.__exit__(None, None, None)


def _no_cluster(setting: Setting, error: Exception) -> UsageError:
    return UsageError(
        f"There is no {setting.kind} cluster at {setting.address}: {error}",
        f"Start one there, or let this command start one of its own: --runner {setting.kind}",
    )
