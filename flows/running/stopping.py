"""Signals that end a run: finished stages stay, the one at work is rolled back.

The first Ctrl-C or SIGTERM raises in the main thread, so that every file half-written is removed,
every claim given back, the run recorded as interrupted and Prefect's own API ended.
A second Ctrl-C ends the process at once; then that is left to the next run, as after SIGKILL.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from qsquared.flows.watching.progress import observer

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""The codes of shells for a process that a signal ended: 128 and the signal's number."""

_AT_ONCE = b"\nq2: ended at once. Finished stages are kept; the same command continues.\n"


class _State:
    """The signal that asked this process to end, and whether this module handles signals."""

    signal: int | None = None
    armed: bool = False


_state = _State()


def _raise(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(EXIT_CODES[signal.Signals(number)])


def _stop(number: int, _frame: FrameType | None) -> None:
    if number == signal.SIGINT == _state.signal:
        os.write(2, _AT_ONCE)
        os._exit(EXIT_CODES[signal.SIGINT])
    # SIGTERM comes a second time where Prefect forwards the one that it caught.
    _state.signal = _state.signal or number
    _raise(number)


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
    if _state.signal is not None:
        _raise(_state.signal)


def begin_stage(stage: str, shard: str) -> None:
    """Report to the observer that a stage begins, unless the run has been asked to end.

    Raises:
        KeyboardInterrupt: after Ctrl-C.
        SystemExit: after SIGTERM.
    """
    stop_if_asked()
    observer().stage(stage, shard)
