"""List, show and check the descriptions of log formats: ``q2 formats``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from qsquared.cli.application import formats_app
from qsquared.cli.terminal.sentences import table_of
from qsquared.errors import UsageError
from qsquared.text import visible
from qsquared.toml_files import read_toml


@formats_app.command("list")
def list_formats() -> None:
    """List the known formats in the order in which they are tried, those of your folder Q2_FORMATS first."""
    from qsquared.storage.logs.engines.formats import known_formats, own_formats, read_format

    own = [read_format(name, stated, name) for name, stated in own_formats().items()]
    rows = ((form.name, form.about, form.grounds) for form in (*own, *known_formats().values()))
    Console().print(table_of(("format", "programs and versions", "knowledge of a reply"), rows))


@formats_app.command()
def show(name: Annotated[str, typer.Argument(metavar="NAME")]) -> None:
    """Print the description of a format, to begin one's own with."""
    from qsquared.storage.logs.engines.formats import description_of

    typer.echo(description_of(name), nl=False)


@formats_app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A description as TOML.")],
    log: Annotated[Path, typer.Argument(metavar="LOG")],
) -> None:
    """Run a description on a log: its turns, its rejects, and the fields that were left unread."""
    from qsquared.cli.logs.preview import show_preview
    from qsquared.cli.logs.reading import read_format_file
    from qsquared.storage.logs.engines.formats import read_format
    from qsquared.storage.logs.engines.grouping import failures
    from qsquared.storage.logs.surveys.complaints import complaint
    from qsquared.storage.logs.surveys.survey import survey_log

    mapping, wanted = read_format_file(file)
    if not mapping:
        wrong = failures(read_format(file.stem, read_toml("The format", file), str(file)))
        if wrong:
            raise UsageError(
                f"An example in {visible(str(file))} gives other turns.", "\n".join(wrong)
            )
    found = survey_log(log, mapping, wanted)
    problem = complaint(found)
    show_preview(Console(), found, problem)
    if problem is not None:
        raise problem
