"""Share the shards of a store among processes: each works on what nobody else has."""

from __future__ import annotations

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
    """Each shard once, and no other process works on it until the next one is asked for.

    Shards that others hold come last, when they are free again; whoever waits for them is told.
    To be closed by the caller, so that an error gives the last shard back at once.
    """
    left = [Claim(store.root, shard) for shard in shards]
    told: set[str] = set()
    while left:
        held = []
        for claim in left:
            stop_if_asked()
            if not claim.take():
                held.append(claim)
                continue
            try:
                if claim.previous is not None:
                    logger.warning(
                        "Shard %s is taken over from %s, which is gone.",
                        claim.path.stem,
                        claim.previous,
                    )
                yield claim.path.stem
            finally:
                claim.release()
        if len(held) == len(left):
            tell_owners(held, told)
            time.sleep(_POLL_SECONDS)
        left = held


def free_finished(store: Store, shards: Iterable[str]) -> None:
    """Remove what a process left that was killed between the last stage of a shard and its claim.

    Nobody asks for a finished shard again, so nobody else would take such a claim over.
    """
    locked = {path.stem for path in (store.root / "locks").glob("*.lock")}
    for shard in sorted(locked.intersection(shards)):
        claim = Claim(store.root, shard)
        if claim.take():
            claim.release()


def tell_owners(held: Collection[Claim], told: set[str]) -> None:
    """Say, once for each set of owners, for whom this process waits."""
    owners = sorted({str(owner) for claim in held if (owner := claim.owner) is not None})
    if owners and not told.issuperset(owners):
        told.update(owners)
        observer().waiting(len(held), ", ".join(owners))
