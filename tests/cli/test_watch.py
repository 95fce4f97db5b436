"""Tests of the progress that a run shows."""

import io
import logging
import warnings

import pytest
from rich.console import Console

from qsquared.cli.main import warnings_shown
from qsquared.cli.terminal import progress as watch
from qsquared.display import duration


@pytest.mark.parametrize("waits", [False, True])
def test_a_run_that_waits_for_others_gives_no_rate(monkeypatch, waits):
    """Turns that other processes score say nothing of this run's speed."""
    shown = io.StringIO()
    monkeypatch.setattr(watch, "_LINE_EVERY_SECONDS", 0.0)
    watcher = watch.Watcher(Console(file=shown, width=200))
    watcher.planned(10, 0, 10)
    if waits:
        watcher.waiting(1, "process 7 on this host")
    watcher.scored(10)
    last = shown.getvalue().splitlines()[-1]
    assert last.startswith("  10 of 10 turns")
    assert ("turns/s" in last) == (not waits)


def test_a_part_of_the_first_turn_foretells_no_time_left(monkeypatch):
    """Models that are still being loaded would make it days."""
    shown = io.StringIO()
    monkeypatch.setattr(watch, "_LINE_EVERY_SECONDS", 0.0)
    watcher = watch.Watcher(Console(file=shown, width=200))
    watcher.planned(10, 0, 10)
    watcher.advanced(0.3)
    assert "s left" not in shown.getvalue()
    watcher.advanced(2.5)
    assert "  2 of 10 turns" in shown.getvalue()


@pytest.mark.parametrize("waits", [False, True])
def test_the_bar_of_a_run_that_waits_gives_no_rate(waits):
    """Neither a rate nor a time left is shown while others do the work."""
    shown = io.StringIO()
    console = Console(file=shown, width=200, force_terminal=True)
    watcher = watch.Watcher(console)
    with watcher.bar:
        watcher.planned(10, 0, 10)
        watcher.stage("spans", "0")
        watcher.scored(4)
        if waits:
            watcher.waiting(1, "process 7 on this host")
            watcher.scored(2)
    last = shown.getvalue().rpartition("waiting" if waits else "scoring")[2]
    assert ("turns/s" in last) == (not waits)


@pytest.mark.parametrize(
    ("seconds", "words"), [(40, "40 s"), (300, "5 min"), (3900, "1 h 5 min"), (7180, "2 h 0 min")]
)
def test_a_time_is_said_in_seconds_minutes_or_hours(seconds, words):
    """No long run counts its time left in seconds."""
    assert duration(seconds) == words


def test_no_warning_of_a_library_reaches_the_terminal(capfd):
    """Our own warnings do, as sentences."""
    with warnings_shown():
        warnings.warn("a library's old habit", FutureWarning, stacklevel=1)
        logging.getLogger("some.library").warning("a library's worry")
        logging.getLogger("qsquared").warning("our own")
    assert capfd.readouterr().err == "q2: our own\n"
