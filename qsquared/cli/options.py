"""Options that several commands share."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from qsquared.cli.application import takes
from qsquared.errors import Q2Error
from qsquared.storage.files.places import place
from qsquared.tasks.jobs.options import ScoreOptions, help_of

FormOption = Annotated[
    Path, takes("FILE", "File to write: FORM.html for a browser, else CSV.", "--out")
]


def of_run(name: str, metavar: str | None = None, **more: Any) -> Any:
    """Return an option of scoring runs, with the text that Prefect's form shows, too."""
    text = help_of(ScoreOptions, name)
    return typer.Option(f"--{name.replace('_', '-')}", metavar=metavar, help=text, **more)


StoreOption = Annotated[Path, of_run("store", "DIR", parser=place)]
ProfileOption = Annotated[str, of_run("profile", "NAME")]
ProfilesOption = Annotated[Path | None, of_run("profiles", "FILE")]
DeviceOption = Annotated[str, of_run("device", "NAME")]
YesOption = Annotated[bool, of_run("yes")]
WhoseOption = Annotated[
    str | None, takes("NAME", "Whose scores; the one used last if left out.", "--profile")
]
FromOption = Annotated[str, takes("DATE", "Only turns since that day (UTC).", "--from")]
ToOption = Annotated[str, takes("DATE", "Only turns up to that day (UTC).", "--to")]
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
