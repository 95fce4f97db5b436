"""The latest snapshot of a store, taken anew in the background when the store has changed."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import duckdb

from qsquared.display import visible
from qsquared.errors import Q2Error, first_line
from qsquared.serve.snapshot import Snapshot, take
from qsquared.storage.files.file_errors import denied, unreachable
from qsquared.storage.files.remote_paths import stamps
from qsquared.storage.store import Store

_AGAIN_SECONDS = 0.2
_LOOK_SECONDS = 1.0
"""The time that a page waits to hear whether the store has changed."""


def state_of(store: Store) -> str:
    """Return a text that changes when a log, a run, a configuration or a judgement is added.

    Of a store that cannot be listed it is the reason; who reads the store says it as a sentence.
    """
    parts = []
    try:
        for folder in ("inputs", "configurations", "runs", "draws", "labels"):
            parts += stamps(store.root / folder)
    except Exception as error:  # noqa: BLE001 - a client of remote stores has errors of its own
        parts.append(first_line(error))
    return "\n".join(parts)


def as_sentence(error: Exception) -> Q2Error:
    """Return an error that a person can act upon; of any other one its first line."""
    if isinstance(error, Q2Error):
        return error
    foreseen = unreachable(error) or denied(error)
    return foreseen or Q2Error(
        f"The store could not be asked: {visible(first_line(error))}",
        "Read the page again; if that does not help, check the store: q2 verify",
    )


class Watched:
    """The latest snapshot of a store, taken anew in the background when the store has changed."""

    def __init__(self, store: Store, profile: str | None) -> None:
        self.store = store
        self.error: Q2Error | None = None
        self.began: datetime | None = None
        self._profile = profile
        self._snapshot: Snapshot | None = None
        # An empty store has an empty state, too.
        self._tried: str | None = None
        self._looked = threading.Event()
        self._lock = threading.Lock()
        self._counting: duckdb.DuckDBPyConnection | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def latest(self) -> Snapshot | None:
        """Return the latest snapshot, None before the first; a changed store is read meanwhile."""
        with self._lock:
            idle = self._thread is None or not self._thread.is_alive()
            if idle and not self._closed:
                self._looked.clear()
                # No daemon: DuckDB aborts a process that ends while it works.
                self._thread = threading.Thread(target=self._look)
                self._thread.start()
        # A store behind a URL may take long to answer; the page does without.
        self._looked.wait(_LOOK_SECONDS)
        return self._snapshot

    def close(self) -> None:
        """End the reading of the store, if one is at work."""
        self._closed = True
        while self._thread is not None and self._thread.is_alive():
            if self._counting is not None:
                # The connection is closed if the reading fails.
                with suppress(duckdb.ConnectionException):
                    self._counting.interrupt()
            self._thread.join(_AGAIN_SECONDS)

    @asynccontextmanager
    async def closing(self, _: object) -> AsyncIterator[None]:
        """End the reading of the store when a server ends: the lifespan of its application."""
        yield
        self.close()

    def _opened(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._counting = connection

    def _look(self) -> None:
        tried = state_of(self.store)
        if tried == self._tried:
            self._looked.set()
            return
        error: Q2Error | None = None
        snapshot: Snapshot | None = None
        self.began = datetime.now(UTC)
        self._looked.set()
        try:
            snapshot = take(self.store, self._profile, self._opened)
        except duckdb.InterruptException:
            error = Q2Error("The pages are being closed.", "")
        except Exception as problem:  # noqa: BLE001 - nobody else hears of what ends this thread
            error = as_sentence(problem)
        finally:
            with self._lock:
                # A page that still asks the old one keeps it alive.
                self._snapshot = snapshot or self._snapshot
                self._tried, self.error, self.began = tried, error, None
