"""Slow models that read words and record their loading, for worker processes that import this."""

from __future__ import annotations

import os
import time
from pathlib import Path

from qsquared.tasks.running import stage_runner as workbench
from tests.faults.stubbed import WordModels

LOADED = "Q2_TEST_LOADED"
"""The variable that names a folder with an empty file for each time that models were built."""

_PAUSE_SECONDS = 0.02


class SlowModels(WordModels):
    """They leave time to be killed in."""

    def load(self, role):
        """Take a moment."""
        time.sleep(_PAUSE_SECONDS)


def build(profile, _device="cpu"):
    """Stand for `build_models`."""
    folder = os.environ.get(LOADED)
    if folder:
        Path(folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()
    return SlowModels(profile=profile)


def install():
    """Put them into the place of a profile's models in this process."""
    workbench.build_models = build


install()
