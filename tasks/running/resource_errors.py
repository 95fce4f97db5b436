"""Errors of a stage that ran out of memory or disk space, and the batches that memory made smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsquared.errors import NoMemoryError, Q2Error, first_line
from qsquared.language.running.memory import is_out_of_memory
from qsquared.storage.files.space import no_space

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qsquared.language.models import Models
    from qsquared.tasks.running.stage_runner import StagePaths

_HINT = (
    "Close other programs, or use a machine with more memory or another --device, and run the same "
    "command again: it goes on where it stopped."
)


def shortage(error: Exception, paths: StagePaths, stage: str, shard: str) -> Q2Error | None:
    """Return the error of a stage as a shortage of memory or space; ``None`` if it is neither."""
    if isinstance(error, NoMemoryError) or is_out_of_memory(error):
        said = error.message if isinstance(error, NoMemoryError) else first_line(error)
        return NoMemoryError(
            f"Memory ran out in the stage {stage} on the shard {shard}: {said}", _HINT
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
