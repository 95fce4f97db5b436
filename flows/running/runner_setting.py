"""The setting `--runner`, which names the engine that scores shards: `threads`, `dask:4`."""

import re
from dataclasses import dataclass
from importlib.util import find_spec

from qsquared.errors import UsageError

THREADS = "threads"
_DASK = re.compile(r"dask(:(?P<workers>[1-9]\d{0,4})|:(?P<address>\S*[^\d\s]\S*))?")


@dataclass(frozen=True, slots=True)
class Dask:
    """Processes of Dask: the number to start (0: one for each core), or the address of running ones."""

    workers: int = 0
    address: str = ""


def read_setting(text: str) -> Dask | None:
    """Return the processes that score shards; None if this one does, one shard after another.

    Raises:
        UsageError: it names none, or one whose library is not installed.
    """
    if text == THREADS:
        return None
    match = _DASK.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--runner is {text!r}.",
            "Use threads; dask, or a number of its processes as in dask:4; or the address of a "
            "cluster, as in dask:tcp://host:8786.",
        )
    if find_spec("prefect_dask") is None:
        raise UsageError(
            f"--runner {text} needs a library that is not installed.",
            "Install it: pip install -e '.[dask]'",
        )
    return Dask(int(match["workers"] or 0), match["address"] or "")
