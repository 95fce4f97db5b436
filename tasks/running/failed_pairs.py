"""Retry the failed pairs of a shard and keep the rows of its other pairs.

A table with failed pairs is set aside, so that its stage counts as missing, and serves once more
when the stage runs again: the rows of sound pairs are taken from it.
It stays until the shard is complete, so a retry that is killed goes on with the same command.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qsquared.storage.files.atomic import move_within
from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.files.places import is_remote, objects_below
from qsquared.storage.tables.registry import PAIR
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.stage import Row, Rows, Stage


@dataclass(frozen=True, slots=True)
class EarlierTables:
    """Tables that were set aside, in a folder of the store outside of its tables."""

    folder: Path
    configuration: Configuration

    def path(self, stage: str, shard: str) -> Path:
        """Return the path of a stage's earlier table."""
        return self.folder / f"{stage}.{self.configuration.lineages[stage]}.{shard}.parquet"

    def exist(self, shard: str) -> bool:
        """Whether a shard has earlier tables."""
        # One question to a server in the place of one for each stage.
        if is_remote(self.folder):
            names = {path.name for path in objects_below(self.folder)}
            return any(self.path(stage.name, shard).name in names for stage in self._stages)
        return any(self.path(stage.name, shard).exists() for stage in self._stages)

    def set_aside(self, stage: str, shard: str, table: Path) -> None:
        """Move a stage's table out of the store's tables."""
        move_within(table, self.path(stage, shard))

    def forget(self, shard: str) -> None:
        """Remove the earlier tables of a shard."""
        if not self.exist(shard):
            return
        for stage in self._stages:
            self.path(stage.name, shard).unlink(missing_ok=True)

    def find(self, stage: str, shard: str) -> tuple[Rows, frozenset[str]] | None:
        """Return a stage's earlier rows and the ids of the pairs whose rows are out of date.

        These pairs had failed in the stage or in one before, which was repaired since.
        ``None`` where no table was set aside, or a damaged one: then the whole stage runs.
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
    """Return the ids of the pairs (or situations) that failed, by a table of the stage."""
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
    """Run a stage for some pairs; return the rows of all, in the order of a run over all pairs.

    Args:
        earlier: the earlier rows and the ids of the pairs (or situations) to try again.
        order: the ids of all of the shard, in order.
        inputs: the whole input tables of the stage.
        run: the stage itself.
        key: the column of the ids.
    """
    rows, again = earlier
    retried = {name: [row for row in table if row[key] in again] for name, table in inputs.items()}
    positions = {name: position for position, name in enumerate(order)}
    kept = [row for row in rows if row[key] not in again]
    # Sorting is stable: the rows of one pair stay in the stage's own order.
    return sorted([*kept, *run(retried)], key=lambda row: positions[row[key]])
