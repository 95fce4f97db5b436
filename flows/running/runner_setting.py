"""The setting `--runner`, which names the engine that scores shards: `threads`, `dask:4`."""

import re
from dataclasses import dataclass
from importlib.util import find_spec

from qsquared.errors import UsageError

THREADS = "threads"
DASK = "dask"
_DASK = re.compile(r"dask(:(?P<workers>[1-9]\d{0,4})|:(?P<address>\S*[^\d\s]\S*))?")


@dataclass(frozen=True, slots=True)
class Setting:
    """An engine; ``workers`` is the number of processes to start (0: one for each core).

    ``address`` is that of a cluster that runs already, or empty.
    """

    kind: str
    workers: int = 0
    address: str = ""

    @property
    def here(self) -> bool:
        """Whether shards are scored in this process, one after another."""
        return self.kind == THREADS


def read_setting(text: str) -> Setting:
    """Return the setting that a text names.

    Raises:
        UsageError: it names none, or one whose library is not installed.
    """
    if text == THREADS:
        return Setting(THREADS)
    found = _DASK.fullmatch(text)
    if found is None:
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
    return Setting(DASK, int(found["workers"] or 0), found["address"] or "")
