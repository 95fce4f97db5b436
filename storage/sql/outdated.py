"""Turns whose only scores are of an older version, counted for people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsquared.storage.connection import open_connection
from qsquared.storage.records.store_index import StoreIndex, store_option, versions
from qsquared.storage.sql.catalogue import files
from qsquared.storage.sql.views.phrases import DAY
from qsquared.storage.tables.registry import UNITS
from qsquared.text import count

if TYPE_CHECKING:
    from datetime import date

    from qsquared.storage.store import Store


@dataclass(frozen=True, slots=True)
class Outdated:
    """Turns of a metric and profile that have scores of an older version only, by their days (UTC)."""

    metric: str
    profile: str
    turns: int
    days: int
    first: date | None

    def sentence(self, store: Store) -> str:
        """Return how many turns there are, and the command that scores them anew."""
        days = f" of {count(self.days, 'day')}" if self.days else ""
        return (
            f"{count(self.turns, 'turn')}{days} {'has' if self.turns == 1 else 'have'} scores of an "
            f"older version only ({self.metric}, {self.profile}). They are shown as what they are "
            f"(outdated); to score them anew: q2 rescore {store_option(store)}"
        )


def outdated_turns(index: StoreIndex) -> list[Outdated]:
    """Count the turns that have scores of an older version only, for each metric and profile.

    Raises:
        DamagedFile: the turns or pairs cannot be trusted, where they have to be read.
    """
    shards: dict[tuple[str, str], set[str]] = defaultdict(set)
    for version in versions(index):
        if version.outdated:
            name = version.configuration["metric"], version.configuration["profile"]
            shards[name] |= version.shards
    if not shards:
        return []
    index.check({"turns", *UNITS})
    return [found for name, keys in shards.items() if (found := _count(index, *name, keys)).turns]


def _count(index: StoreIndex, metric: str, profile: str, shards: set[str]) -> Outdated:
    turns = files(index.of("turns"))
    with open_connection(index.store.root) as connection:
        connection.execute("CREATE TEMP TABLE outdated (day DATE, turns BIGINT)")
        for unit in UNITS.values():
            paths = [path for path in index.of(unit.name) if path.stem in shards]
            if paths:
                connection.execute(
                    f"INSERT INTO outdated SELECT {DAY}, count(*) FROM {turns} "
                    f"WHERE {unit.of_turn} IN (SELECT {unit.key} FROM {files(paths)}) GROUP BY ALL"
                )
        found = connection.execute(
            "SELECT coalesce(sum(turns), 0), count(DISTINCT day), min(day) FROM outdated"
        ).fetchone()
    assert found is not None
    return Outdated(metric, profile, int(found[0]), int(found[1]), found[2])
