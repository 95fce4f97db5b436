"""The definition of an adapter, and the pieces that adapters exchange."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, value_at

Fields = dict[str, Any]

MOST_PLACES = 1_000_000
"""The most replies times earlier texts in one conversation or trace; more would fill the disk,
since each reply is stored with all the texts before it."""
MISFITS = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError)
"""Errors of values that are not of the type that a format has; none may end the reading of a log."""
PROMPT_MARK = "knowledge_marked_by"
"""The metadata of a turn whose passages stand in a prompt: the text that marks them."""
STREAM = "the stream"
"""The group of the events of a stream, which are read together."""

TOO_LONG = "It holds more replies and texts than one conversation can have."


@dataclass(frozen=True, slots=True)
class LogUnit:
    """A piece of a row that belongs with others of its ``group`` (None: it is a group of its own)."""

    line: int
    fields: Fields
    group: str | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class TurnFound:
    """A turn with its fields under our names; any other field becomes metadata.

    ``log`` are the log's own fields, of which a person's mapping may take some in place of these.
    """

    line: int
    fields: Fields
    log: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoTurn:
    """A piece of a log without a turn, and the reason as a sentence."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FieldOverrides:
    """A person's mapping of fields, ours → theirs, which overrides the format's own."""

    source: Mapping[str, str] = field(default_factory=dict)
    between: tuple[str, str] | None = None
    """The marks around the passages in a prompt, None for the usual ones."""

    @property
    def roles(self) -> frozenset[str]:
        """The roles of messages whose whole texts are knowledge, as in ``--map system=knowledge``."""
        said = self.source.get("knowledge")
        return frozenset({said} if said else ())


Split = Callable[[int, Fields], Sequence[LogUnit] | str]
"""A function from the line and the fields of a row to its units."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A format of logs.

    ``convention`` names the published format and its version.
    ``recognises`` decides by the fields of one row.
    ``split`` cuts a row into units, or returns the reason why it has none as a sentence; the units
    of a group come to ``turns`` together, in the order of the file, however far apart they are.
    """

    name: str
    convention: str
    recognises: Callable[[Mapping[str, Any]], bool]
    split: Split
    turns: Callable[[Sequence[LogUnit], FieldOverrides], Sequence[TurnFound | NoTurn]]


def with_overrides(turn: TurnFound, overrides: FieldOverrides) -> TurnFound:
    """Return a turn with the values that a person mapped from the log's own fields."""
    if not overrides.source:
        return turn
    named = {ours: value_at(turn.log, theirs) for ours, theirs in overrides.source.items()}
    mapped = {ours: value for ours, value in named.items() if value is not ABSENT}
    return replace(turn, fields=turn.fields | mapped)


def grouped_by(group: Callable[[Fields], str | None]) -> Split:
    """Return the split of a format whose rows belong together by a name, such as their trace's."""
    return lambda line, fields: [LogUnit(line, fields, group(fields))]
