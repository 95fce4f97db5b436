"""List, show and check the descriptions of log formats: ``q2 formats``."""

from pathlib import Path

import typer

from qsquared.cli.commands.app import formats_app
from qsquared.cli.options import DEFAULT_STORE, StoreOption
from qsquared.cli.terminal.sentences import say, show, table_of
from qsquared.errors import UsageError
from qsquared.text import visible
from qsquared.toml_files import read_toml


@formats_app.command("list")
def list_formats(store: StoreOption = DEFAULT_STORE) -> None:
    """List the known formats in the order in which they are tried, those of your own folders first."""
    from qsquared.storage.logs.engines.formats import known_formats, own_files, read_format

    own, broken = [], []
    for name, path in own_files(store).items():
        try:
            own.append(read_format(name, read_toml("The format", path), str(path)))
        except UsageError as error:
            broken.append(error.message)
    rows = ((form.name, form.about, form.grounds) for form in (*own, *known_formats().values()))
    show(table_of(("format", "programs and versions", "knowledge of a reply"), rows))
    if broken:
        raise UsageError(
            " ".join(broken), "Correct it; until then q2 reads logs by --format alone."
        )


@formats_app.command("show")
def show_format(name: str, store: StoreOption = DEFAULT_STORE) -> None:
    """Print the description of a format, to begin one's own with."""
    from qsquared.storage.logs.engines.formats import description_of

    typer.echo(description_of(name, store), nl=False)


@formats_app.command()
def check(file: Path, log: Path) -> None:
    """Run a description on a log: its turns, its rejects, and the fields that were left unread.

    Args:
        file (FILE): A description as TOML.
    """
    from qsquared.cli.logs.preview import show_preview
    from qsquared.cli.logs.reading import read_format_file
    from qsquared.storage.logs.engines.grouping import failures, rows_of
    from qsquared.storage.logs.surveys.complaints import complaint
    from qsquared.storage.logs.surveys.descriptions import leading_nowhere, told_of_signs, unread
    from qsquared.storage.logs.surveys.survey import survey_log

    survey = survey_log(log, *read_format_file(file))
    form, problem = survey.reading.described, complaint(survey)
    if form and (wrong := failures(form)):
        rows = [row for example in form.examples for row in rows_of(example)]
        told = "\n".join([*wrong, *leading_nowhere(form, rows, "its examples")])
        raise UsageError(f"An example in {visible(str(file))} gives other turns.", told)
    survey.unused = unread(survey)
    show_preview(survey, None)
    if form:
        say(told_of_signs(form, survey), *leading_nowhere(form, survey.sample, str(log)))
    if problem is not None:
        raise problem
