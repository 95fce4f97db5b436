"""A stage that ran out of memory or room, as a sentence that says where and how to go on."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from qsquared.errors import NoMemoryError, Q2Error, first_line
from qsquared.language.running.memory import is_out_of_memory
from qsquared.storage.files.space import no_space
from qsquared.storage.store import Store
from qsquared.tasks.jobs.configuration import Configuration

_HINT = (
    "Close other programs, or use a machine with more memory or another --device, and run the same "
    "command again: it goes on where it stopped."
)


class Bench(Protocol):
    """What a shortage is told of."""

    store: Store
    configuration: Configuration

    def path(self, stage: str, shard: str) -> Path:
        """Where a stage's output on a shard lies."""
        ...


def shortage(error: Exception, bench: Bench, stage: str, shard: str) -> Q2Error | None:
    """The error of a stage told as a shortage of memory or of room; ``None`` if it is neither."""
    if isinstance(error, NoMemoryError) or is_out_of_memory(error):
        said = error.message if isinstance(error, NoMemoryError) else first_line(error)
        return NoMemoryError(
            f"Memory ran out in the stage {stage} on the shard {shard}: {said}", _HINT
        )
    full = no_space(error, bench.store.root, bytes_needed(bench))
    if full is None:
        return None
    return type(full)(
        f"The stage {stage} of the shard {shard} was not kept. {full.message}", full.hint
    )


def bytes_needed(bench: Bench) -> int | None:
    """About how many bytes the stages that shards still lack will take; ``None`` if unknown.

    Each stage is taken to need on every shard what it needed on those that have it.
    """
    shards = [path.stem for path in bench.store.root.glob("pairs/[!.]*.parquet")]
    needed = 0.0
    for stage in bench.configuration.graph.stages:
        files = [bench.path(stage.name, shard) for shard in shards]
        sizes = [path.stat().st_size for path in files if path.exists()]
        if not sizes:
            return None
        needed += sum(sizes) / len(sizes) * (len(shards) - len(sizes))
    return round(needed)
