"""Show the program's own warnings as sentences on stderr, and none of the libraries'."""

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class _StderrHandler(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        # A command may open the store several times.
        if message not in self._told:
            self._told.add(message)
            # Looked up each time, since a test or a progress bar may have put another stream there.
            sys.stderr.write(f"q2: {message}\n")


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Send the program's warnings within to stderr, once each, and those of libraries nowhere.

    Prefect would show ours in a form of its own; ``--debug`` and Python's ``-W`` show all.
    """
    # Else Python itself prints what a library without a handler logs.
    logging.getLogger().addHandler(logging.NullHandler())
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    logger = logging.getLogger("qsquared")
    handler, before = _StderrHandler(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            if not sys.warnoptions and "--debug" not in sys.argv:
                warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
