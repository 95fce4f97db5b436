"""Options that several commands share: stores and files, and which logs are read and how."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsquared.cli.help_pages import explained
from qsquared.errors import Q2Error, UsageError
from qsquared.storage.files.remote_paths import place
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


_GROUP = "How logs are read"

Stated = tuple[dict[str, str], str]
"""A mapping of fields, and a format with further options of reading."""


@dataclass(frozen=True, slots=True)
class LogReading:
    """The logs that a command reads, and all that a person stated about their form.

    Args:
        logs (LOGS): JSON, CSV, TSV, Parquet, Arrow, YAML, XML, xlsx, pg_dump or server log files
            (also .gz, .zst), folders, patterns, or s3:// URLs of them.
        mapping (THEIRS=OURS): Read our field from theirs, such as hits[].text=knowledge; repeat.
        format_file (FILE): TOML file that describes a format, or has a mapping as `fields`.
        context_between (BEGIN END): Knowledge is the text between these two in a prompt ('': to its end);
            usual marks are known.
        separator (CHAR): Separator of a CSV file; detected by default.
        encoding (NAME): Encoding of a text file; detected by default.
        sheet (NAME): Sheet of a spreadsheet; by default the first one, * for all of them.
        time_format (FORM): month-first or day-first, for dates as 11/05/2026; or a form as in strptime.
    """

    logs: list[str]
    mapping: Annotated[list[str] | None, typer.Option("--map")] = None
    format_file: Annotated[Path | None, typer.Option("--format-file", "--map-file")] = None
    file_format: Annotated[
        str, of_run("file_format", "NAME", "--format", rich_help_panel=_GROUP)
    ] = ""
    context_between: tuple[str, str] | None = None
    separator: str = ""
    encoding: str = ""
    sheet: str = ""
    time_format: str = ""

    def stated(self, store: Path | None = None) -> Stated:
        """Return the mapping, and the format with further options of reading as its part.

        ``--map`` and ``--format`` go before ``--format-file``; ``--format`` may name one of a ``store``.

        Raises:
            UsageError: one of the options cannot be used.
        """
        from qsquared.storage.logs.fields.mapping import parse_mapping
        from qsquared.storage.logs.read_options import ReadOptions, joined_format, split_format
        from qsquared.storage.logs.reading import check_format

        mapping, of_file = read_format_file(self.format_file)
        of_option = parse_mapping(list(self.mapping or ()))
        kept = {
            theirs: ours
            for theirs, ours in mapping.items()
            if theirs not in of_option and ours not in of_option.values()
        }
        file_format = self.file_format or of_file
        try:
            check_format(file_format, store)
        except UsageError as error:
            origin = "" if self.file_format else f" ({self.format_file} states it)"
            raise UsageError(error.message.rstrip(".") + f"{origin}.", error.hint) from error
        name, options = split_format(file_format)
        given = ReadOptions(
            self.separator, self.encoding, self.time_format, self.context_between, sheet=self.sheet
        )
        merged = {**options.to_json(), **given.checked().to_json()}
        between = merged.pop("between", None)
        if merged.get("sheet") == merged.get("described", {}).get("sheet"):
            merged.pop("sheet", None)
        both = ReadOptions(**merged, between=(between[0], between[1]) if between else None)
        if both.described is not None and kept | of_option:
            raise UsageError(
                "--map and a description of a format exclude each other.", "Name the paths in it."
            )
        return kept | of_option, joined_format(name, both)


def read_format_file(file: Path | None) -> Stated:
    """Return the mapping and the format that a file states; neither without a file.

    Raises:
        UsageError: the file cannot be used.
    """
    from qsquared.storage.logs.fields.mapping import read_mapping_file

    return read_mapping_file(file) if file is not None else ({}, "")


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, whose first parameter is a `LogReading`, the options of the group."""
    group = explained(LogReading, _GROUP)
    others = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

    @wraps(command)
    def call(**given: Any) -> None:
        command(LogReading(**{option.name: given.pop(option.name) for option in group}), **given)

    keywords = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in (*group, *others)]
    call.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return call
