"""Which shards a run needs, which of them are left to score, and who scores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from qsquared.errors import StoreError
from qsquared.flows.running.shard_claims import claimed, free_finished
from qsquared.flows.watching.progress import observer
from qsquared.storage.files.locks.claims import ingest_lock
from qsquared.storage.outputs.selection import Selection, turns_by_shard
from qsquared.storage.records.shards import ShardRef, plan_shards
from qsquared.storage.tables.units import ScoredUnit
from qsquared.tasks.running.stage_runner import Job, StageRunner, open_job


@dataclass(slots=True)
class Plan:
    """The shards of a run: all that it needs, those not finished, and the turns of each.

    Where some metrics score pairs and others situations, a turn is in a shard of either; it is told
    as one turn, half of which is done with the first.
    """

    selection: Selection
    shards: tuple[str, ...]
    unfinished: tuple[str, ...]
    turns: dict[str, int]
    unfinished_pairs: int
    """Pairs in the unfinished shards; with a limit more than the selected turns need."""
    units: int = 1
    _halves: int = 0

    @property
    def all_turns(self) -> int:
        """Turns that have something to score."""
        return sum(self.turns.values()) // self.units

    @property
    def reused_turns(self) -> int:
        """Turns whose shard was finished before the run."""
        return self.all_turns - sum(self.turns[s] for s in self.unfinished) // self.units

    def tell_scored(self, shard: str) -> None:
        """Tell whoever watches that a shard is scored."""
        turns, self._halves = divmod(self._halves + self.turns[shard], self.units)
        observer().scored(turns)


def plan_run(job: Job, inputs: Sequence[str], limit: int | None, retry_errors: bool) -> Plan:
    """Put new pairs into shards and check which shards are finished, file by file."""
    plan = make_plan(open_job(job), Selection(tuple(inputs), limit), retry_errors)
    observer().planned(plan.all_turns, plan.reused_turns, plan.unfinished_pairs)
    return plan


def make_plan(bench: StageRunner, selection: Selection, retry_errors: bool = False) -> Plan:
    """Which shards the selected turns need, and which of them are not finished.

    With ``retry_errors`` a shard with a failed pair is unfinished from the failed stage on.
    """
    planned = {unit: _plan_shards(bench, selection, unit) for unit in bench.units}
    shards = [shard for of_unit in planned.values() for shard in of_unit]
    keys = [shard.key for shard in shards]
    if retry_errors:
        with closing(claimed(bench.store, keys)) as free:
            for key in free:
                bench.forget_errors(key)
    unfinished = [key for key in keys if bench.missing_stages(key)]
    turns = dict.fromkeys(keys, 0)
    for unit, of_unit in planned.items():
        turns |= turns_by_shard(bench.store, selection, [shard.key for shard in of_unit], unit)
    left = set(unfinished)
    free_finished(bench.store, set(keys) - left)
    pairs = sum(shard.pairs for shard in shards if shard.key in left)
    return Plan(selection, tuple(keys), tuple(unfinished), turns, pairs, len(planned))


def _plan_shards(bench: StageRunner, selection: Selection, unit: ScoredUnit) -> list[ShardRef]:
    plan = partial(
        plan_shards, bench.store, selection.inputs, bench.shard_size, selection.limit, unit=unit
    )
    try:
        return plan()
    except StoreError:
        # A process that reads further in a log replaces its turns a moment before its manifest.
        with ingest_lock(bench.store.root):
            return plan()


@contextmanager
def shards_to_score(job: Job, plan: Plan) -> Iterator[Iterator[str]]:
    """The unfinished shards, each held for this process while the caller works on it.

    One that another process has finished since the plan was made is counted and left out.
    """
    bench = open_job(job)

    def unfinished(shards: Iterator[str]) -> Iterator[str]:
        for shard in shards:
            if bench.missing_stages(shard):
                yield shard
            plan.tell_scored(shard)

    with closing(claimed(bench.store, plan.unfinished)) as shards:
        yield unfinished(shards)
