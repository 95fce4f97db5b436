"""Read chatbot logs without scoring them, and describe their formats: ``q2 ingest``, ``q2 formats``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from qsquared.cli.help_pages import app, command_group
from qsquared.cli.log_surveys import (
    Surveyed,
    show_preview,
    show_surveyed,
    show_unnamed,
    survey_logs,
)
from qsquared.cli.options import (
    DEFAULT_STORE,
    LogReading,
    Stated,
    StoreOption,
    read_format_file,
    reads_logs,
)
from qsquared.cli.terminal.printing import Cell, say, show, table_of
from qsquared.display import count, visible
from qsquared.errors import InputError, UsageError
from qsquared.toml_files import read_toml

if TYPE_CHECKING:
    from qsquared.storage.logs.surveys.survey import Survey
    from qsquared.storage.records.inputs.manifests import InputManifest
    from qsquared.storage.store import Store

formats_app = command_group("formats", "The formats of logs, and descriptions of your own.")

_REASONS = 5


@app.command()
@reads_logs
def ingest(
    reading: LogReading,
    store: StoreOption = DEFAULT_STORE,
    limit: Annotated[int | None, typer.Option(min=1)] = None,
    preview: bool = False,
    save_format: Annotated[Path | None, typer.Option("--save-format", "--save-map")] = None,
    as_another_log: bool = False,
) -> None:
    """Read chatbot logs into the store, without scoring them; or show what would be read.

    Args:
        limit (N): Read the first N turns only; of a preview: the first N rows.
        preview: Show how each log would be read, with five turns; write nothing.
        save_format (FILE): Write how the log is read, or what is proposed, for --format-file.
        as_another_log: Count a copy of a log that was read a second time.

    Examples:
        q2 ingest traces.jsonl --preview
        q2 ingest export/ --map output.answer=response --preview
        q2 ingest unknown.json --save-format unknown.toml
    """
    from qsquared.storage.logs.paths import expand_inputs

    stated = reading.stated(store)
    paths = expand_inputs(reading.logs)
    if save_format is not None:
        _save(paths[0], stated, save_format, store)
        stated = replace(reading, mapping=None, format_file=save_format, file_format="").stated(
            store
        )
    if preview:
        surveyed = survey_logs(paths, *stated, limit, str(store), reading.logs)
        _show_preview(surveyed, saved=save_format is not None)
        return
    surveyed = survey_logs(paths, *stated, None, str(store), reading.logs)
    show_surveyed(surveyed, reading.logs)
    _ingest(surveyed, store, stated, limit, as_another_log)


def _ingest(
    surveyed: Surveyed, store: Path, stated: Stated, limit: int | None, as_another_log: bool
) -> None:
    """Read logs into the store, and say what was found in each.

    Raises:
        InputError: a log cannot be read as a whole, or would be misread; all others were read.
    """
    from qsquared.storage.records.inputs.ingest import ingest_file
    from qsquared.storage.store import Store

    opened = Store.open(store, create=True)
    mapping, form = stated
    rows: list[list[Cell]] = []
    notes: list[str] = []
    wary: list[str] = []
    failed: list[InputError] = []
    with Console().status("reading") as status:
        for path in surveyed.paths:
            status.update(f"reading {visible(path.name)}")
            try:
                read = ingest_file(
                    opened, path, mapping, limit, file_format=form, as_another_log=as_another_log
                )
            except InputError as error:
                if len(surveyed.asked) == 1:
                    raise
                failed.append(error)
                say(error.message, style="red", console=status.console)
                continue
            cells, log_notes, warned = _row(opened, path, read, surveyed.surveys.get(path))
            rows.append(cells)
            notes += log_notes
            wary += warned
    if rows:
        columns = ("log", "format", "turns", "rejects", "with knowledge", "passages", "")
        show(table_of(columns, rows))
    say(*notes)
    say(*wary, style="yellow")
    show_unnamed(surveyed, sys.argv[1:])
    if refusal := surveyed.refusal_after("read"):
        raise refusal
    if failed:
        others = ", all others are" if rows else ""
        raise type(failed[0])(
            f"{count(len(failed), 'log')} could not be read{others}. {failed[0].message}",
            failed[0].hint,
        )


def _save(path: Path, stated: Stated, file: Path, store: Path) -> None:
    """Write how a log is read or what is proposed to a file, in a folder that is made if need be.

    Raises:
        UnusableLogError: nothing sound can be proposed.
    """
    from qsquared.storage.files.atomic import written_whole
    from qsquared.storage.logs.surveys.complaints import complaint, stated_format
    from qsquared.storage.logs.surveys.proposals import propose
    from qsquared.storage.logs.surveys.survey import survey_log

    survey = survey_log(path, *stated, store=store)
    problem = complaint(survey)
    if problem is not None and propose(survey)[0] is None:
        raise problem
    with written_whole(file) as temporary:
        temporary.write_text(stated_format(survey), encoding="utf-8")
    say(f"How the log is read is in {file}.")


def _row(
    store: Store, path: Path, read: InputManifest, survey: Survey | None
) -> tuple[list[Cell], list[str], list[str]]:
    """Return the cells of a log in the table, the notes below it, and the warning that the survey lacked.

    A survey reads the first rows only; later ones may be of another kind.
    """
    from qsquared.storage.logs.surveys.complaints import warning, warning_of
    from qsquared.storage.outputs.selected_turns import tally

    counted = tally(store, read)
    cells: list[Cell] = [
        str(path),
        read.format.partition(' {"described"')[0],
        read.turns,
        read.rejects,
        counted.knowing,
        counted.passages,
        "known already" if read.reused else "",
    ]
    notes = [
        f"{path.name}: {count(number, 'reject')}: {reason} (first in line {line:,})"
        for reason, number, line in counted.reasons[:_REASONS]
    ]
    if counted.undated:
        notes.append(f"{path.name}: {count(counted.undated, 'turn')} whose time could not be read")
    if survey is not None and survey.unused:
        notes.append(
            f"{path.name}: fields whose texts were not used: {', '.join(survey.unused[:8])}"
        )
    caution = None
    if survey is None or warning(survey) is None:
        reason = counted.reasons[0][:2] if counted.reasons else ("", 0)
        caution = warning_of(
            path, counted.turns, counted.scored, counted.knowing, read.rejects, reason
        )
    return cells, notes, [caution] if caution else []


def _show_preview(surveyed: Surveyed, *, saved: bool) -> None:
    """Show how each log would be read, five turns of it, and why rows would be rejects.

    Raises:
        InputError: there is no log that can be read, or that holds a turn with knowledge.
    """
    paths = surveyed.asked
    useless: dict[Path, InputError] = {**surveyed.unreadable, **surveyed.refused}
    for path, error in useless.items():
        if len(paths) > 1 and path not in surveyed.surveys:
            say(f"{error}\n", style="red")
    for path, survey in surveyed.surveys.items():
        show_preview(survey, surveyed.refused.get(path) if len(paths) > 1 else None)
    if surveyed.refused or len(useless) == len(paths):
        first = next(iter((surveyed.refused or useless).values()))
        if len(paths) == 1:
            raise first
        message = f"{count(len(useless), 'log')} of {len(paths):,} cannot be used as they are."
        raise type(first)(message, "Each is told above, with what to do.")
    say("Nothing was written." if not saved else "Nothing else was written.")


@formats_app.command("list")
def list_formats(store: StoreOption = DEFAULT_STORE) -> None:
    """List the known formats in the order in which they are tried, those of your own folders first."""
    from qsquared.storage.logs.format_engines.formats import known_formats, own_files, read_format

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
    from qsquared.storage.logs.format_engines.formats import description_of

    typer.echo(description_of(name, store), nl=False)


@formats_app.command()
def check(file: Path, log: Path) -> None:
    """Run a description on a log: its turns, its rejects, and the fields that were left unread.

    Args:
        file (FILE): A description as TOML.
    """
    from qsquared.storage.logs.format_engines.recognition import failures, rows_of
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
