"""Lists of a row that refer to each other by ids, as tables of a database or sheets of a workbook do."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from pydantic import BaseModel, ConfigDict

from qsquared.storage.logs.fields.field_paths import ABSENT, EMPTY, flattened, value_at
from qsquared.storage.logs.fields.texts.cells import parsed
from qsquared.storage.logs.fields.texts.cuts import changed

_BETWEEN = re.compile(r"[;,|]")


class Relation(BaseModel):
    """Objects of a list that belong to an object of another list: their ``key`` is its ``id``, or one of several."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: str
    key: str
    into: str
    id: str

    @property
    def name(self) -> str:
        """The field under which an object holds those that belong to it."""
        return self.rows.rpartition(".")[2]


def nested(fields: Mapping[str, Any], relations: Sequence[Relation]) -> dict[str, Any]:
    """Return a row whose lists hold, in each of their objects, the objects of other lists that belong to it."""
    return reduce(_joined, relations, dict(fields))


def _joined(fields: dict[str, Any], one: Relation) -> dict[str, Any]:
    belonging: dict[str, list[Any]] = defaultdict(list)
    for held in _objects(fields, one.rows):
        for name in _names(held, one.key):
            belonging[name].append(held)
    holding = [
        {**held, one.name: [part for name in _names(held, one.id) for part in belonging[name]]}
        for held in _objects(fields, one.into)
    ]
    rest = changed(fields, one.rows, lambda _: [])
    made: dict[str, Any] = changed(rest, one.into, lambda _: holding)
    return made


def united(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the object of which each part holds some fields: lists of all, of other values the first."""
    made: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if isinstance(value, list) and isinstance(made.get(name), list):
                made[name] = [*made[name], *value]
            elif made.get(name) in (None, "", []):
                made[name] = value
    return made


def _objects(fields: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    held = parsed(value_at(fields, path))
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def names_in(value: Any) -> list[str]:
    """Return the ids in a value, which a cell may list (``KB-1; KB-2``)."""
    return [one for part in _BETWEEN.split(str(value)) if (one := part.strip())]


def _names(held: Mapping[str, Any], path: str) -> list[str]:
    """Return the ids at a path of an object: one, those of a list, or none."""
    listed = flattened([parsed(value_at(held, path))])
    given = (one for one in listed if one is not ABSENT and one not in EMPTY)
    return [name for one in given for name in names_in(one)]
