"""The typer application, and the options that several commands share."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

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
StoreOption = Annotated[
    Path,
    typer.Option("--store", metavar="DIR", parser=place, help=help_of(ScoreOptions, "store")),
]
ProfileOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help=help_of(ScoreOptions, "profile"))
]
ProfilesOption = Annotated[
    Path | None,
    typer.Option("--profiles", metavar="FILE", help=help_of(ScoreOptions, "profiles")),
]
DEFAULT_STORE = Path("q2-store")


def plain_table(*columns: str, right: Collection[str] = (), title: str | None = None) -> Table:
    """Return a table with these columns, whose long values go on in the next line.

    Args:
        columns: the headings.
        right: the columns of numbers, which end at one edge.
        title: a line above the table.
    """
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in columns:
        justify = "right" if name in right else "left"
        table.add_column(name, overflow="fold", justify=justify)  # type: ignore[arg-type]
    return table
