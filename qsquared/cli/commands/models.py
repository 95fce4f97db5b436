"""``q2 models``."""

from __future__ import annotations

from typing import Annotated

import typer

from qsquared.cli.options import ProfilesOption, models_app


@models_app.command("list")
def models_list(profiles: ProfilesOption = None) -> None:
    """List every profile's models and whether they are on this machine."""
    from qsquared.cli.models import run_list

    run_list(profiles)


@models_app.command("pull")
def models_pull(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")], profiles: ProfilesOption = None
) -> None:
    """Fetch a profile's models from the hub, at their pinned revisions."""
    from qsquared.cli.models import run_pull

    run_pull(profile, profiles)


@models_app.command("verify")
def models_verify(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")] = "compact",
    profiles: ProfilesOption = None,
) -> None:
    """Check a profile's files against their recorded hashes."""
    from qsquared.cli.models import run_verify

    run_verify(profile, profiles)
