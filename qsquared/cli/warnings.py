"""Show the program's warnings as sentences on stderr, whatever other logging is set up."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class _StderrHandler(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        # A command may open the store several times.
        if said not in self._told:
            self._told.add(said)
            # Looked up each time, since a test or a progress bar may have put another stream there.
            sys.stderr.write(f"q2: {said}\n")


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Send warnings within to stderr, once each; Prefect would show them in a form of its own."""
    logger = logging.getLogger("qsquared")
    handler, before = _StderrHandler(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
