"""The command ``q2 evaluate``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from qsquared.cli.shortage import telling_shortage
from qsquared.errors import Q2Error, UsageError
from qsquared.tasks.running.stage_runner import Job


@dataclass(frozen=True, slots=True)
class EvaluateCommand:
    """The arguments of ``q2 evaluate``; ``outputs`` are by format."""

    protocol: str
    data: Path
    store: Path
    profile: str
    profiles: Path | None
    also_profiles: tuple[str, ...]
    prepend_summary: bool
    against: str | None
    device: str
    outputs: Mapping[str, Path | None]

    @property
    def out(self) -> Path | None:
        """The first report that is written, if any."""
        return next((path for path in self.outputs.values() if path is not None), None)


def _require_extra() -> None:
    try:
        import jinja2  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError as error:
        raise Q2Error(
            f"q2 evaluate needs the package {error.name}, which is not installed.",
            "Install what it needs with: pip install 'qsquared[evaluation]'",
        ) from error


@telling_shortage
def run_evaluate(command: EvaluateCommand) -> None:
    """Score a protocol's data, show its tables, and write the report.

    Raises:
        Q2Error: something that the person can act upon.
    """
    _require_extra()
    from qsquared.evaluation.evaluate import evaluate, get_protocol
    from qsquared.evaluation.reporting.output import write_report
    from qsquared.evaluation.reporting.report import Report

    protocol = get_protocol(command.protocol).with_profiles(command.also_profiles)
    if not command.prepend_summary:
        protocol = protocol.without_summary()
    if not command.data.exists():
        raise UsageError(f"There is no {command.data}.", "Give the published data with --data.")
    profiles = str(command.profiles.absolute()) if command.profiles else ""
    job = Job(str(command.store.absolute()), command.profile, profiles, device=command.device)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        task = progress.add_task("reading", total=None)
        report: Report = evaluate(
            protocol,
            command.data,
            job,
            _typed(command),
            lambda what, done, every: progress.update(
                task, description=what, completed=done, total=every
            ),
        )
    _show(Console(), report)
    if command.against is not None:
        _show_differences(Console(), report, command.against)
    for form, path in command.outputs.items():
        if path is not None:
            write_report(report, form, path)


def _typed(command: EvaluateCommand) -> str:
    """The command without what says only where results go."""
    words = ["q2", "evaluate", command.protocol, "--data", str(command.data)]
    if command.profile != "compact":
        words += ["--profile", command.profile]
    for name in command.also_profiles:
        words += ["--also-profile", name]
    if not command.prepend_summary:
        words += ["--no-prepend-summary"]
    return shlex.join(words)


def _show(console: Console, report: object) -> None:
    from qsquared.evaluation.reporting.report import HEAD, Report, cells

    assert isinstance(report, Report)
    console.print(Text(report.warning, "yellow"), soft_wrap=True)
    for found in report.tables:
        table = Table(title=found.title, title_justify="left", box=None, padding=(0, 2, 0, 0))
        for number, name in enumerate(HEAD):
            table.add_column(name, justify="right" if number > 1 else "left", overflow="fold")
        for row in found.rows:
            table.add_row(*map(Text, cells(row)))
        console.print()
        console.print(table)
        for line in (found.note, f"Published: {found.source}." if found.source else ""):
            if line:
                console.print(Text(line, "dim"), soft_wrap=True)


def _show_differences(console: Console, report: object, measure: str) -> None:
    """Each measure's difference to one.

    Raises:
        UsageError: nothing is compared with that measure.
    """
    from qsquared.evaluation.pairs import against
    from qsquared.evaluation.reporting.report import Report, comparison_cells

    assert isinstance(report, Report)
    every = [one for found in report.tables for one in found.comparisons]
    chosen = against(every, measure)
    if not chosen:
        names = dict.fromkeys(name for one in every for name in (one.first, one.second))
        raise UsageError(
            f"There is no difference to {measure!r} in this report.",
            f"Measures: {', '.join(names)}." if names else "Leave --against out.",
        )
    table = Table(
        title=f"Difference to {measure}", title_justify="left", box=None, padding=(0, 2, 0, 0)
    )
    for number, name in enumerate(("part", "metric", "difference", "95 % interval", "p", "n")):
        table.add_column(name, justify="right" if number > 1 else "left", overflow="fold")
    for one in chosen:
        table.add_row(*map(Text, comparison_cells(one)))
    console.print()
    console.print(table)
