"""Survey the logs of a command before it starts, and show them; those that would be misread are refused."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qsquared.cli.terminal.printing import Cell, facts_of, say, show, table_of
from qsquared.display import count, shorten, visible
from qsquared.errors import InputError, UnusableLogError

if TYPE_CHECKING:
    from qsquared.storage.logs.surveys.survey import Survey

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The surveys of some logs; those that would be misread or cannot be read at all have errors."""

    asked: tuple[Path, ...]
    surveys: dict[Path, Survey] = field(default_factory=dict)
    refused: dict[Path, UnusableLogError] = field(default_factory=dict)
    unreadable: dict[Path, InputError] = field(default_factory=dict)

    @property
    def paths(self) -> list[Path]:
        """The logs to read; those that cannot be read are among them, since their reader says why."""
        return [path for path in self.asked if path not in self.refused]

    @property
    def refusal(self) -> UnusableLogError | None:
        """The first refusal, with the number of the others."""
        if len(self.refused) < 2:
            return next(iter(self.refused.values()), None)
        first, *others = self.refused.values()
        message = f"{first.message} The same is true of {count(len(others), 'other log')}."
        return UnusableLogError(message, first.hint)

    def refusal_after(self, done: str) -> UnusableLogError | None:
        """Return the error of the logs that were refused, after the others are read (``done``)."""
        first = next(iter(self.refused.values()), None)
        return first and UnusableLogError(
            f"{count(len(self.refused), 'log')} would have been misread, all others are {done}. "
            f"{first.message}",
            first.hint,
        )


def survey_logs(
    paths: Sequence[Path],
    mapping: Mapping[str, str],
    file_format: str,
    most: int | None = None,
    store: str = "",
    arguments: Sequence[str] = (),
) -> Surveyed:
    """Survey logs.

    Args:
        paths: the logs.
        mapping: the log's field → ours.
        file_format: the format that a person stated.
        most: survey exactly so many rows, and refuse only a log that has no more.
        store: the store that they would be read into, whose own formats are known, too.
        arguments: the logs as a person named them, for the commands where all are alike.
    """
    from qsquared.storage.files.remote_paths import place
    from qsquared.storage.logs.surveys.complaints import complaint
    from qsquared.storage.logs.surveys.survey import survey_log

    surveyed = Surveyed(tuple(paths))
    for path in paths:
        try:
            surveyed.surveys[path] = survey_log(
                path, mapping, file_format, most, place(store) if store else None
            )
        except UnusableLogError as contradicted:
            surveyed.refused[path] = contradicted
        except InputError as error:
            surveyed.unreadable[path] = error
    kinds = {
        path: (survey.reading.format, *survey.examples) for path, survey in surveyed.surveys.items()
    }
    alike = len(set(kinds.values())) == 1 and not surveyed.unreadable and not surveyed.refused
    for path, survey in surveyed.surveys.items():
        others = [other for other in surveyed.surveys.values() if other is not survey]
        # Looking for a reading takes a while, and says the same of logs with the same fields.
        already_refused = any(kinds.get(refused) == kinds[path] for refused in surveyed.refused)
        logs = None if already_refused else list(arguments) if alike else [str(path)]
        problem = complaint(survey, others, store, logs) if most is None or survey.whole else None
        if problem is not None:
            surveyed.refused[path] = problem
    return surveyed


def show_unnamed(surveyed: Surveyed, arguments: Sequence[str]) -> None:
    """Print the command that reads the turns by the log's own ids, if they were named by their lines.

    Args:
        surveyed: the surveys; several logs have to agree.
        arguments: the arguments of the command that read them.
    """
    from qsquared.storage.logs.surveys.proposals import own_names

    read = [survey for path, survey in surveyed.surveys.items() if path not in surveyed.refused]
    proposed = [own_names(survey) for survey in read if survey.turns]
    if not proposed or not proposed[0] or any(names != proposed[0] for names in proposed):
        return
    options = [part for field in proposed[0].items() for part in ("--map", "=".join(field))]
    again = shlex.join(["q2", *arguments, *options])
    say(f"Turns are named by their lines. By their own ids?  {again}")


def show_surveyed(surveyed: Surveyed, arguments: Sequence[str]) -> None:
    """Print what to be wary of in the logs, refusals, and the files that are passed over.

    Args:
        surveyed: the surveys.
        arguments: the files and folders that a person named.

    Raises:
        UnusableLogError: none of the logs may be read, or none has a row.
    """
    from qsquared.storage.logs.file_types.dialects import UTF8
    from qsquared.storage.logs.paths import passed_over
    from qsquared.storage.logs.surveys.complaints import how_read, ignored, warning

    read = [survey for path, survey in surveyed.surveys.items() if path not in surveyed.refused]
    for survey in read:
        if survey.encoding != UTF8 and not survey.reading.options.encoding:
            say(f"{survey.path}: {how_read(survey)}; --encoding names another encoding.")
        say(ignored(survey), warning(survey) or "", style="yellow")
    if others := passed_over(arguments):
        files = f"{count(len(others), 'file')}: {_named(others)}"
        say(f"Not read, since their type is unknown: {files}", style="yellow")
    if surveyed.refusal is not None and not surveyed.paths:
        raise surveyed.refusal
    say(*(error.message for error in surveyed.refused.values()), style="red")
    empty = [survey.path for survey in read if not survey.rows]
    if empty and len(empty) == len(surveyed.paths):
        raise UnusableLogError(
            f"There is nothing to read: {count(len(empty), 'log')} without a row ({_named(empty)}).",
            "Give the file or folder that the chatbot writes its log to.",
        )


def _named(paths: Sequence[Path]) -> str:
    """Return the first paths as a text."""
    more = ", …" if len(paths) > _MOST_NAMED else ""
    return ", ".join(str(path) for path in paths[:_MOST_NAMED]) + more


_REASONS = 5
_WIDTH = 160
_HISTORY = 2
_FIELDS = 30


def show_preview(survey: Survey, problem: UnusableLogError | None) -> None:
    """Print a log's counts, rejects, fields and first turns, and the advice if it would be misread."""
    from qsquared.storage.logs.surveys.complaints import how_read, ignored, summary, warning

    reading = survey.reading
    head = Text(visible(str(survey.path)), "bold")
    mapped = ", ".join(f"{ours} from {theirs}" for theirs, ours in reading.mapping.items())
    head.append(f"\n{visible(how_read(survey).removeprefix('read as '))}", "not bold")
    head.append(f"; {visible(mapped)}\n" if mapped else "\n", "not bold")
    head.append(visible(summary(survey)), "not bold")
    parts: list[Any] = [head]
    for reason, number in survey.reasons.most_common(_REASONS):
        line = survey.first_line[reason]
        parts.append(Text(f"  {number:,}: {visible(reason)} (first in line {line:,})", "yellow"))
    parts += [Padding(_turn(turn), (1, 0, 0, 2)) for turn in survey.shown]
    if survey.shown and survey.examples:
        parts.append(Padding(_fields(survey), (1, 0, 0, 2)))
    if problem is None:
        cautions = filter(None, (ignored(survey), warning(survey)))
        parts += [Text(f"\n{visible(caution)}", "yellow") for caution in cautions]
    show(Group(*parts, Text("")))
    if problem is not None:  # its commands are to be pasted, so nothing breaks their lines
        text = f"{visible(problem.message)}\n{visible(problem.hint)}".rstrip()
        show(Text(f"{text}\n", "red"), whole=True)


def _fields(survey: Survey) -> Table:
    """Return the fields of the log, each with an example, and those whose texts are not used."""
    rows = (
        (path, Text("not used" if path in survey.unused else "", "yellow"), shorten(example, 60))
        for path, example in list(survey.examples.items())[:_FIELDS]
    )
    return table_of(("field", "", "example"), rows)


def _turn(turn: Mapping[str, Any]) -> Table:
    """Return one turn: who said what, and each passage by its number."""
    from qsquared.display import passage_name
    from qsquared.storage.logs.fields.passages import SOURCES

    rows: list[tuple[str, Cell]] = [
        ("id", turn["id"]),
        ("conversation", turn["conversation_id"]),
        ("time", turn["timestamp"] and turn["timestamp"].isoformat(sep=" ", timespec="seconds")),
    ]
    rows = [(name, shorten(str(value), _WIDTH)) for name, value in rows if value is not None]
    history = turn["history"]
    for number, text in enumerate(history[-_HISTORY:]):
        name = "" if number else f"history ({count(len(history), 'text')})"
        rows.append((name, shorten(text, _WIDTH)))
    origins = json.loads(turn["metadata"]).get(SOURCES) or []
    for number, passage in enumerate(turn["knowledge"], start=1):
        origin = origins[number - 1] if isinstance(origins, list) and number <= len(origins) else {}
        named = f"[{passage_name(origin)}] " if isinstance(origin, dict) and origin else ""
        rows.append((f"knowledge {number}", shorten(named + passage, _WIDTH)))
    if not turn["knowledge"]:
        rows.append(("knowledge", Text("none, so it would not be scored", "yellow")))
    rows.append(("response", Text(shorten(turn["response"], _WIDTH), "bold")))
    return facts_of(rows)
