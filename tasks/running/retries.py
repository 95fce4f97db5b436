"""Failures: steps that are worth another try, lack of memory or space, and pairs that failed.

A failure that may pass is tried again: a disk or network that fails for a moment, or a store that does
not answer.
One that cannot pass is not: a log or model that is wrong, a full disk, too little memory.

A pair on which a model failed is tried again where a person asks for it, and the rows of the other
pairs of its shard are kept.
A table with failed pairs is set aside, so that its stage counts as missing, and serves once more
when the stage runs again: the rows of sound pairs are taken from it.
It stays until the shard is complete, so a retry that is killed goes on with the same command.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsquared.errors import NoMemoryError, Q2Error, UnreachableError, first_line
from qsquared.language.neural.batches import is_out_of_memory
from qsquared.storage.files.file_errors import causes, no_space
from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.files.remote_paths import is_remote, objects_below
from qsquared.storage.tables import PAIR
from qsquared.tasks.jobs.stage_keys import Configuration
from qsquared.tasks.stage import Row, Rows, Stage

if TYPE_CHECKING:
    from qsquared.language.models import Models
    from qsquared.tasks.running.stage_runner import StagePaths

WAITS = [2.0, 4.0, 8.0]
"""Seconds before the second, third and fourth try, of a Prefect task and of a step without Prefect."""

JITTER = 0.5
"""Each wait is up to half as long again (with Prefect 0.63 to 1.5 times as long), so that workers that
failed together do not come back together."""

_LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
_SHORT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.ENOMEM}


def may_pass(error: BaseException) -> bool:
    """Whether the same work may well succeed a moment later."""
    chain = list(causes(error))
    return any(map(_passes, chain)) and not any(map(_lasts, chain))


def _passes(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return not isinstance(error, _LASTING) and error.errno not in _SHORT
    return isinstance(error, UnreachableError)


def _lasts(error: BaseException) -> bool:
    return isinstance(error, Q2Error) and not isinstance(error, UnreachableError)


def _worth_it(_task: Any, _run: Any, state: Any) -> bool:
    return isinstance(state.data, BaseException) and may_pass(state.data)


GPU_TAG = "gpu"
"""On tasks that use a GPU; a limit on this tag bounds how many run at once, over all workers."""


def tags_of(device: str, roles: tuple[str, ...]) -> list[str]:
    """Return the tags of a task whose stage has these models on this device, as torch names it."""
    return [GPU_TAG] if roles and device.partition(":")[0] != "cpu" else []


RETRIES: dict[str, Any] = {
    "retries": len(WAITS),
    "retry_delay_seconds": WAITS,
    "retry_jitter_factor": JITTER,
    "retry_condition_fn": _worth_it,
}
"""Options of a Prefect task: three more tries, after about 2, 4 and 8 seconds."""


_HINT = (
    "Close other programs, or use a machine with more memory or another --device, and run the same "
    "command again: it goes on where it stopped."
)


def shortage(error: Exception, paths: StagePaths, stage: str, shard: str) -> Q2Error | None:
    """Return the error of a stage as a shortage of memory or space; ``None`` if it is neither."""
    if isinstance(error, NoMemoryError) or is_out_of_memory(error):
        message = error.message if isinstance(error, NoMemoryError) else first_line(error)
        return NoMemoryError(
            f"Memory ran out in the stage {stage} on the shard {shard}: {message}", _HINT
        )
    full = no_space(error, paths.store.root, bytes_needed(paths))
    if full is None:
        return None
    return type(full)(
        f"The stage {stage} of the shard {shard} was not kept. {full.message}", full.hint
    )


def bytes_needed(paths: StagePaths) -> int | None:
    """Return about how many bytes the missing stages of all shards will take; ``None`` if unknown.

    Each stage is taken to need on every shard what it needed on those that have it.
    """
    shards = [path.stem for path in paths.store.root.glob("pairs/[!.]*.parquet")]
    needed = 0.0
    for stage in paths.configuration.graph.stages:
        files = [paths.path(stage.name, shard) for shard in shards]
        sizes = [path.stat().st_size for path in files if path.exists()]
        if not sizes:
            return None
        needed += sum(sizes) / len(sizes) * (len(shards) - len(sizes))
    return round(needed)


def smaller_batches(models: Models, roles: Iterable[str]) -> dict[str, int]:
    """Return role → rows a batch, where memory was too small for the usual number."""
    batches = {role: getattr(getattr(models, role), "batch", None) for role in roles}
    return {
        role: batch.size
        for role, batch in batches.items()
        if batch is not None and batch.size < batch.first_size
    }


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
