"""Work that a process did for a run before the run began, while Prefect's API was starting.

The run takes it over as its own: it is no reuse of what earlier runs left in the store.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from qsquared.flows.watching.meter import WorkMeter
from qsquared.storage.records.manifests import InputManifest

if TYPE_CHECKING:
    from qsquared.flows.running.plan import Plan


@dataclass(slots=True)
class Ahead:
    """Logs that were read, the plan, and the stages that ran on its first free shard."""

    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=time.monotonic)
    run_id: str = ""
    manifests: dict[str, InputManifest] = field(default_factory=dict)
    plan: Plan | None = None
    shard: str = ""
    executed: list[tuple[str, str]] = field(default_factory=list)
    meter: WorkMeter = field(default_factory=WorkMeter)
    told: bool = False
    """Whether the observer knows the logs and the plan, which then are not told again."""

    def __post_init__(self) -> None:
        # Names of runs that begin in the same second are in their order, too.
        self.run_id = (
            f"{self.began:%Y%m%dT%H%M%S}-{self.began.microsecond:05x}{secrets.randbelow(16):x}"
        )


_ahead: ContextVar[Ahead] = ContextVar("ahead")


def done_ahead() -> Ahead:
    """Return the work done for the current run, or a fresh record without any."""
    return _ahead.get(None) or Ahead()


@contextmanager
def taken_over(ahead: Ahead) -> Iterator[None]:
    """Let the run within take over what was done."""
    token = _ahead.set(ahead)
    try:
        yield
    finally:
        _ahead.reset(token)
