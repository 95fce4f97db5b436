"""The pieces of a log that the engines exchange: units of rows, turns, and a person's mapping."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.fields.field_paths import ABSENT, joined_at

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

ABSENT_ROLE = ""
"""The value, in a description, of a field that tells by its absence who speaks."""

OUTER = "^"
"""The field of a unit that holds the fields of the object around it; as the ``parent`` of a message it stands for
the message that holds it."""
OWN, ABOVE = "\0own", "\0above"
"""The numbers, beside the fields around a message, of itself and of the message that holds it."""

TOO_LONG = "It holds more replies and texts than one conversation can have."


@dataclass(slots=True)  # frozen ones take six times as long to make
class LogUnit:
    """A piece of a row that belongs with others of its ``group`` (None: it is a group of its own)."""

    line: int
    fields: Fields
    group: str | None = None
    raw: str = ""


Outcomes = list[tuple[int, Fields | str]]
"""Turns, each with the line of its row and its fields under our names (any other field becomes metadata); in place
of the fields the reason, as a sentence, why a piece of a log holds no turn."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """A person's mapping of fields (ours, and the log's of each), which overrides the format's own."""

    source: Mapping[str, Sequence[str]] = field(default_factory=dict)
    between: tuple[str, str] | None = None
    """The marks around the passages in a prompt, None for the usual ones."""

    @property
    def roles(self) -> frozenset[str]:
        """The roles of messages whose whole texts are knowledge, as in ``--map system=knowledge``."""
        return frozenset(self.source.get("knowledge", ()))

    def value(self, ours: str, log: Mapping[str, Any]) -> Any:
        """Return the value that is mapped to a field of ours, `ABSENT` if there is none."""
        return joined_at(log, self.source.get(ours, ()))

    def applied(self, fields: Fields, log: Mapping[str, Any]) -> Fields:
        """Return the fields of a turn with the values that a person mapped from the log's own fields."""
        named = {ours: self.value(ours, log) for ours in self.source}
        return fields | {ours: value for ours, value in named.items() if value is not ABSENT}
