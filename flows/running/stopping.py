"""Signals that end a run: finished stages stay, the one at work is rolled back.

The first Ctrl-C or SIGTERM raises in the main thread, so that every file half-written is removed,
every claim given back, the run recorded as interrupted and Prefect's own API ended.
What of this waits for half a minute is broken off.
A second Ctrl-C ends the process at once; then all that is left to the next run, as after SIGKILL.
So does a process that has not ended after two minutes; it shows where it hangs.

The exception never rises from the import machinery's own code, which could keep its global lock:
then no other thread imports anything again, and Prefect's would wait for it without end.
"""

import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The codes of shells for a process that a signal ended: 128 and the signal's number."""

PATIENCE_SECONDS = 120.0
"""Time after a signal until a process that has not ended by then is ended."""

ASK_AGAIN_SECONDS = 30.0
"""Time after which a process that has not ended is asked once more."""

_IMPORT_SECONDS = 0.002
_IMPORT_MACHINERY = "<frozen importlib._bootstrap"
_STDERR = 2
_AT_ONCE = b"\nq2: ended at once. Finished stages are kept; the same command continues.\n"


class _State:
    """The signal that asked this process to end, and whether this module handles signals."""

    signal: int | None = None
    armed: bool = False
    alarm_handler: Any = None
    """The handler of alarms from before the signal."""


_state = _State()


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise a signal's exception, and again on each alarm until the process has ended."""
    if number == signal.SIGINT == _state.signal:
        os.write(_STDERR, _AT_ONCE)
        os._exit(EXIT_CODES[signal.SIGINT])
    # SIGTERM comes a second time where Prefect forwards the one that it caught.
    if _state.signal is None:
        _state.signal = number
        # Not before: the alarm may be somebody else's.
        _state.alarm_handler = signal.signal(signal.SIGALRM, _stop) or signal.SIG_DFL
        # By a thread of C's, since what hangs may hang outside of Python or at its end.
        faulthandler.dump_traceback_later(PATIENCE_SECONDS, exit=True, file=_STDERR)
    importing = frame is not None and frame.f_code.co_filename.startswith(_IMPORT_MACHINERY)
    signal.setitimer(signal.ITIMER_REAL, _IMPORT_SECONDS if importing else ASK_AGAIN_SECONDS)
    if not importing:
        stop_if_asked()


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM within; for the main thread of a process of our own.

    Elsewhere, as in a worker that runs a deployment, signals stay with their owner.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _stop) for number in EXIT_CODES}
    _state.signal, _state.armed = None, True
    try:
        yield
    finally:
        if stopping() is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            before[signal.SIGALRM] = _state.alarm_handler
        _state.signal, _state.armed = None, False
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def handle_sigterm_ourselves() -> Iterator[None]:
    """Inside a flow, handle SIGTERM as `ending_cleanly` does instead of leaving it to Prefect.

    Does nothing outside of `ending_cleanly`.
    Prefect raises an exception of its own, which would be lost where Python drops exceptions, as in
    a finaliser.
    """
    if not _state.armed or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def stopping() -> int | None:
    """Return the exit code of a process that a signal has asked to end; None if none has."""
    return None if _state.signal is None else EXIT_CODES[signal.Signals(_state.signal)]


def stop_if_asked() -> None:
    """End the run if a signal asked for it and its exception was dropped on the way.

    Raises:
        KeyboardInterrupt: after Ctrl-C.
        SystemExit: after SIGTERM.
    """
    if _state.signal == signal.SIGINT:
        raise KeyboardInterrupt
    if (code := stopping()) is not None:
        raise SystemExit(code)
