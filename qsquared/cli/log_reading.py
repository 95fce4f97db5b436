"""The options that say which logs are read and how: one group, for every command that reads logs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from qsquared.cli.help_pages import explained
from qsquared.cli.options import of_run
from qsquared.errors import UsageError

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
