"""The typer application, and the options that several commands share."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from qsquared.cli.help_pages import commands
from qsquared.errors import UsageError
from qsquared.storage.files.places import place
from qsquared.tasks.jobs.options import ScoreOptions, help_of

FIRST_VISIT = """\
Does a chatbot's reply say only what its knowledge supports?

A first visit, with the log of your chatbot or with examples/logs of the checkout:

    q2 score LOGS        score the replies of a file or a folder
    q2 explain ID        why one of them got its score; the summary names the lowest
    q2 report            all of them on one page for the browser, report.html

`q2 --help` lists all commands, `q2 COMMAND --help` explains one.
"""

app = commands(
    "q2",
    """Does a chatbot's reply say only what its knowledge supports?

Q² asks questions about each reply, answers them on the reply and on the knowledge, and compares
the answers: 1 is fully supported, 0 not at all.

    q2 score logs/ --out scores.csv      score a folder of logs
    q2 explain 1117-004                  why a reply got its score
    q2 sql "FROM scores LIMIT 5"         ask the store anything
""",
)
models_app = commands("models", "The models that profiles name.")
app.add_typer(models_app, name="models")
formats_app = commands("formats", "The formats of logs, and descriptions of your own.")
app.add_typer(formats_app, name="formats")


def file_to_write(named: str | Path) -> Path:
    """Return the path of a file to write; a default comes as a path already.

    Raises:
        UsageError: the text names a folder, which a path alone would not tell any more.
    """
    if str(named).endswith(("/", os.sep)):
        raise UsageError(f"--out {named} names a folder.", "Name a file in it.")
    return Path(named)


FormOption = Annotated[
    Path,
    typer.Option("--out", metavar="FILE", help="File to write: FORM.html for a browser, else CSV."),
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
FromOption = Annotated[
    str, typer.Option("--from", metavar="DATE", help="Only turns since that day (UTC).")
]
ToOption = Annotated[
    str, typer.Option("--to", metavar="DATE", help="Only turns up to that day (UTC).")
]
DEFAULT_STORE = Path("q2-store")
