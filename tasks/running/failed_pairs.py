"""Try failed pairs again, and only those: what the other pairs of a shard have is kept.

A table with failed pairs is set aside, so that its stage counts as missing, and serves once more
when the stage runs again: the rows of sound pairs are taken from it.
It stays until the shard is complete, so a retry that is killed goes on with the same command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qsquared.storage.files.atomic import move_within
from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.files.places import is_remote, objects_below
from qsquared.storage.tables.units import PAIR
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.stage import Row, Rows, Stage


@dataclass(frozen=True, slots=True)
class EarlierTables:
    """The tables that were set aside; ``folder`` lies in the store, outside of its tables."""

    folder: Path
    configuration: Configuration

    def path(self, stage: str, shard: str) -> Path:
        """Where a stage's earlier table lies."""
        return self.folder / f"{stage}.{self.configuration.lineages[stage]}.{shard}.parquet"

    def exist(self, shard: str) -> bool:
        """Whether the shard has any."""
        # One question to a server in the place of one for each stage.
        if is_remote(self.folder):
            there = {path.name for path in objects_below(self.folder)}
            return any(self.path(stage.name, shard).name in there for stage in self._stages)
        return any(self.path(stage.name, shard).exists() for stage in self._stages)

    def set_aside(self, stage: str, shard: str, table: Path) -> None:
        """Take a stage's table out of the store's tables."""
        move_within(table, self.path(stage, shard))

    def forget(self, shard: str) -> None:
        """Remove those of a shard."""
        if not self.exist(shard):
            return
        for stage in self._stages:
            self.path(stage.name, shard).unlink(missing_ok=True)

    def find(self, stage: str, shard: str) -> tuple[Rows, frozenset[str]] | None:
        """A stage's earlier rows and the pairs of which they are no longer true.

        Those are the pairs that had failed there or in a stage before, which was repaired since.
        ``None`` where nothing was set aside, or what was is damaged: then the whole stage runs.
        """
        failed: set[str] = set()
        rows: Rows | None = None
        if is_remote(self.folder) and not self.exist(shard):
            return None
        for definition in self._stages:
            path = self.path(definition.name, shard)
            rows = None
            if path.exists():
                key = self.configuration.key(definition.name, shard)
                try:
                    rows = read_table(path, definition.table, key).to_pylist()
                except DamagedTable:
                    return None
                failed |= failed_units(definition, rows)
            if definition.name == stage:
                break
        return None if rows is None else (rows, frozenset(failed))

    @property
    def _stages(self) -> tuple[Stage, ...]:
        return self.configuration.graph.stages


def failed_units(stage: Stage, rows: Iterable[Row]) -> set[str]:
    """The pairs (or situations) that a table of the stage says have failed, by their ids."""
    key = stage.unit.key
    if any(column.name == "error" for column in stage.table.columns):
        return {row[key] for row in rows if row["error"] is not None}
    return {row[key] for row in rows if row["status"] == "error"}


def run_again(
    earlier: tuple[Rows, frozenset[str]],
    order: Sequence[str],
    inputs: dict[str, Rows],
    run: Callable[[dict[str, Rows]], Rows],
    key: str = PAIR.key,
) -> Rows:
    """A stage's rows where only some pairs are tried again, in the order of a run over all pairs.

    Args:
        earlier: the rows of the last time and the ids of the pairs (or situations) to try again.
        order: the ids of all of the shard, in order.
        inputs: the whole input tables of the stage.
        run: the stage itself.
        key: the column of the ids.
    """
    rows, again = earlier
    mine = {name: [row for row in table if row[key] in again] for name, table in inputs.items()}
    places = {name: place for place, name in enumerate(order)}
    kept = [row for row in rows if row[key] not in again]
    # Sorting is stable: the rows of one pair stay in the stage's own order.
    return sorted([*kept, *run(mine)], key=lambda row: places[row[key]])
