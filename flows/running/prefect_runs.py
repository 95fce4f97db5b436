"""Runs in Prefect: their names and parameters, what its logs say of failed ones, and killed ones.

A name has the date, logs, stage and number of the shard.
A failure that a person can act upon is logged as a sentence, without a traceback.
A run whose process was killed would be shown as running for ever.
"""

import inspect
import logging
import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints
from uuid import UUID

import pydantic
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowFilter, FlowRunFilter, TaskRunFilter
from prefect.exceptions import FailedRun
from prefect.runtime import flow_run
from prefect.states import Crashed

from qsquared.errors import Q2Error, UsageError
from qsquared.storage.files.processes import HOST, is_running
from qsquared.tasks.jobs.options import Job

_LOGS_NAMED = 2


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


class _Sentences(logging.Filter):
    """Replaces the traceback of an error that has a sentence by that sentence."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Q2Error | FailedRun):
            hint = error.hint if isinstance(error, Q2Error) else ""
            message = error.message if isinstance(error, Q2Error) else str(error)
            record.msg, record.args = "%s", (" ".join(filter(None, (message, hint))),)
            record.exc_info = record.exc_text = None
        return True


_SENTENCES = _Sentences()


def end_with_sentences() -> None:
    """Let Prefect log a broken gate, or an error with a sentence, without a traceback."""
    for name in ("prefect.engine", "prefect.flow_runs"):
        # A filter is added once, however often this is called.
        logging.getLogger(name).addFilter(_SENTENCES)


logger = logging.getLogger("qsquared")

PROCESS = "q2.process"
"""The label of a run that names its host and process."""

FLOWS = ["nightly", "backfill", "rescore"]
_OPEN = {"state": {"type": {"any_": ["RUNNING"]}}}


def bury_dead_runs() -> None:
    """Set the runs of this host to Crashed whose process is gone; then note this run's own process.

    Runs of other hosts are left to the automation of docs/operations.md.
    """
    try:
        with get_client(sync_client=True) as client:
            for run in client.read_flow_runs(
                flow_filter=FlowFilter.model_validate({"name": {"any_": FLOWS}}),
                flow_run_filter=FlowRunFilter.model_validate(_OPEN),
            ):
                process = str((run.labels or {}).get(PROCESS, ""))
                if _is_dead(process):
                    _crash(client, run.id, f"Its process {process.rpartition(':')[2]} is gone.")
            if run_id := flow_run.id:
                client.update_flow_run_labels(UUID(run_id), {PROCESS: f"{HOST}:{os.getpid()}"})
    except Exception as error:  # noqa: BLE001 - a night does not fail for its history
        logger.warning("Dead runs could not be marked in Prefect: %s", error)


def _is_dead(process: str) -> bool:
    """Whether a process, as its run noted it, ran on this host and is gone."""
    host, _, number = process.rpartition(":")
    if host != HOST or not number.isdigit():
        return False
    return int(number) != os.getpid() and not _is_a_run(int(number))


def _is_a_run(pid: int) -> bool:
    """Whether a process is one that Prefect started; its number may have passed to another."""
    if not is_running(pid):
        return False
    try:
        return b"prefect" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def _crash(client: Any, run: UUID, reason: str) -> None:
    """Set a run to Crashed, its open tasks and subflows before it."""
    of_run = _OPEN | {"flow_run_id": {"any_": [run]}}
    for task in client.read_task_runs(task_run_filter=TaskRunFilter.model_validate(of_run)):
        client.set_task_run_state(task.id, Crashed(message=reason), force=True)
    below = _OPEN | {"parent_flow_run_id": {"any_": [run]}}
    for subflow in client.read_flow_runs(flow_run_filter=FlowRunFilter.model_validate(below)):
        _crash(client, subflow.id, reason)
    client.set_flow_run_state(run, Crashed(message=reason), force=True)


Options = TypeVar("Options", bound=Job)
Result = TypeVar("Result")


def flat_parameters(
    kind: type[Options], first: tuple[str, ...] = ()
) -> Callable[[Callable[[Options], Result]], Callable[..., Result]]:
    """Give a function of options one parameter for each option.

    The parameters have the options' types, defaults, titles and descriptions.

    Args:
        kind: the class of options.
        first: options that come first, in this order; the others follow as the class has them.
    """
    types = get_type_hints(kind, include_extras=True)
    by_name = inspect.signature(kind).parameters
    ordered = [by_name[name] for name in dict.fromkeys((*first, *by_name))]
    signature = inspect.Signature([_flat(option, types[option.name]) for option in ordered])
    reader = pydantic.TypeAdapter(kind)

    def flatten(function: Callable[[Options], Result]) -> Callable[..., Result]:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Result:
            return function(_read(reader, signature.bind(*args, **given).arguments))

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return flatten


def _flat(option: inspect.Parameter, annotation: Any) -> inspect.Parameter:
    (text,) = annotation.__metadata__
    title = option.name.replace("_", " ").capitalize()
    # Prefect overwrites title and description of an annotation, but not what is extra in it.
    shown = pydantic.Field(json_schema_extra={"title": title, "description": text})
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return option.replace(kind=either, annotation=Annotated[annotation, shown])


def _read(reader: pydantic.TypeAdapter[Options], given: dict[str, Any]) -> Options:
    """Return the options of these values.

    Raises:
        UsageError: a value is of another type than its option.
    """
    try:
        return reader.validate_python(given)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"The parameter {name} of the flow cannot be used: {first['msg']}.",
            "The deployment's form shows the type of each parameter.",
        ) from error
