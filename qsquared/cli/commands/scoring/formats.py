"""List, show and check the descriptions of log formats: ``q2 formats``."""

from pathlib import Path

import typer

from qsquared.cli.commands.app import formats_app
from qsquared.cli.terminal.sentences import show, table_of
from qsquared.errors import UsageError
from qsquared.text import visible
from qsquared.toml_files import read_toml


@formats_app.command("list")
def list_formats() -> None:
    """List the known formats in the order in which they are tried, those of your folder Q2_FORMATS first."""
    from qsquared.storage.logs.engines.formats import known_formats, own_formats, read_format

    added = [read_format(name, stated, name) for name, stated in own_formats().items()]
    rows = ((form.name, form.about, form.grounds) for form in (*added, *known_formats().values()))
    show(table_of(("format", "programs and versions", "knowledge of a reply"), rows))


@formats_app.command("show")
def show_format(name: str) -> None:
    """Print the description of a format, to begin one's own with."""
    from qsquared.storage.logs.engines.formats import description_of

    typer.echo(description_of(name), nl=False)


@formats_app.command()
def check(file: Path, log: Path) -> None:
    """Run a description on a log: its turns, its rejects, and the fields that were left unread.

    Args:
        file (FILE): A description as TOML.
    """
    from qsquared.cli.logs.preview import show_preview
    from qsquared.cli.logs.reading import read_format_file
    from qsquared.storage.logs.engines.formats import read_format
    from qsquared.storage.logs.engines.grouping import failures
    from qsquared.storage.logs.surveys.complaints import complaint
    from qsquared.storage.logs.surveys.survey import survey_log

    mapping, file_format = read_format_file(file)
    if not mapping:
        wrong = failures(read_format(file.stem, read_toml("The format", file), str(file)))
        if wrong:
            raise UsageError(
                f"An example in {visible(str(file))} gives other turns.", "\n".join(wrong)
            )
    survey = survey_log(log, mapping, file_format)
    problem = complaint(survey)
    show_preview(survey, problem)
    if problem is not None:
        raise problem
