"""The wait of a request for a server that is away, or too busy."""

import logging
import threading
import time

from qsquared.errors import UnansweredError
from qsquared.language.endpoint.client import AwayError

logger = logging.getLogger("qsquared")

_LONGEST_WAIT = 30.0
"""Seconds between two tries, at most."""


class StoppedError(Exception):
    """Another request has ended the run."""


class Outage:
    """The time since which a server answered nothing; ``answers`` counts its answers."""

    def __init__(self, host: str, patience_minutes: float) -> None:
        self.answers = 0
        self._host = host
        self._patience_minutes = patience_minutes
        self._since: float | None = None
        self._lock = threading.Lock()

    def wait(self, error: AwayError, failures: int, stop: threading.Event) -> None:
        """Wait for a server that is away, with a message where the wait is a new one.

        Raises:
            UnansweredError: it has been away for longer than the profile lets it.
            StoppedError: another request has ended the run meanwhile.
        """
        patience = self._patience_minutes * 60
        with self._lock:
            now = time.monotonic()
            first = self._since is None
            self._since = now if self._since is None else self._since
            left = self._since + patience - now
        if left <= error.seconds:
            raise UnansweredError(
                f"The server {self._host} has not answered for "
                f"{patience - left:.0f} seconds: {error}.",
                "What was answered is kept; once the server is back, the same command continues.",
            )
        if first:
            logger.warning(
                "The server %s does not answer (%s). It is waited for, up to %g minutes.",
                self._host, error, self._patience_minutes,
            )  # fmt: skip
        growing = min(_LONGEST_WAIT, 2.0 ** max(failures - 1, 0))
        if stop.wait(min(error.seconds or growing, left)):
            raise StoppedError

    def answered(self) -> None:
        """Count an answer; the first one behind an outage is told of."""
        with self._lock:
            self.answers += 1
            since, self._since = self._since, None
        if since is not None:
            logger.warning(
                "The server %s answers again, after %.0f s.", self._host, time.monotonic() - since
            )
