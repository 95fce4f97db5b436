"""Tests of the end of the process of `q2`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, sys, threading, time
import qsquared.cli.main
from qsquared.cli.process import main

class Told:
    def __del__(self):
        print("taken apart")

told = Told()

def command():
    atexit.register(print, "exit function")
    threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
    {end}

qsquared.cli.main.main = command
sys.exit(main())
"""


def ended(end, **more):
    """Run a command that ends with a statement, as the script `q2` does."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(end=end)],
        # Else nothing would be left to write at the end.
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        stderr=subprocess.PIPE, text=True, check=False, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("end", "code"), [("return", 0), ("sys.exit()", 0), ("sys.exit(3)", 3), ("1 / 0", 1)]
)
def test_threads_and_exit_functions_are_waited_for(end, code):
    """Nothing else is; the exit code and the traceback of a defect are as of any program."""
    done = ended(end, stdout=subprocess.PIPE)
    assert (done.stdout, done.returncode) == ("thread\nexit function\n", code)
    assert ("ZeroDivisionError" in done.stderr) == (code == 1)


def test_output_that_cannot_be_written_is_an_error():
    """A full disk is no success, and has the exit code that it has everywhere."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = ended("return", stdout=full)
    assert done.returncode == 74
    assert "the output could not be written: No space left on device" in done.stderr
