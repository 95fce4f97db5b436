"""Checks of options, before any work is done."""

import errno
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError
from qsquared.tasks.jobs.options import ScoreOptions


def parameters_set(settings: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that ``--set`` gives; a value that is no JSON is a text."""
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting} is not of the form NAME=VALUE.", "Name a parameter.")
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def check_options(options: ScoreOptions, parameters: Mapping[str, Any]) -> None:
    """Refuse options that make no sense before any work is done."""
    from qsquared.language.engines.arithmetic import check_device
    from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph
    from qsquared.tasks.jobs.options import read_runner
    from qsquared.tasks.metric import METRICS

    if read_runner(options.runner) is None:
        # The workers of other runners have devices of their own.
        check_device(options.device)
    defaults = {
        name: value for metric in METRICS.values() for name, value in metric.defaults.items()
    }
    meant = graph(options.metrics).defaults
    if AS_PUBLISHED in parameters and not graph(options.metrics).published:
        raise UsageError(
            f"--as-published means nothing to the metrics {', '.join(options.metrics)}.",
            "Leave it out.",
        )
    for name, value in parameters.items():
        if name in defaults and name not in meant and value != defaults[name]:
            raise UsageError(
                f"--set {name} means nothing to the metrics {', '.join(options.metrics)}.",
                "Leave it out, or add the metric that it is for with --metric.",
            )
    graph(options.metrics).parameters(parameters)


def check_output(out: Path, logs: list[str], writes: bool) -> None:
    """Refuse an output file of unknown form, or one of the logs, or one that cannot be written."""
    from qsquared.storage.files.atomic import cannot_write
    from qsquared.storage.outputs.results import EXPORTS

    if out.suffix.lower() not in EXPORTS:
        raise UsageError(
            f"--out {out} has no known extension.", f"Use one of: {', '.join(sorted(EXPORTS))}"
        )
    if out.resolve() in {Path(log).resolve() for log in logs}:
        raise UsageError(
            f"--out {out} is one of the logs and would be overwritten.",
            "Give the table another name.",
        )
    if not writes:
        return
    try:
        # Better now than after hours of scoring.
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
        if out.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
    except OSError as error:
        raise cannot_write(f"file {out}", error) from error
