"""Survey the logs of a command before it starts, and refuse those that would be misread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from qsquared.errors import InputError, UnusableLogError
from qsquared.text import count, visible

if TYPE_CHECKING:
    from qsquared.storage.logs.surveys.survey import Survey

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The surveys of the logs that may be read, the paths of all that are read, and the refusals.

    A log that cannot be read as a whole is among the paths: its reader says why.
    """

    surveys: dict[Path, Survey]
    paths: list[Path]
    refused: list[UnusableLogError]


def survey_logs(
    console: Console,
    arguments: Sequence[str],
    paths: Sequence[Path],
    mapping: Mapping[str, str],
    wanted: str,
) -> Surveyed:
    """Survey logs; print warnings, refusals and the files that are passed over.

    Args:
        console: the terminal.
        arguments: the files and folders that a person named.
        paths: the logs among them.
        mapping: the log's field → ours.
        wanted: the format that a person stated.

    Raises:
        UnusableLogError: none of the logs may be read.
    """
    from qsquared.storage.logs.paths import passed_over
    from qsquared.storage.logs.surveys.complaints import complaint
    from qsquared.storage.logs.surveys.survey import survey_log

    surveys: dict[Path, Survey] = {}
    refused: dict[Path, UnusableLogError] = {}
    for path in paths:
        try:
            surveys[path] = survey_log(path, mapping, wanted)
        except UnusableLogError as contradicted:
            refused[path] = contradicted
        except InputError:
            continue
    for path, found in surveys.items():
        others = [other for other in surveys.values() if other is not found]
        problem = complaint(found, others)
        if problem is not None:
            refused[path] = problem
        else:
            _say(console, found)
    if others_there := passed_over(arguments):
        names = ", ".join(visible(str(path)) for path in others_there[:_MOST_NAMED])
        more = ", …" if len(others_there) > _MOST_NAMED else ""
        files = count(len(others_there), "file")
        console.print(
            Text(f"Not read, since their type is unknown: {files}: {names}{more}", "yellow")
        )
    kept = [path for path in paths if path not in refused]
    if refused and not kept:
        raise with_number(list(refused.values()))
    for error in refused.values():
        console.print(Text(visible(error.message), "red"))
    good = {path: found for path, found in surveys.items() if path not in refused}
    return Surveyed(good, kept, list(refused.values()))


def _say(console: Console, found: Survey) -> None:
    """Print an encoding that was guessed, and what to be wary of in a log."""
    from qsquared.storage.logs.formats.dialects import UTF8
    from qsquared.storage.logs.surveys.complaints import how_read, warning

    if found.encoding != UTF8 and not found.reading.options.encoding:
        told = f"{found.path}: {how_read(found)}; --encoding names another encoding."
        console.print(Text(visible(told)))
    if told_of := warning(found):
        console.print(Text(visible(told_of), "yellow"))


def refuse_empty(surveyed: Surveyed) -> None:
    """Refuse logs that have no row at all, if all of them are so.

    Raises:
        UnusableLogError: there is no row to read.
    """
    empty = [found for found in surveyed.surveys.values() if not found.rows]
    if empty and len(empty) == len(surveyed.paths):
        names = ", ".join(str(found.path) for found in empty[:_MOST_NAMED])
        raise UnusableLogError(
            f"There is nothing to read: {count(len(empty), 'log')} without a row ({names}).",
            "Give the file or folder that the chatbot writes its log to.",
        )


def with_number(refused: Sequence[UnusableLogError]) -> UnusableLogError:
    """Return the first refusal, with the number of the others."""
    first = refused[0]
    if len(refused) == 1:
        return first
    others = count(len(refused) - 1, "other log")
    return UnusableLogError(f"{first.message} The same is true of {others}.", first.hint)


def refusal_after(surveyed: Surveyed, done: str) -> UnusableLogError | None:
    """Return the error of the logs that were refused, after the others are read (``done``)."""
    if not surveyed.refused:
        return None
    first = surveyed.refused[0]
    return UnusableLogError(
        f"{count(len(surveyed.refused), 'log')} would have been misread, all others are {done}. "
        f"{first.message}",
        first.hint,
    )
