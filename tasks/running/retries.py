"""Retries of steps: the failures that are worth another try, and the waits between.

A failure that may pass is tried again: a disk or network that fails for a moment, a store that does
not answer, a worker that was lost.
One that cannot pass is not: a log or model that is wrong, a full disk, too little memory.
"""

import errno
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from qsquared.errors import Q2Error
from qsquared.storage.files.space import causes

WAITS = [2.0, 4.0, 8.0]
"""Seconds before the second, third and fourth try."""

JITTER = 0.5
"""Each wait is up to half as long again, so that workers that failed together do not come back together."""

_LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
_SHORT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOMEM}
# Errors of libraries that may not be installed, by their names.
_PASSING_NAMES = {"UnreachableError", "KilledWorker", "CommClosedError", "WorkerCrashedError"}


def may_pass(error: BaseException) -> bool:
    """Whether the same work may well succeed a moment later."""
    found = list(causes(error))
    return any(map(_passes, found)) and not any(map(_lasts, found))


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
