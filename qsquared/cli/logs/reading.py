"""The options that say which logs are read and how: one group, for every command that reads logs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from qsquared.errors import UsageError
from qsquared.tasks.jobs.options import ScoreOptions, help_of

_GROUP = "How logs are read"

Stated = tuple[dict[str, str], str]
"""A mapping of fields, and a format with further options of reading."""


def _option(name: str, metavar: str, text: str, *more: str) -> Any:
    return typer.Option(f"--{name}", *more, metavar=metavar, help=text, rich_help_panel=_GROUP)


@dataclass(frozen=True, slots=True)
class LogReading:
    """The logs that a command reads, and all that a person stated about their form."""

    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS",
            help="JSON, CSV, TSV, Parquet, Arrow, YAML, XML, xlsx, pg_dump or server log files (also .gz, .zst), "
            "folders, patterns, or s3:// URLs of them.",
        ),
    ]
    mapping: Annotated[
        list[str] | None,
        _option(
            "map",
            "THEIRS=OURS",
            "Read our field from theirs, such as hits[].text=knowledge; repeat.",
        ),
    ] = None
    format_file: Annotated[
        Path | None,
        _option(
            "format-file",
            "FILE",
            "TOML file that describes a format, or has a mapping as `fields`.",
            "--map-file",
        ),
    ] = None
    file_format: Annotated[str, _option("format", "NAME", help_of(ScoreOptions, "file_format"))] = (
        ""
    )
    context_between: Annotated[
        tuple[str, str] | None,
        _option(
            "context-between",
            "BEGIN END",
            "Knowledge is the text between these two in a prompt ('': to its end); usual marks are known.",
        ),
    ] = None
    separator: Annotated[
        str, _option("separator", "CHAR", "Separator of a CSV file; detected by default.")
    ] = ""
    encoding: Annotated[
        str, _option("encoding", "NAME", "Encoding of a text file; detected by default.")
    ] = ""
    sheet: Annotated[
        str,
        _option(
            "sheet", "NAME", "Sheet of a spreadsheet; by default the first one, * for all of them."
        ),
    ] = ""
    time_format: Annotated[
        str,
        _option(
            "time-format",
            "FORM",
            "month-first or day-first, for dates as 11/05/2026; or a form as in strptime.",
        ),
    ] = ""

    def stated(self) -> Stated:
        """Return the mapping, and the format with further options of reading as its part.

        ``--map`` and ``--format`` go before ``--format-file``.

        Raises:
            UsageError: one of the options cannot be used.
        """
        from qsquared.storage.logs.fields.mapping import parse_mapping
        from qsquared.storage.logs.read_options import ReadOptions, joined_format, split_format
        from qsquared.storage.logs.reading import check_format

        mapping, of_file = read_format_file(self.format_file)
        own = parse_mapping(list(self.mapping or ()))
        kept = {
            theirs: ours
            for theirs, ours in mapping.items()
            if theirs not in own and ours not in own.values()
        }
        wanted = self.file_format or of_file
        try:
            check_format(wanted)
        except UsageError as error:
            origin = "" if self.file_format else f" ({self.format_file} states it)"
            raise UsageError(error.message.rstrip(".") + f"{origin}.", error.hint) from error
        name, options = split_format(wanted)
        given = ReadOptions(
            self.separator, self.encoding, self.time_format, self.context_between, sheet=self.sheet
        )
        merged = {**options.to_json(), **given.checked().to_json()}
        between = merged.pop("between", None)
        both = ReadOptions(**merged, between=(between[0], between[1]) if between else None)
        if both.described is not None and kept | own:
            raise UsageError(
                "--map and a description of a format exclude each other.", "Name the paths in it."
            )
        return kept | own, joined_format(name, both)


def read_format_file(file: Path | None) -> Stated:
    """Return the mapping and the format that a file states; neither without a file.

    Raises:
        UsageError: the file cannot be used.
    """
    from qsquared.storage.logs.fields.mapping import read_mapping_file

    return read_mapping_file(file) if file is not None else ({}, "")


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, whose first parameter is a `LogReading`, the options of the group."""
    kinds = get_type_hints(LogReading, include_extras=True)
    group = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=kinds[one.name],
        )
        for one in fields(LogReading)
    ]
    signature = inspect.signature(command, eval_str=True)
    own = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for one in list(signature.parameters.values())[1:]
    ]

    @wraps(command)
    def call(**given: Any) -> None:
        command(LogReading(**{one.name: given.pop(one.name) for one in group}), **given)

    call.__signature__ = signature.replace(parameters=[*group, *own])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in (*group, *own)}
    return call
