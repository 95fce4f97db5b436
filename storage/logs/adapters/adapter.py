"""What an adapter is: how to know a format by its rows, and what turns they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.mapping import ABSENT, found

Fields = dict[str, Any]

MOST_PLACES = 1_000_000
"""Replies times what stands before them in one conversation or trace: beyond it is no such thing,
and each reply with all that stands before it would fill the disk."""
TOO_LONG = "It holds more replies and texts than one conversation can have."


@dataclass(frozen=True, slots=True)
class LogUnit:
    """A piece of a row that belongs with others of its ``group`` (None: it stands alone)."""

    line: int
    fields: Fields
    group: str | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class TurnFound:
    """A turn with the fields of ours that it has; all others become its metadata."""

    line: int
    fields: Fields


@dataclass(frozen=True, slots=True)
class NoTurn:
    """What holds no turn, and why, as a sentence."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class FieldOverrides:
    """What a person said about the fields: ours → theirs, beyond what the format itself tells."""

    source: Mapping[str, str] = field(default_factory=dict)

    @property
    def roles(self) -> frozenset[str]:
        """Roles of messages whose texts are knowledge, as in ``--map system=knowledge``."""
        said = self.source.get("knowledge")
        return frozenset({"tool", "function"} | ({said} if said else set()))


@dataclass(frozen=True, slots=True)
class Adapter:
    """A format of logs.

    ``convention`` names the published format and its version.
    ``recognises`` tells by the fields of one row.
    ``split`` cuts a row into units (a sentence instead: why it has none); those of a group come
    together to ``turns``, in the order of the file, however far apart they stand there.
    """

    name: str
    convention: str
    recognises: Callable[[Mapping[str, Any]], bool]
    split: Callable[[int, Fields], Sequence[LogUnit] | str]
    turns: Callable[[Sequence[LogUnit], FieldOverrides], Sequence[TurnFound | NoTurn]]


def with_overrides(fields: Fields, log: Mapping[str, Any], overrides: FieldOverrides) -> Fields:
    """Our fields, those replaced that a person said are elsewhere in the log's own fields."""
    named = {ours: found(log, theirs) for ours, theirs in overrides.source.items()}
    return fields | {ours: value for ours, value in named.items() if value is not ABSENT}


def alone(line: int, fields: Fields) -> list[LogUnit]:
    """The split of a format whose rows do not belong together."""
    return [LogUnit(line, fields)]
