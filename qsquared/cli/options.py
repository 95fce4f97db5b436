"""Options that several commands share, and the stores and files that they name."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsquared.errors import Q2Error, UsageError
from qsquared.storage.files.places import place
from qsquared.tasks.jobs.options import ScoreOptions, help_of

if TYPE_CHECKING:
    from qsquared.storage.store import Store


def of_run(name: str, metavar: str | None = None, *names: str, hint: str = "", **more: Any) -> Any:
    """Return an option of scoring runs, with the text that Prefect's form shows, and a hint behind it."""
    names = names or (f"--{name.replace('_', '-')}",)
    text = f"{help_of(ScoreOptions, name)} {hint}".rstrip()
    return typer.Option(*names, metavar=metavar, help=text, **more)


StoreOption = Annotated[Path, of_run("store", "DIR", parser=place)]
ProfileOption = Annotated[str, of_run("profile", "NAME")]
ProfilesOption = Annotated[Path | None, of_run("profiles", "FILE")]
DeviceOption = Annotated[str, of_run("device", "NAME")]
YesOption = Annotated[bool, of_run("yes")]
WhoseOption = Annotated[
    str | None,
    typer.Option("--profile", metavar="NAME", help="Whose scores; the one used last if left out."),
]
FromOption = Annotated[
    str, typer.Option("--from", metavar="DATE", help="Only turns since that day (UTC).")
]
ToOption = Annotated[
    str, typer.Option("--to", metavar="DATE", help="Only turns up to that day (UTC).")
]
WhereOption = Annotated[
    str, typer.Option(metavar="SQL", help="Only turns with this condition on the table `turns`.")
]
MeasureOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Score to draw and correct by; that of the last draw, else support, blend or q2, the first "
        "that there is.",
    ),
]
ScoredByOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="Profile of the score; the last used.")
]
ShareOption = Annotated[float, typer.Option(min=0.0, max=1.0)]
DEFAULT_STORE = Path("q2-store")


def require(command: str, extra: str, *libraries: str) -> None:
    """Import the libraries of an extra that a command needs.

    Raises:
        Q2Error: one is not installed; the hint says how it is.
    """
    for library in libraries:
        try:
            import_module(library)
        except ImportError as error:
            raise Q2Error(
                f"q2 {command} needs the package {error.name}, which is not installed.",
                f"Install what it needs with: pip install -e '.[{extra}]'",
            ) from error


def file_to_write(named: str | Path) -> Path:
    """Return the path of a file to write; a default comes as a path already.

    Raises:
        UsageError: the text names a folder, which a path alone would not tell any more.
    """
    if str(named).endswith(("/", os.sep)):
        raise UsageError(f"--out {named} names a folder.", "Name a file in it.")
    return Path(named)


def open_store(root: Path) -> Store:
    """Return the store of a command.

    Raises:
        StoreError: there is none, or it cannot be used.
    """
    from qsquared.storage.store import Store

    return Store.open(root)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write an object as JSON to a file, which is whole or absent."""
    from qsquared.storage.files.atomic import written_whole

    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
