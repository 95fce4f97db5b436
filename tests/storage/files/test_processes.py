"""Tests of whether a process is still running."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsquared.storage.files.processes import is_running


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_a_process_that_waits_for_its_parent_to_notice_its_end_does_not_run():
    """A killed run in a container without an init process waits so for ever."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_running(process.pid)
    process.kill()
    deadline = time.monotonic() + 30
    while is_running(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, 0)  # its number is still taken
    process.wait()
    assert not is_running(process.pid)
