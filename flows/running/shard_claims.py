"""Claims that share the shards of a store among processes."""

import logging
import time
from collections.abc import Collection, Generator, Iterable, Sequence

from qsquared.flows.running.stopping import stop_if_asked
from qsquared.flows.watching.progress import observer
from qsquared.storage.files.locks.claims import Claim
from qsquared.storage.store import Store

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
            if not take(claim):
                held.append(claim)
                continue
            try:
                yield claim.path.stem
            finally:
                claim.release()
        if len(held) == len(left):
            show_owners(held, owners_shown)
            time.sleep(_POLL_SECONDS)
        left = held


def take(claim: Claim) -> bool:
    """Take a claim and tell in the log from whom, if its owner is gone; False where it is held."""
    if not claim.take():
        return False
    if claim.previous is not None:
        logger.warning(
            "Shard %s is taken over from %s, which is gone.", claim.path.stem, claim.previous
        )
    return True


def free_finished(store: Store, shards: Iterable[str]) -> None:
    """Remove claims of processes that were killed after the last stage of a shard.

    Nobody asks for a finished shard again, so nobody else would take such a claim over.
    """
    locked = {path.stem for path in (store.root / "locks").glob("*.lock")}
    for shard in sorted(locked.intersection(shards)):
        claim = Claim(store.root, shard)
        if claim.take():
            claim.release()


def show_owners(held: Collection[Claim], shown: set[str]) -> None:
    """Report to the observer, once for each set of owners, whom this process waits for."""
    owners = sorted({str(owner) for claim in held if (owner := claim.owner) is not None})
    if owners and not shown.issuperset(owners):
        shown.update(owners)
        observer().waiting(len(held), ", ".join(owners))
