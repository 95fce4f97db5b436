"""One owner for each piece of work in a store, and none that holds it after its end.

A claim is a small file that names its owner (host, process, start of the process) and is touched
again and again for as long as the owner works: a lease of the library filelock.
A dead owner on this host is known by its process, one on another host by its heart, which beats no
more; so a store may be shared between hosts.

A claim saves work, and correctness does not hang on it: whoever does the same work publishes the
same bytes under the same name.
So an owner that was stopped for minutes, and lost its claim meanwhile, does no harm when it wakes.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from filelock import FileLock, LeaseSettingsMismatch, SoftFileLease, Timeout

from qsquared.errors import StoreError
from qsquared.storage.files.locks.object_leases import ObjectLease
from qsquared.storage.files.places import is_remote, make_folder
from qsquared.storage.store import Store

logger = logging.getLogger("qsquared")

LEASE_SECONDS = 120.0
"""An owner on another host that has not been heard of for so long is taken for dead.

All processes that share a store have to agree on it.
"""

_HEARTBEAT_SECONDS = 15.0
_UNSIGNED_SECONDS = 10.0
"""A claim that names nobody for so long was left by a process that died while it was made."""

_SILENT_WAIT_SECONDS = 1.0
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a claim."""

    pid: int
    host: str

    def __str__(self) -> str:
        # filelock adds the namespace of a container's processes after a question mark.
        return f"process {self.pid} on {self.host.partition('?')[0] or 'an unnamed host'}"


def _lives_here(owner: Owner, own: Owner | None) -> bool:
    """Whether an owner is a process of this host, as ``own`` is, and runs."""
    if own is None or owner.host != own.host:
        return False
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Claim:
    """The right to do a piece of work, for one process at a time; to be used from one thread."""

    def __init__(self, store: Store, name: str) -> None:
        folder = store.root / "locks"
        make_folder(folder)
        self.path = folder / f"{name}.lock"
        self.previous: Owner | None = None
        """Whose claim this was until it was taken over, where the last `take` did so."""
        self._unsigned_since: float | None = None
        self._lease: SoftFileLease | ObjectLease
        if is_remote(folder):
            self._lease = ObjectLease(
                self.path, LEASE_SECONDS, _HEARTBEAT_SECONDS, on_loss=self._tell_loss
            )
        else:
            self._lease = SoftFileLease(
                self.path,
                lease_duration=LEASE_SECONDS,
                heartbeat_interval=_HEARTBEAT_SECONDS,
                on_compromise=lambda loss: self._tell_loss(str(loss.reason)),
            )

    @property
    def owner(self) -> Owner | None:
        """Who holds the claim now, dead or alive; None if nobody does."""
        found = self._lease.owner
        return None if found is None else Owner(found.pid, found.hostname)

    @property
    def is_held(self) -> bool:
        """Whether an owner in a remote store is at work, as far as one can tell from here."""
        return isinstance(self._lease, ObjectLease) and self._lease.is_held

    def take(self) -> bool:
        """Take the claim if it is free or its owner is dead; False if somebody else has it.

        To be called again and again by who waits: whether an owner on another host still lives is
        known only after a while.

        Raises:
            StoreError: the claim was made under other terms, by another version of this program.
        """
        before = self.owner
        try:
            self._acquire()
        except Timeout:
            self._break_unsigned()
            return False
        except LeaseSettingsMismatch as error:
            raise StoreError(
                f"{self.path} was made by another version of this program: {error}",
                "Let all processes that share the store be of one version, then run the command again.",
            ) from error
        self._unsigned_since = None
        # An owner that lives gave the claim back a moment ago.
        self.previous = None if before is None or _lives_here(before, self.owner) else before
        return True

    def _acquire(self) -> None:
        if isinstance(self._lease, ObjectLease):
            self._lease.acquire()
        else:
            self._lease.acquire(blocking=False)

    def release(self) -> None:
        """Give the claim back; nothing happens where it is not held."""
        self._lease.release()

    def _break_unsigned(self) -> None:
        """Free a claim that stays empty: filelock leaves it alone, but its maker was killed."""
        if isinstance(self._lease, ObjectLease):
            return
        try:
            empty = self.path.stat().st_size == 0
        except FileNotFoundError:
            empty = False
        now = time.monotonic()
        if not empty:
            self._unsigned_since = None
        elif self._unsigned_since is None:
            self._unsigned_since = now
        elif now - self._unsigned_since >= _UNSIGNED_SECONDS:
            logger.warning("The lock %s names no owner and is removed.", self.path)
            self._lease.force_break()
            self._unsigned_since = None

    def _tell_loss(self, reason: str) -> None:
        # Called by the thread of the heartbeat. The work goes on, since its result is right anyway.
        logger.warning(
            "The lock %s was lost (%s); another process may do the same work.",
            self.path,
            reason,
        )


def reading_alone(store: Store) -> AbstractContextManager[None]:
    """Within, no other process reads a log into the store."""
    return _exclusively(store, ".ingest.lock", "reads a log into")


def planning_alone(store: Store) -> AbstractContextManager[None]:
    """Within, no other process puts pairs into shards."""
    return _exclusively(store, ".plan.lock", "plans shards in")


@contextmanager
def _exclusively(store: Store, name: str, doing: str) -> Iterator[None]:
    """The lock is the kernel's and ends with its owner; who has to wait is told.

    In a remote store, where there is no such lock, it is a claim.
    """
    if is_remote(store.root):
        with _claimed(Claim(store, name.strip(".").removesuffix(".lock")), store, doing):
            yield
        return
    lock = FileLock(store.root / name)
    try:
        lock.acquire(timeout=_SILENT_WAIT_SECONDS)
    except Timeout:
        logger.warning("Another process %s the store %s; waiting for it.", doing, store.root)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _claimed(claim: Claim, store: Store, doing: str) -> Iterator[None]:
    began = time.monotonic()
    told = False
    while not claim.take():
        if not told and time.monotonic() - began > _SILENT_WAIT_SECONDS:
            logger.warning("%s %s the store %s; waiting.", claim.owner, doing, store.root)
            told = True
        # Those who wait should not all ask at the same moments.
        time.sleep(_POLL_SECONDS * random.uniform(0.5, 1.5))
    try:
        yield
    finally:
        claim.release()
