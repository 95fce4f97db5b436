"""One run of ``q2 score`` in a process of its own: what it took, and how much of it the models.

``python -m benchmarks.commands.scoring free|real score …`` is the command line with a clock in its models.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.commands.watched import WatchedRoles
from benchmarks.growth.free_models import FreeModels
from qsquared.profiles.profile import ROLES, Profile
from qsquared.storage.records.executions import read_executions
from qsquared.storage.store import Store

_MARK = "benchmark: "


@dataclass(frozen=True, slots=True)
class Run:
    """Wall time and model time in seconds, greatest resident memory in MB, seconds of each stage."""

    seconds: float
    model_seconds: float
    peak_megabytes: float
    stages: Mapping[str, float]
    models: Mapping[str, float]


def run_score(
    models: str, logs: Sequence[Path], store: Path, profile: str, profiles: Path | None = None
) -> Run:
    """Run ``q2 score`` and wait for it.

    Args:
        models: ``real``, or ``free`` for models that cost nothing.
        logs: what to score.
        store: where to.
        profile: name of the profile.
        profiles: file with further profiles.

    Raises:
        RuntimeError: the run failed; with what it said.
    """
    before = len(read_executions(Store(store)))
    own = ["--profiles", str(profiles)] if profiles else []
    command = [
        sys.executable,
        "-m",
        "benchmarks.commands.scoring",
        models,
        "score",
        *map(str, logs),
    ]
    started = time.perf_counter()
    done = subprocess.run(
        [*command, "--store", str(store), "--profile", profile, *own],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    lines = [line for line in done.stderr.splitlines() if line.startswith(_MARK)]
    if done.returncode or not lines:
        raise RuntimeError(f"{command} failed: {done.stderr[-2000:]}")
    told = json.loads(lines[-1].removeprefix(_MARK))
    return Run(
        seconds,
        sum(told["models"].values()),
        told["peak_megabytes"],
        _stage_seconds(Store(store), before),
        told["models"],
    )


def _stage_seconds(store: Store, before: int) -> dict[str, float]:
    """Seconds of each stage over all shards, from the store's record after so many lines."""
    began: dict[str, datetime] = {}
    seconds: dict[str, float] = defaultdict(float)
    for line in read_executions(store)[before:]:
        at = datetime.fromisoformat(line.at)
        if line.event == "begin":
            began[line.key] = at
        else:
            seconds[line.stage] += (at - began[line.key]).total_seconds()
    return dict(seconds)


class _WatchedModels(WatchedRoles):
    """Watched models, with what the workbench asks of a profile's models beside."""

    @property
    def profile(self) -> Profile:
        """The profile that they are of."""
        profile: Profile = self.models.profile  # type: ignore[attr-defined]
        return profile

    def identities(self, roles: Iterable[str] = ROLES) -> dict[str, str]:
        """Role → identity."""
        return {role: self.identity(role) for role in roles}

    def identity(self, role: str) -> str:
        """The identity of one role."""
        identity: str = self.models.identity(role)  # type: ignore[attr-defined]
        return identity


def _child(kind: str) -> None:
    from qsquared.cli.app import main
    from qsquared.language.models import build_models
    from qsquared.tasks.running import stage_runner as workbench

    made: dict[tuple[Any, str], _WatchedModels] = {}

    def build(profile: Profile, device: str = "cpu") -> _WatchedModels:
        if (profile, device) not in made:
            models = FreeModels(profile) if kind == "free" else build_models(profile, device)
            made[profile, device] = _WatchedModels(models)
        return made[profile, device]

    setattr(workbench, "build_models", build)  # noqa: B010 - it is the module's own import
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        main()
    finally:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds = {
            role: sum(models.counts()[role]["seconds"] for models in made.values())
            for role in ROLES
        }
        print(_MARK + json.dumps({"peak_megabytes": peak, "models": seconds}), file=sys.stderr)


if __name__ == "__main__":
    kind = sys.argv.pop(1)
    _child(kind)
