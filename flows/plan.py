"""Which shards a run needs, which of them are left to score, and who scores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from qsquared.errors import StoreError
from qsquared.flows.progress import observer
from qsquared.flows.sharing import claimed, free_finished
from qsquared.storage.locks import reading_alone
from qsquared.storage.results import Selection, turns_by_shard
from qsquared.storage.shards import ShardRef, plan_shards
from qsquared.tasks.workbench import Job, Workbench, open_job


@dataclass(frozen=True, slots=True)
class Plan:
    """The shards of a run: all that it needs, those not finished, and the turns of each."""

    selection: Selection
    shards: tuple[str, ...]
    unfinished: tuple[str, ...]
    turns: dict[str, int]
    unfinished_pairs: int
    """Pairs in the unfinished shards; with a limit more than the selected turns need."""

    @property
    def reused_turns(self) -> int:
        """Turns whose shard was finished before the run."""
        return sum(self.turns.values()) - sum(self.turns[shard] for shard in self.unfinished)


def plan_run(job: Job, inputs: Sequence[str], limit: int | None, retry_errors: bool) -> Plan:
    """Put new pairs into shards and check which shards are finished, file by file."""
    plan = make_plan(open_job(job), Selection(tuple(inputs), limit), retry_errors)
    observer().planned(sum(plan.turns.values()), plan.reused_turns, plan.unfinished_pairs)
    return plan


def make_plan(bench: Workbench, selection: Selection, retry_errors: bool = False) -> Plan:
    """Which shards the selected turns need, and which of them are not finished.

    With ``retry_errors`` a shard with a failed pair is unfinished from the failed stage on.
    """
    shards = _plan_shards(bench, selection)
    keys = [shard.key for shard in shards]
    if retry_errors:
        with closing(claimed(bench.store, keys)) as free:
            for key in free:
                bench.forget_errors(key)
    unfinished = [key for key in keys if bench.missing_stages(key)]
    turns = dict.fromkeys(keys, 0) | turns_by_shard(bench.store, selection, keys)
    left = set(unfinished)
    free_finished(bench.store, set(keys) - left)
    pairs = sum(shard.pairs for shard in shards if shard.key in left)
    return Plan(selection, tuple(keys), tuple(unfinished), turns, pairs)


def _plan_shards(bench: Workbench, selection: Selection) -> list[ShardRef]:
    plan = partial(plan_shards, bench.store, selection.inputs, bench.shard_size, selection.limit)
    try:
        return plan()
    except StoreError:
        # A process that reads further in a log replaces its turns a moment before its manifest.
        with reading_alone(bench.store):
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
            observer().scored(plan.turns[shard])

    with closing(claimed(bench.store, plan.unfinished)) as shards:
        yield unfinished(shards)
