"""The threads of Prefect's event loops, which have to end before the process does.

Prefect leaves them to their fate, and one that is still there keeps the objects of a run alive; then
DuckDB, which counts its own, prints a hundred lines into the log of a worker.
"""

import atexit
import gc
import sys
from functools import cache

_SECONDS = 2.0


@cache
def end_with_process() -> None:
    """Have the loops end with the process; in one of our own, call it before Prefect is imported.

    Exit functions are called last first, so Prefect's still find the loops.
    In the process of a worker it comes too late for that; but there, too, Prefect has sent its last
    events and log lines before the first of them is called.
    """
    atexit.register(_end)


def _end() -> None:
    threads = sys.modules.get("prefect._internal.concurrency.threads")
    for name in ("_global_loop", "_run_sync_loop"):
        loop = getattr(threads, name, None)
        if loop is not None:
            loop.shutdown()
            loop.thread.join(_SECONDS)
    gc.unfreeze()  # what was frozen to save time would stay, too
