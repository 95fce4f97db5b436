"""Names of flow and task runs in Prefect, and what its logs say of failed ones.

A name has the date, logs, stage and number of the shard.
A failure that a person can act upon is logged as a sentence, without a traceback.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from prefect.exceptions import FailedRun
from prefect.runtime import flow_run

from qsquared.errors import Q2Error

_LOGS_NAMED = 2


def backfill_name() -> str:
    """Return the name of a backfill by its dates."""
    given = parameters()
    return f"backfill {given.get('start')} to {given.get('end')}"


def rescore_name() -> str:
    """Return the name of a rescoring by its metrics and profile."""
    given = parameters()
    named = ", ".join(given.get("metrics") or ())
    return f"rescore {named} with {given.get('profile')}"


def score_name() -> str:
    """Return the name of a scoring run by its logs."""
    return f"score {logs_named(parameters().get('logs') or [])}"


def named(name: str) -> Callable[[], str]:
    """Return a function that gives a name as it is; Prefect would fill braces in a text."""
    return lambda: name


def logs_named(logs: Sequence[str]) -> str:
    """Return the names of the first logs, and the number of the others."""
    if not logs:
        return "what the store has read"
    first = ", ".join(Path(log).name for log in logs[:_LOGS_NAMED])
    more = len(logs) - _LOGS_NAMED
    return f"{first} and {more} more" if more > 0 else first


def parameters() -> dict[str, Any]:
    """Return the parameters of the flow run that is about to be named."""
    return dict(flow_run.parameters or {})


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
