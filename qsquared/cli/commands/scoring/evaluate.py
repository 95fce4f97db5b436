"""Measure a profile's metrics on published data: ``q2 evaluate``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qsquared.cli.help_pages import app
from qsquared.cli.options import DeviceOption, ProfileOption, ProfilesOption, require
from qsquared.cli.terminal.sentences import counted, say, show, table_of
from qsquared.errors import UsageError

if TYPE_CHECKING:
    from qsquared.evaluation.reporting.report import Report


@app.command()
def evaluate(
    protocol: str,
    data: Annotated[Path, typer.Option()],
    store: Path = Path("q2-evaluation"),
    profile: ProfileOption = "compact",
    profiles: ProfilesOption = None,
    also_profile: list[str] | None = None,
    device: DeviceOption = "cpu",
    out: list[Path] | None = None,
) -> None:
    """Measure how far the metrics agree with people, beside the papers' published figures.

    Args:
        protocol (NAME): Protocol; see below.
        data (PATH): The published file, or a folder that holds it.
        store (DIR): Folder for what is scored.
        also_profile (NAME): Also list Q², or BEGIN's classes, by the models of this profile.
        out (FILE): Write the report as .md or .json; repeat.

    Note:
        Protocols: q2-wow, q2-system-level, q2-random-knowledge, topical-chat, dnli, qags-cnndm,
        qags-xsum, ranking, usr, begin.

    Example:
        q2 evaluate q2-wow --data third_party/data --out q2-wow.md
    """
    require("evaluate", "evaluation", "sklearn")
    from qsquared.evaluation.evaluate import evaluate as run_protocol
    from qsquared.evaluation.evaluate import get_protocol
    from qsquared.evaluation.reporting.report import check_form, write_report
    from qsquared.language.engines.arithmetic import check_device
    from qsquared.tasks.jobs.options import Job

    for path in out or ():
        check_form(path)
    also_profiles = tuple(also_profile or ())
    chosen = get_protocol(protocol).with_profiles(also_profiles)
    if not data.exists():
        raise UsageError(f"There is no {data}.", "Give the published data with --data.")
    check_device(device)
    job = Job(
        str(store.absolute()), profile, str(profiles.absolute()) if profiles else "", device=device
    )
    command = _command(protocol, data, profile, also_profiles)
    with counted("reading") as on_progress:
        report = run_protocol(chosen, data, job, command, on_progress)
    _show(report)
    for path in out or ():
        write_report(report, path)


def _command(protocol: str, data: Path, profile: str, also_profiles: tuple[str, ...]) -> str:
    """Return the command line that gives the same figures, without the options for output."""
    words = ["q2", "evaluate", protocol, "--data", str(data)]
    if profile != "compact":
        words += ["--profile", profile]
    for name in also_profiles:
        words += ["--also-profile", name]
    return shlex.join(words)


def _show(report: Report) -> None:
    from qsquared.evaluation.reporting.report import HEAD, cells

    say(report.warning, style="yellow")
    for result in report.tables:
        rows = map(cells, result.rows)
        show("", table_of(HEAD, rows, right=HEAD[2:], title=result.title))
        source = f"Published: {result.source}." if result.source else ""
        say(result.note, source, style="dim")
