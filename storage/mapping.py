"""Which field of a log plays which of ours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from qsquared.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FIELDS = ("id", "conversation_id", "turn", "timestamp", "history", "knowledge", "response")
"""The fields that a turn is made of; all others become its metadata."""


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``theirs=ours`` pairs into a dict from their names to ours.

    Raises:
        UsageError: a pair has no ``=``, names no field of ours, or repeats a name.
    """
    mapping: dict[str, str] = {}
    for pair in pairs:
        theirs, separator, ours = (part.strip() for part in pair.rpartition("="))
        if not separator or not theirs or not ours:
            raise UsageError(
                f"The mapping {pair!r} is not of the form theirs=ours.",
                "For example: answer=response",
            )
        if ours not in FIELDS:
            raise UsageError(
                f"The mapping {pair!r} names an unknown field {ours!r}.",
                f"The fields are {', '.join(FIELDS)}.",
            )
        if theirs in mapping:
            raise UsageError(
                f"The field {theirs!r} of the log is mapped twice.", "Map each field once."
            )
        if ours in mapping.values():
            raise UsageError(
                f"Two fields of the log are mapped to {ours!r}.", "Map one field to each of ours."
            )
        mapping[theirs] = ours
    return mapping


def sources(mapping: Mapping[str, str]) -> dict[str, str]:
    """Our field → the field of the log that it is read from."""
    named = {ours: theirs for theirs, ours in mapping.items()}
    return {ours: named.get(ours, ours) for ours in FIELDS if ours in named or ours not in mapping}


def expected_columns(mapping: Mapping[str, str]) -> list[str]:
    """Columns without which a table cannot give one turn, or not the turns that were asked for."""
    response = sources(mapping).get("response", "response")
    return [response, *(theirs for theirs in mapping if theirs != response)]


def split_fields(
    fields: Mapping[str, Any], source: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our fields that the row has, and the rest."""
    ours = {name: fields[theirs] for name, theirs in source.items() if theirs in fields}
    taken = set(source.values())
    return ours, {name: value for name, value in fields.items() if name not in taken}


def check_columns(path: Path, columns: Sequence[str], expected: Sequence[str]) -> None:
    """Refuse a table that could not give one turn.

    Raises:
        InputError: a column is missing or stands there twice.
    """
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise InputError(
            f"The log {path} has two columns named {twice[0]!r}.", "Rename one of them."
        )
    missing = [name for name in expected if name not in columns]
    if missing:
        raise InputError(
            f"The log {path} has no column {' or '.join(map(repr, missing))}; "
            f"it has {', '.join(map(repr, columns))}.",
            "Say which columns play which part with --map, for example: --map answer=response",
        )
