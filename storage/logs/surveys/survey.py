"""Survey a log before it is read: turns, knowledge, rejects, and fields that are not used.

A survey reads the first rows of a log as it was detected or stated, and all of them only as long as it finds nothing
to score. If it finds doubts, or nothing to score at all, `complaints.py` refuses the log and asks for proposals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.field_paths import ABSENT, leaves, value_at
from qsquared.storage.logs.fields.times import moment_of, order_of
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.file_types.dialects import UTF8, dialect
from qsquared.storage.logs.format_engines.recognition import FLAT
from qsquared.storage.logs.format_engines.units import PROMPT_MARK
from qsquared.storage.logs.reading import Reading, detect_reading, with_order
from qsquared.storage.logs.rows import RawRow, UnreadableRow
from qsquared.storage.logs.surveys.doubts import doubts, texts_of
from qsquared.storage.logs.surveys.shapes.speakers import names_tools
from qsquared.storage.logs.turns_and_rejects import UNREAD_TIME

FIRST_ROWS = 100
MORE_ROWS = 2000
_LEAST_CHARACTERS = 15
"""The characters of a text to read; shorter ones stand in many texts by chance."""


@dataclass(slots=True)
class Survey:
    """The findings in the first rows of a log.

    ``knowing`` counts the turns with knowledge, ``prompted`` those whose knowledge is from a prompt,
    ``undated`` those whose time could not be read.
    ``reasons`` counts the rejects, ``first_line`` has the line of the first one of each reason.
    ``first`` has the first turns, ``sample`` the first rows.
    ``examples`` has the log's fields with an example value each, ``unused`` those whose texts came
    into no turn, ``silent`` the mapped fields that never held anything; ``marked`` says whether a text
    holds the marks of ``--context-between``, if they are stated.
    ``encoding`` is that of a text file, ``doubt`` why the turns look misread.
    """

    path: Path
    reading: Reading
    rows: int = 0
    whole: bool = True
    turns: int = 0
    knowing: int = 0
    empty: int = 0
    passages: int = 0
    undated: int = 0
    prompted: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    first_line: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    marked: bool = True
    encoding: str = UTF8
    first: list[dict[str, Any]] = field(default_factory=list)
    sample: list[RawRow] = field(default_factory=list)
    doubt: str = ""

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The turns that a person is shown."""
        return self.first[:5]

    @property
    def rejects(self) -> int:
        """The number of rejects."""
        return self.reasons.total()

    @property
    def scored(self) -> int:
        """The number of turns that are not empty."""
        return self.turns - self.empty

    @property
    def sound(self) -> bool:
        """Whether something can be scored, no mapped field was silent, and stated marks were found."""
        as_stated = self.marked and not self.silent
        return as_stated and self.knowing > 0 and 2 * self.knowing >= self.scored


def survey_log(
    path: Path,
    mapping: Mapping[str, str],
    wanted: str = "",
    most: int | None = None,
    store: Path | None = None,
) -> Survey:
    """Survey a log: its first rows, more of them if these hold nothing to score.

    Args:
        path: the log.
        mapping: the log's field → ours, as a person stated it.
        wanted: the format that a person stated, empty to detect it.
        most: survey exactly so many rows.
        store: the store whose own formats are known, too.

    Raises:
        InputError: the file as a whole cannot be read.
        UnusableLogError: its times can be read in two ways, or not at all by the stated form.
        UsageError: there is no such format.
    """
    reading = detect_reading(path, mapping, wanted, store)
    found = survey_rows(path, reading, most or FIRST_ROWS)
    values = (value for row in found.sample for _, value in leaves(row.fields))
    if found.undated or any(map(order_of, values)):
        reading = with_order(reading, path)
        found = survey_rows(path, reading, most or FIRST_ROWS)
    if most is not None:
        return found
    if not found.sound and not found.whole:
        found = survey_rows(path, reading, MORE_ROWS)
    if (not found.knowing or found.silent or not found.marked) and not found.whole:
        found = survey_rows(path, reading, None)
    return found


def survey_rows(path: Path, reading: Reading, most: int | None) -> Survey:
    """Survey the first ``most`` rows of a log, all of them if it is None."""
    found = Survey(path, reading, silent=sorted(reading.mapping))
    found.marked = reading.options.between is None
    found.encoding = dialect(path, reading.file_type, reading.options)[0]

    def watched() -> Iterator[RawRow | UnreadableRow]:
        for row in reading.raw_rows(path, any_columns=True):
            found.whole = most is None or found.rows < most
            if not found.whole:
                return
            found.rows += 1
            if isinstance(row, RawRow):
                _note_row(found, row)
            yield row

    for row in reading.read(watched()):
        read = row.reason if isinstance(row, UnreadableRow) else reading.turn_of(row, "", path.name)
        if isinstance(read, str):
            found.reasons[read] += 1
            found.first_line.setdefault(read, row.line)
        else:
            _count(found, read)
    # Fields that nobody mapped are named so by the log itself.
    mapped = not {"response", "knowledge"}.isdisjoint(reading.mapping.values())
    named = reading.adapter == FLAT and not mapped
    fields = (reading.options.described or {}).get("fields", {})
    of_tools = names_tools(fields.get("knowledge", ()))
    found.doubt = doubts(found.first[:FIRST_ROWS], named=named, data=of_tools)
    _note_fields(found)
    return found


def _note_row(found: Survey, row: RawRow) -> None:
    """Note a row in the sample, the mapped fields that it has, and whether it has the stated marks."""
    if len(found.sample) < 40:
        found.sample.append(row)
    found.silent = [name for name in found.silent if not _holds(row, name, found.reading)]
    if not found.marked and (between := found.reading.options.between):
        found.marked = any(has_marks(text, between) for _, text in leaves(row.fields))


def has_marks(text: Any, between: tuple[str, str]) -> bool:
    """Whether a value is a text with both marks around something."""
    return isinstance(text, str) and 0 <= text.find(between[0]) < text.rfind(between[1])


def _holds(row: RawRow, name: str, reading: Reading) -> bool:
    """Whether a mapped field holds anything in a row; roles and attributes, which are no paths, count by their name."""
    value = value_at(row.fields, name)
    if value is not ABSENT:
        return not is_missing(value) and value not in ([], {})
    return reading.adapter != FLAT and name.rsplit(".", 1)[-1] in repr(row.fields)


def _count(found: Survey, turn: dict[str, Any]) -> None:
    """Count a turn, and keep it if it is among the first 200."""
    found.turns += 1
    found.empty += turn["status"] == "empty_response"
    found.knowing += bool(turn["knowledge"])
    found.passages += len(turn["knowledge"])
    found.undated += UNREAD_TIME in turn["metadata"]
    if PROMPT_MARK in turn["metadata"]:
        found.prompted[str((parsed(turn["metadata"]) or {}).get(PROMPT_MARK))] += 1
    if len(found.first) < 200:
        found.first.append(turn)


def _note_fields(found: Survey) -> None:
    """Note the fields of the sample with examples, and those whose texts came into no turn."""
    metadata = [parsed(turn["metadata"]) for turn in found.first]
    others = [leaves(held) for held in metadata if isinstance(held, dict)]
    texts = {*chain(*map(texts_of, found.first)), *(str(value) for _, value in chain(*others))}
    whole = "\n".join(texts)
    shown = [one for one in chain(*map(texts_of, found.shown)) if len(one) >= _LEAST_CHARACTERS]
    used: dict[str, bool] = {}
    for path, value in chain(*(leaves(row.fields) for row in found.sample)):
        if is_missing(value):
            continue
        found.examples.setdefault(path, str(value))
        if not used.get(path) and _is_text(value):
            # A prompt comes into a turn by the passages and the question within it.
            used[path] = value.strip() in whole or any(text in value for text in shown)
    found.unused = [path for path, in_turns in used.items() if not in_turns]


def _is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a text to read, and no id, name of a kind or time."""
    return (
        isinstance(value, str)
        and len(value) >= _LEAST_CHARACTERS
        and not (value.isascii() and len(value.split()) == 1)
        and moment_of(value) is None
        and not order_of(value)
    )
