"""Ctrl-C and SIGTERM reach a query that runs, which would else go on to its end unheard."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

_ENDING = {signal.SIGINT, signal.SIGTERM}


@contextmanager
def interrupted_by_signals(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt what the connection does when a signal comes; its handler runs right after.

    While DuckDB works Python runs no handler, but it writes the signal's number to a file.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, pythons = socket.socketpair()
    pythons.setblocking(False)

    def watch() -> None:
        while number := ours.recv(1):
            if number[0] in _ENDING:
                connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(pythons.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        pythons.close()
        watcher.join()
        ours.close()
