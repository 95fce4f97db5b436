"""The commands ``q2 models list | pull | verify``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from qsquared.language.checkpoints.registry import list_models, pull, verify
from qsquared.profiles.profile import get_profile, load_profiles

_MEGABYTE = 1_000_000


def run_list(profiles: Path | None) -> None:
    """Show every model of every profile."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("profile", "role", "model", "here", "MB"):
        table.add_column(name, overflow="fold", justify="right" if name == "MB" else "left")
    previous = ""
    for row in list_models(load_profiles(profiles)):
        shown = row.profile if row.profile != previous else ""
        previous = row.profile
        size = "" if row.size is None else f"{row.size / _MEGABYTE:.0f}"
        model = row.checkpoint or row.implementation
        table.add_row(shown, row.role, model, "yes" if row.present else "no", size)
    console = Console()
    console.print(table)
    console.print("Fetch a profile's models with: q2 models pull PROFILE")


def run_pull(profile: str, profiles: Path | None) -> None:
    """Fetch a profile's models."""
    fetched = pull(get_profile(profile, profiles))
    if not fetched:
        print(f"The profile {profile} needs nothing from the hub.")  # noqa: T201
    for model in fetched:
        print(f"{model.checkpoint} at {model.commit}")  # noqa: T201


def run_verify(profile: str, profiles: Path | None) -> None:
    """Check a profile's files."""
    for checkpoint in verify(get_profile(profile, profiles)):
        print(f"{checkpoint}: sound")  # noqa: T201
