"""How torch's threads wait for each other, which is settled before torch is imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_TELL = "import qsquared.language.models, os, sys; print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"


@pytest.mark.parametrize(("given", "found"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_told_otherwise(given: str | None, found: str) -> None:
    """The setting is there before torch is imported, and one's own stays."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    environment |= {} if given is None else {"OMP_WAIT_POLICY": given}
    said = subprocess.run(
        [sys.executable, "-c", _TELL], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [found, "False"]
