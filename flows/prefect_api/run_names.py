"""Names of flow and task runs in Prefect: date, logs, stage and number of the shard."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from prefect.runtime import flow_run

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
