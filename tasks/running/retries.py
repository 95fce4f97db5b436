"""Failures of steps: those that are worth another try, and those for lack of memory or space.

A failure that may pass is tried again: a disk or network that fails for a moment, a store that does
not answer, a worker that was lost.
One that cannot pass is not: a log or model that is wrong, a full disk, too little memory.
"""

from __future__ import annotations

import errno
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from qsquared.errors import NoMemoryError, Q2Error, first_line
from qsquared.language.running.batches import is_out_of_memory
from qsquared.storage.files.space import causes, no_space

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qsquared.language.models import Models
    from qsquared.tasks.running.stage_runner import StagePaths

WAITS = [2.0, 4.0, 8.0]
"""Seconds before the second, third and fourth try, of a Prefect task and of a step without Prefect."""

JITTER = 0.5
"""Each wait is up to half as long again, so that workers that failed together do not come back together."""

_LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
_SHORT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOMEM}
# Errors of libraries that may not be installed, by their names.
_PASSING_NAMES = {"UnreachableError", "KilledWorker", "CommClosedError", "WorkerCrashedError"}


def may_pass(error: BaseException) -> bool:
    """Whether the same work may well succeed a moment later."""
    chain = list(causes(error))
    return any(map(_passes, chain)) and not any(map(_lasts, chain))


def _passes(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return not isinstance(error, _LASTING) and error.errno not in _SHORT
    return isinstance(error, BrokenProcessPool) or type(error).__name__ in _PASSING_NAMES


def _lasts(error: BaseException) -> bool:
    return isinstance(error, Q2Error) and type(error).__name__ not in _PASSING_NAMES


def _worth_it(_task: Any, _run: Any, state: Any) -> bool:
    return isinstance(state.data, BaseException) and may_pass(state.data)


GPU_TAG = "gpu"
"""On tasks that use a GPU; a limit on this tag bounds how many run at once, over all workers."""


def tags_of(device: str, roles: tuple[str, ...]) -> list[str]:
    """Return the tags of a task whose stage has these models on this device, as torch names it."""
    return [GPU_TAG] if roles and device.partition(":")[0] != "cpu" else []


RETRIES: dict[str, Any] = {
    "retries": len(WAITS),
    "retry_delay_seconds": WAITS,
    "retry_jitter_factor": JITTER,
    "retry_condition_fn": _worth_it,
}
"""Options of a Prefect task: three more tries, after about 2, 4 and 8 seconds."""


_HINT = (
    "Close other programs, or use a machine with more memory or another --device, and run the same "
    "command again: it goes on where it stopped."
)


def shortage(error: Exception, paths: StagePaths, stage: str, shard: str) -> Q2Error | None:
    """Return the error of a stage as a shortage of memory or space; ``None`` if it is neither."""
    if isinstance(error, NoMemoryError) or is_out_of_memory(error):
        message = error.message if isinstance(error, NoMemoryError) else first_line(error)
        return NoMemoryError(
            f"Memory ran out in the stage {stage} on the shard {shard}: {message}", _HINT
        )
    full = no_space(error, paths.store.root, bytes_needed(paths))
    if full is None:
        return None
    return type(full)(
        f"The stage {stage} of the shard {shard} was not kept. {full.message}", full.hint
    )


def bytes_needed(paths: StagePaths) -> int | None:
    """Return about how many bytes the missing stages of all shards will take; ``None`` if unknown.

    Each stage is taken to need on every shard what it needed on those that have it.
    """
    shards = [path.stem for path in paths.store.root.glob("pairs/[!.]*.parquet")]
    needed = 0.0
    for stage in paths.configuration.graph.stages:
        files = [paths.path(stage.name, shard) for shard in shards]
        sizes = [path.stat().st_size for path in files if path.exists()]
        if not sizes:
            return None
        needed += sum(sizes) / len(sizes) * (len(shards) - len(sizes))
    return round(needed)


def smaller_batches(models: Models, roles: Iterable[str]) -> dict[str, int]:
    """Return role → rows a batch, where memory was too small for the usual number."""
    batches = {role: getattr(getattr(models, role), "batch", None) for role in roles}
    return {
        role: batch.size
        for role, batch in batches.items()
        if batch is not None and batch.size < batch.first_size
    }
