"""Turns whose only scores are of an older version, counted for people."""

from dataclasses import dataclass
from datetime import date

from qsquared.storage.records.indexes.store_index import StoreIndex, versions
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.views.phrases import DAY
from qsquared.storage.store import Store, store_option
from qsquared.text import count

_COUNTED = f"""
SELECT metric, profile, count(*), count(DISTINCT {DAY}), min({DAY}) FROM outcomes WHERE outdated
GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Outdated:
    """Turns of a metric and profile that have scores of an older version only, by their days (UTC)."""

    metric: str
    profile: str
    turns: int
    days: int
    first: date | None

    def sentence(self, store: Store) -> str:
        """Return a sentence with the number of the turns and the command that scores them anew."""
        days = f" of {count(self.days, 'day')}" if self.days else ""
        return (
            f"{count(self.turns, 'turn')}{days} {'has' if self.turns == 1 else 'have'} scores of an "
            f"older version only ({self.metric}, {self.profile}). They are shown as what they are "
            f"(outdated); to score them anew: q2 rescore {store_option(store)}"
        )


def outdated_turns(index: StoreIndex) -> list[Outdated]:
    """Count the turns that have scores of an older version only, for each metric and profile.

    Raises:
        DamagedFile: the tables cannot be trusted, where they have to be read.
    """
    if not any(version.outdated for version in versions(index)):
        return []
    with connect(index.store, _COUNTED) as connection:
        return [Outdated(*row) for row in connection.execute(_COUNTED).fetchall()]
