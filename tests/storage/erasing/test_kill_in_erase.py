"""Tests of an erasure that is killed by the system, again and again, at any moment."""

import signal
import subprocess
import sys
import time

import pytest

from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from tests.faults.small_store import make_small, words_for_models

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

_AT = (0.0, 0.05, 0.15, 0.4)
"""Seconds after the journal is there."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A store that was scored by models which read words."""
    with words_for_models():
        yield make_small(tmp_path_factory.mktemp("killed"))


def erase(small, *more):
    """Start an erasure in a process of its own."""
    command = ["from qsquared.cli.app import main; main()", "erase", *more, "--yes"]
    return subprocess.Popen([sys.executable, "-c", *command, "--store", str(small.store)])


def test_an_erasure_that_is_killed_again_and_again_is_finished(small, tmp_path):
    """After kills at several moments one more run leaves no word and a sound store."""
    kills = 0
    for seconds in _AT:
        worker = erase(small, "--where", "id <> 't9'")
        while worker.poll() is None and not list(small.store.glob("erasures/*.json")):
            time.sleep(0.002)
        time.sleep(seconds)
        if worker.poll() is None:
            worker.send_signal(signal.SIGKILL)
            kills += 1
        worker.wait()
    assert kills
    assert erase(small, "--where", "id <> 't9'").wait() == 0
    words = tmp_path / "words.txt"
    words.write_text("\n".join(f"the {number} trains" for number in range(9)))
    assert small.q2("verify", "--absent", words).code == 0
    assert small.q2("sql", "SELECT id FROM outcomes", "--csv").out.split() == ["id", "t9"]
    assert verify(Store.open(small.store)).sound
