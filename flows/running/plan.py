"""Plans of runs: the shards that a run needs, those left to score, and the claims on them."""

import logging
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from qsquared.errors import StoreError
from qsquared.flows.running.progress import observer
from qsquared.flows.running.stopping import stop_if_asked
from qsquared.storage.files.shard_claims import Claim, ingest_lock
from qsquared.storage.outputs.selected_turns import Selection, turns_by_shard
from qsquared.storage.records.inputs.reply_statuses import read_replies
from qsquared.storage.records.shards import ShardRef, plan_shards
from qsquared.storage.store import Store
from qsquared.storage.tables import ScoredUnit
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.running.stage_runner import StageRunner, open_job

logger = logging.getLogger("qsquared")

_POLL_SECONDS = 0.5


def claimed(store: Store, shards: Sequence[str]) -> Generator[str]:
    """Yield each shard once; no other process works on it until the next one is asked for.

    Shards that others hold come last, when they are free again; the observer hears of the wait.
    To be closed by the caller, so that an error gives the last shard back at once.
    """
    left = [Claim(store.root, shard) for shard in shards]
    owners_shown: set[str] = set()
    while left:
        held = []
        for claim in left:
            stop_if_asked()
            if not claim.take():
                held.append(claim)
                continue
            if claim.previous is not None:
                logger.warning(
                    "The claim on %s is taken over from %s, which is gone.",
                    claim.path.stem,
                    claim.previous,
                )
            try:
                yield claim.path.stem
            finally:
                claim.release()
        if len(held) == len(left):
            _show_owners(held, owners_shown)
            time.sleep(_POLL_SECONDS)
        left = held


def free_finished(store: Store, shards: Iterable[str]) -> None:
    """Remove claims of processes that were killed after the last stage of a shard.

    Nobody asks for a finished shard again, so nobody else would take such a claim over.
    """
    locked = {path.stem for path in (store.root / "locks").glob("*.lock")}
    for shard in sorted(locked.intersection(shards)):
        claim = Claim(store.root, shard)
        if claim.take():
            claim.release()


def _show_owners(held: Collection[Claim], shown: set[str]) -> None:
    """Report to the observer whom this process waits for, if one of them was not named before."""
    owners = sorted({str(owner) for claim in held if (owner := claim.owner) is not None})
    if owners and not shown.issuperset(owners):
        shown.update(owners)
        observer().waiting(len(held), ", ".join(owners))


@dataclass(slots=True)
class Plan:
    """The shards that a run needs, those not finished, and the turns of each.

    Where some metrics score pairs and others situations, a turn is in one shard of each; it
    counts as one turn, half of which is done with the first.
    """

    selection: Selection
    shards: dict[str, int]
    """The shards with their numbers, from 1."""
    unfinished: tuple[str, ...]
    turns: dict[str, int]
    unfinished_pairs: int
    """Pairs in the unfinished shards, each once; with a limit more than the selected turns need.

    Where metrics score situations it is the number of these, if larger.
    """
    units: int = 1
    """Kinds of what is scored: pairs, situations (a pair with its dialogue), or both."""

    @property
    def all_turns(self) -> int:
        """The number of turns that have something to score."""
        return sum(self.turns.values()) // self.units

    @property
    def reused_turns(self) -> int:
        """The number of turns whose shard was finished before the run."""
        return self.all_turns - sum(self.turns[s] for s in self.unfinished) // self.units

    def name_of(self, shard: str) -> str:
        """The name of a shard for people: its number among those of the run."""
        return f"shard {self.shards[shard]:,} of {len(self.shards):,}"

    def share_of(self, shard: str) -> float:
        """The turns that a shard's work amounts to; half of its turns where two units share them."""
        return self.turns[shard] / self.units


def plan_run(job: Job, inputs: Sequence[str], limit: int | None, retry_errors: bool) -> Plan:
    """Read the replies without knowledge, put new pairs into shards, and check which shards are finished.

    A turn without knowledge gets its status in the store by what its reply says (`read_replies`), since a
    reply that claims nothing needs none.
    """
    for name in dict.fromkeys(inputs):
        read_replies(open_job(job).store, name)
    plan = make_plan(open_job(job), Selection(tuple(inputs), limit), retry_errors)
    observer().planned(plan.all_turns, plan.reused_turns, plan.unfinished_pairs)
    return plan


def make_plan(runner: StageRunner, selection: Selection, retry_errors: bool = False) -> Plan:
    """Return the shards that the selected turns need, and those of them that are not finished.

    With ``retry_errors`` a shard with a failed pair is unfinished from the failed stage on.
    """
    planned = {
        unit: _plan_shards(runner, selection, unit) for unit in runner.configuration.graph.units
    }
    shards = [shard for of_unit in planned.values() for shard in of_unit]
    keys = [shard.key for shard in shards]
    if retry_errors:
        with closing(claimed(runner.store, keys)) as free:
            for key in free:
                runner.set_failed_aside(key)
    unfinished = [key for key in keys if runner.missing_stages(key)]
    turns = dict.fromkeys(keys, 0)
    for unit, of_unit in planned.items():
        turns |= turns_by_shard(runner.store, selection, [shard.key for shard in of_unit], unit)
    left = set(unfinished)
    free_finished(runner.store, set(keys) - left)
    # A situation is a pair with its dialogue: both numbers count the same replies, and the one of
    # situations is the larger, since a pair may be in several.
    pairs = max(
        (
            sum(shard.units for shard in of_unit if shard.key in left)
            for of_unit in planned.values()
        ),
        default=0,
    )
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    return Plan(selection, numbers, tuple(unfinished), turns, pairs, len(planned))


def _plan_shards(runner: StageRunner, selection: Selection, unit: ScoredUnit) -> list[ShardRef]:
    plan = partial(
        plan_shards, runner.store, selection.inputs, runner.shard_size, selection.limit, unit=unit
    )
    try:
        return plan()
    except StoreError:
        # A process that reads further in a log replaces its turns a moment before its manifest.
        with ingest_lock(runner.store.root):
            return plan()


@contextmanager
def shards_to_score(job: Job, plan: Plan) -> Iterator[Iterator[str]]:
    """Yield the unfinished shards, each held for this process while the caller works on it.

    One that another process has finished since the plan was made is counted and left out.
    """
    runner = open_job(job)

    def unfinished(shards: Iterator[str]) -> Iterator[str]:
        for shard in shards:
            if runner.missing_stages(shard):
                yield shard
            observer().scored(plan.share_of(shard))

    with closing(claimed(runner.store, plan.unfinished)) as shards:
        yield unfinished(shards)
