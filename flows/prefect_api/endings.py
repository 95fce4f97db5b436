"""Failed runs in Prefect's logs: a sentence for what a person can act upon, and no traceback."""

import logging

from prefect.exceptions import FailedRun

from qsquared.errors import Q2Error

_LOGGERS = ("prefect.engine", "prefect.flow_runs")


class _Sentences(logging.Filter):
    """Replaces the traceback of an error that has a sentence by that sentence."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Q2Error | FailedRun):
            hint = error.hint if isinstance(error, Q2Error) else ""
            said = error.message if isinstance(error, Q2Error) else str(error)
            record.msg, record.args = "%s", (" ".join(filter(None, (said, hint))),)
            record.exc_info = record.exc_text = None
        return True


_SENTENCES = _Sentences()


def end_with_sentences() -> None:
    """Let Prefect log a broken gate, or an error with a sentence, without a traceback."""
    for name in _LOGGERS:
        # A filter is added once, however often this is called.
        logging.getLogger(name).addFilter(_SENTENCES)
