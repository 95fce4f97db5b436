"""Tests of the waiting of torch's threads and of its freed memory."""

from __future__ import annotations

import os
import platform
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


_FAULTS = """
import resource, sys
import numpy as np
from qsquared.language.neural.batches import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.empty(50_000_000, dtype=np.uint8).fill(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults()
keep_freed_memory()
print(faults() / before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone has the setting")
@pytest.mark.parametrize("own", [False, True])
def test_freed_memory_is_kept_for_the_next_pass_unless_told_otherwise(own: bool) -> None:
    """Large arrays one after another cost the kernel one set of pages, not one for each."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    environment |= {"MALLOC_ARENA_MAX": "2"} if own else {}
    said = subprocess.run(
        [sys.executable, "-c", _FAULTS], env=environment, capture_output=True, text=True, check=True
    )
    assert (float(said.stdout) > 0.5) is own
