"""Descriptions that are proposed for a log, and the columns that may be parts of a turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import first_name
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import is_name
from qsquared.storage.logs.surveys.columns.values import Column
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")

_PLACE_LIKE = _V["place_like"]
ID_LIKE = _V["id_like"]
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[A-Za-z]{1,12}[-_.:#]?\d{1,12}")
"""A name that is counted up, such as m001 or MSG-17."""
_MANY = 5
"""Of so many units, all with another value in a field, the field names units, not conversations."""
NO_KNOWLEDGE = (
    "No field beside the replies holds texts that they could rest on; log with each reply what was "
    "retrieved for it."
)
SURE = 0.55
"""The confidence from which on a proposal is made."""
_OURS = {"more": "knowledge", "question": "history"}
"""The fields of a turn by parts of a description that have other names."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A description that reads a log, with its confidence from 0 to 1; ``lacks`` says what is missing."""

    stated: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    lacks: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether the confidence is enough to propose it."""
        return self.confidence >= SURE

    @property
    def fields(self) -> dict[str, list[str]]:
        """The paths of each part of a turn, empty if nothing is described."""
        fields: dict[str, list[str]] = self.stated.get("fields", {})
        return fields

    @property
    def rows(self) -> str:
        """The path to the rows, empty if they are those of the file."""
        return "".join(self.stated.get("rows", ()))

    @property
    def mapping(self) -> dict[str, str]:
        """The short form of a description whose rows are turns, empty if there is none."""
        more = self.stated.keys() & {"rows", "line", "lines", "cut", "join", "related", "separator"}
        parts = {"messages", "system"}.intersection(self.fields)
        several = len(self.fields.get("knowledge", ())) > 1
        if self.stated.get("engine") != "records" or more or parts or several:
            return {}
        pairs = (
            (one, _OURS.get(part, part)) for part, paths in self.fields.items() for one in paths
        )
        return {path: part for path, part in pairs if path != part}

    def but(self, **more: Any) -> Proposal:
        """Return the proposal with other keys in its description."""
        return replace(self, stated={**self.stated, **more})


def beside(made: Mapping[str, Column]) -> dict[str, list[str]]:
    """Return the paths of the units' ids, of the conversation and of the time, as far as values show them."""
    fields: dict[str, list[str]] = {}
    plain = [one for path, one in made.items() if "[]" not in path]
    if times := [one.path for one in plain if one.all_fit(_is_time)]:
        fields["timestamp"] = times[:1]
    names = [one for one in plain if one.all_fit(is_name)]
    # Names without digits, such as "web" and "phone", are of kinds.
    groups = [one for one in names if _V["group_like"].search(one.path)]
    groups = [one for one in groups if not one.filled or one.share(_DIGIT.search) >= 0.5]
    if (own := _own_names(names)) is not None:
        fields["id"] = [own]
        groups = [one for one in groups if one.path != own or len(one.values) < _MANY]
    if groups and len(groups[0].values) > 1:
        best = min(
            groups,
            key=lambda one: (bool(_PLACE_LIKE.search(one.path)), len(_distinct(one)), one.path),
        )
        fields["conversation_id"] = [best.path]
    return fields


def _distinct(column: Column) -> set[str]:
    return {str(value) for held in column.values for value in held}


def _own_names(names: Sequence[Column]) -> str | None:
    """Return the path of the units' own ids: words or numbers of which each unit has another."""
    named = [one for one in names if ID_LIKE.search(one.path) or one.share(_CODE.fullmatch) == 1]
    found = [one.path for one in named if len(_distinct(one)) == len(one.values) > 1]
    # Of conversations of one turn each has an id, too.
    found.sort(key=lambda path: (bool(_V["group_like"].search(path)), path.count(".")))
    return found[0] if found else None


def _is_time(value: Any) -> bool:
    counts = isinstance(value, int | float) and value < 1e9
    return moment_of(value) is not None and not counts


def stated(engine: str, rows: str, fields: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    """Return a description; the fields that its texts begin with are read, and so no metadata."""
    read = [first_name(path) for part in _V.names("read") for path in fields.get(part, ())]
    own = {key: value for key, value in {"rows": [rows] if rows else [], **more}.items() if value}
    return {"engine": engine, **own, "read": list(dict.fromkeys(read)), "fields": fields}
