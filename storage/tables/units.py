"""The units that metrics score: pairs, and situations, which are pairs after a previous turn.

Each unit has shards of its own, since a pair may be given after many turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qsquared.storage.keys import pair_id
from qsquared.storage.tables.registry import PAIRS, SITUATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qsquared.storage.tables.registry import Table

_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """One kind of unit that metrics score.

    ``table`` holds the distinct units of a shard, and ``key`` names its column of ids.
    ``of_turn`` is the id of a turn's unit as SQL over columns of the turns, ``texts`` the columns of
    ``table`` as SQL over them.
    ``identify`` returns the id of a row of ``table`` by its texts.
    """

    table: Table
    key: str
    of_turn: str
    texts: str
    identify: Callable[[Mapping[str, Any]], str]

    @property
    def name(self) -> str:
        """The name of the unit's table, of its folder in a store, and of the input of a stage."""
        return self.table.name


def situation_id(pair: str, previous: str | None) -> str:
    """Return the id of a pair after a previous turn; ``None`` stands for an unknown turn."""
    text = pair if previous is None else f"{pair}\n{previous}"
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]


# The same as SQL, so that turns need no column for it: older stores have none.
_PREVIOUS = "history[-1]"
_SITUATION_OF_TURN = (
    "CASE WHEN pair_id IS NOT NULL THEN "
    f"left(sha256(concat_ws(chr(10), pair_id, {_PREVIOUS})), {_ID_LENGTH}) END"
)

PAIR = ScoredUnit(
    PAIRS,
    "pair_id",
    "pair_id",
    "pair_id, response, knowledge",
    lambda row: pair_id(row["response"], row["knowledge"]),
)
SITUATION = ScoredUnit(
    SITUATIONS,
    "situation_id",
    _SITUATION_OF_TURN,
    f"{_SITUATION_OF_TURN} AS situation_id, pair_id, {_PREVIOUS} AS previous, response, knowledge",
    lambda row: situation_id(pair_id(row["response"], row["knowledge"]), row["previous"]),
)
UNITS = {unit.name: unit for unit in (PAIR, SITUATION)}


def unit_of(table: Table) -> ScoredUnit:
    """Return the unit that the rows of a stage's table belong to."""
    names = {column.name for column in table.columns}
    return SITUATION if SITUATION.key in names else PAIR


def units_of(tables: Iterable[Table]) -> tuple[ScoredUnit, ...]:
    """Return the units that the rows of some stages' tables belong to, each once."""
    found = {unit_of(table).name for table in tables}
    return tuple(unit for name, unit in UNITS.items() if name in found)
