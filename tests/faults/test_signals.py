"""Tests of Ctrl-C and SIGTERM at any moment, and of a second signal."""

import _imp
import faulthandler
import functools
import importlib
import signal
import subprocess
import sys
import threading
import time

import pytest

from qsquared.cli import main as command_line
from qsquared.flows.running import stopping as module
from qsquared.flows.running.stopping import ending_cleanly, handle_sigterm_ourselves
from tests.calling import q2

BUSY = """
import sys, time
from qsquared.flows.running.stopping import ending_cleanly
with ending_cleanly():
    try:
        print("working", flush=True)
        time.sleep(600)
    finally:
        print("cleaning up", flush=True)
        time.sleep(600)
"""


HUNG = """
import threading
from qsquared.flows.running import stopping
stopping.PATIENCE_SECONDS = 0.5
with stopping.ending_cleanly():
    try:
        print("working", flush=True)
        threading.Event().wait()
    finally:
        print("cleaning up", flush=True)
        threading.Event().wait()
"""


@pytest.fixture(autouse=True)
def _this_process_goes_on():
    """It has got signals that end a command; these tests answer them in its place."""
    yield
    faulthandler.cancel_dump_traceback_later()


DROPPING = """
import signal, sys
from qsquared.flows.running.stopping import ending_cleanly, stop_if_asked, stopping

class Dropping:
    # Its finaliser is at work when a signal comes; Python drops the exceptions of finalisers.
    def __del__(self):
        signal.raise_signal(int(sys.argv[1]))

def stage(shard):
    stop_if_asked()
    print("begun", shard)

with ending_cleanly():
    stage("first")
    Dropping()
    print("asked to end with", stopping())
    try:
        stage("second")
    except BaseException as error:
        print("raised", type(error).__name__)
stop_if_asked()
print("asked to end with", stopping())
"""


@pytest.mark.parametrize(
    ("number", "raised", "code"),
    [(signal.SIGINT, "KeyboardInterrupt", 130), (signal.SIGTERM, "SystemExit", 143)],
)
def test_a_signal_whose_exception_is_dropped_ends_the_run_before_the_next_stage(
    number, raised, code
):
    """Nothing that swallows an exception can swallow a signal."""
    # In a process of its own: what other tests left in this one may answer a Ctrl-C, too.
    process = subprocess.run(
        [sys.executable, "-c", DROPPING, str(int(number))],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert process.stdout.splitlines() == [
        "begun first",
        f"asked to end with {code}",
        f"raised {raised}",
        "asked to end with None",
    ]
    assert "Exception ignored in: <function Dropping.__del__" in process.stderr


def test_a_second_ctrl_c_ends_the_process_at_once():
    """The first one lets it clean up; who cannot wait for that gets the same exit code."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "working\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "cleaning up\n"
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors.strip().startswith("q2: ended at once.")
    assert "Traceback" not in errors


def test_a_second_sigterm_lets_the_run_clean_up():
    """Prefect sends the one that it caught on to us; that is no reason to break off."""
    cleaned = []
    with ending_cleanly():
        with pytest.raises(SystemExit) as first:
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(SystemExit) as second:
            signal.raise_signal(signal.SIGTERM)
        cleaned.append(True)
    assert (first.value.code, second.value.code, cleaned) == (143, 143, [True])


def test_a_process_that_does_not_end_after_its_signal_is_ended_and_shows_where_it_hung():
    """Else a scheduler would wait for it, and nobody would learn why."""
    process = subprocess.Popen(
        [sys.executable, "-c", HUNG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "working\n"
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=120)
    assert out == "cleaning up\n"
    assert process.returncode == 1
    assert 'File "<string>", line 11 in <module>' in errors


def test_a_signal_does_not_interrupt_the_import_machinery_which_would_keep_its_lock(monkeypatch):
    """The module is there, and the exception rises from other code a moment later."""
    imported = []

    def interrupted():
        with monkeypatch.context() as patch:
            ask = functools.partial(signal.raise_signal, signal.SIGTERM)
            patch.setattr(_imp, "acquire_lock", ask)
            patch.setattr(_imp, "release_lock", int)
            imported.append(importlib.import_module("colorsys"))
        time.sleep(60)

    sys.modules.pop("colorsys", None)
    with ending_cleanly(), pytest.raises(SystemExit) as stopped:
        interrupted()
    assert imported == [sys.modules["colorsys"]]
    assert stopped.value.code == 143


def test_a_run_that_waits_after_its_signal_is_asked_again(monkeypatch):
    """It may wait for something that will not come."""
    monkeypatch.setattr(module, "ASK_AGAIN_SECONDS", 0.2)
    with ending_cleanly():
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(SystemExit):
            threading.Event().wait()


def test_signal_handlers_are_restored():
    """After the command, and in threads and workers of others, the handlers are theirs."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    seen = []

    def elsewhere():
        with ending_cleanly(), handle_sigterm_ourselves():
            seen.append({number: signal.getsignal(number) for number in before})

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    with handle_sigterm_ourselves():
        seen.append({number: signal.getsignal(number) for number in before})
    with ending_cleanly():
        assert all(signal.getsignal(number) != before[number] for number in before)
    seen.append({number: signal.getsignal(number) for number in before})
    assert seen == [before] * 3


def test_the_alarm_of_others_is_theirs_again():
    """Whoever set a time limit for this process, as a test runner does, keeps it."""
    before = signal.getsignal(signal.SIGALRM)
    with ending_cleanly():
        assert signal.getsignal(signal.SIGALRM) == before
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGALRM) != before
    assert signal.getsignal(signal.SIGALRM) == before


def test_within_a_flow_sigterm_is_answered_as_without():
    """Prefect's handler is there again for what Prefect does after the flow's own code."""
    with ending_cleanly():
        ours = signal.getsignal(signal.SIGTERM)
        prefects = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with handle_sigterm_ourselves():
            assert signal.getsignal(signal.SIGTERM) == ours == prefects
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_says_how_to_go_on_whatever_became_of_the_signal(
    monkeypatch, number, code
):
    """A library may make an error of its own out of it; that is no defect to report."""

    def interrupted(**_):
        try:
            signal.raise_signal(number)
        except BaseException as error:
            raise RuntimeError("query interrupted") from error

    monkeypatch.setattr(command_line, "app", interrupted)
    outcome = q2("score", "my log.jsonl", "--store", "s")
    assert outcome.code == code
    assert "The same command continues: q2 score 'my log.jsonl' --store s" in outcome.err
    assert "unexpected" not in outcome.err
