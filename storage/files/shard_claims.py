"""Claims and locks by which processes share the work in a store.

A claim is a small file that names its owner (host, process, start of the process) and is touched
again and again for as long as the owner works: a lease of the library filelock.
A dead owner on this host is recognised by its process, one on another host by its heartbeat, which
has stopped; so hosts may share a store.

A claim saves work, and correctness does not depend on it: processes that do the same work
publish the same bytes under the same name.
So an owner that was stopped for minutes, and lost its claim meanwhile, does no harm when it wakes.
"""

import logging
import math
import random
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, LeaseSettingsMismatch, SoftFileLease, Timeout

from qsquared.errors import StoreError
from qsquared.storage.files.object_leases import ObjectLease
from qsquared.storage.files.processes import PID_NAMESPACE, is_running, may_be_running
from qsquared.storage.files.remote_paths import is_remote, make_folder

logger = logging.getLogger("qsquared")

LEASE_SECONDS = 120.0
"""Silence after which an owner on another host counts as dead.

All processes that share a store have to agree on it.
"""

_HEARTBEAT_SECONDS = 15.0
_UNSIGNED_SECONDS = 10.0
"""Time after which a claim without an owner's name was left by a process that died making it."""

_INITIAL_PID_NAMESPACE = 0xEFFFFFFC
"""The namespace of a host outside all containers (Linux), which filelock does not record."""

RUN = "run-"
"""Begins the names of the claims that runs hold."""

_INGEST = "ingest"
_SILENT_WAIT_SECONDS = 1.0
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that holds a claim."""

    pid: int
    host: str

    def __str__(self) -> str:
        # filelock adds the namespace of a container's processes after a question mark.
        return f"process {self.pid} on {self.host.partition('?')[0] or 'an unnamed host'}"


def _is_here(owner: Owner) -> bool:
    """Whether the owner of a claim on disk belongs to this host, as filelock names it."""
    name, _, namespace = owner.host.partition("?pidns-")
    suffix = "" if PID_NAMESPACE in {None, _INITIAL_PID_NAMESPACE} else f"{PID_NAMESPACE:x}"
    return name == socket.gethostname() and namespace == suffix


class Claim:
    """The right to do a piece of work, for one process at a time; to be used from one thread."""

    def __init__(self, root: Path, name: str) -> None:
        folder = root / "locks"
        self.path = folder / f"{name}.lock"
        self.previous: Owner | None = None
        """The dead owner from whom the last `take` took the claim over, if it did."""
        self._unsigned_since: float | None = None
        self._lease: SoftFileLease | ObjectLease
        if is_remote(folder):
            self._lease = ObjectLease(
                self.path, LEASE_SECONDS, _HEARTBEAT_SECONDS, on_loss=self._warn_of_loss
            )
        else:
            self._lease = SoftFileLease(
                self.path,
                lease_duration=LEASE_SECONDS,
                heartbeat_interval=_HEARTBEAT_SECONDS,
                on_compromise=lambda loss: self._warn_of_loss(str(loss.reason)),
            )

    @property
    def owner(self) -> Owner | None:
        """The holder of the claim, dead or alive; None if the claim is free."""
        owner = self._lease.owner
        return None if owner is None else Owner(owner.pid, owner.hostname)

    @property
    def is_abandoned(self) -> bool:
        """Whether the claim exists and its owner is dead, as far as this host can know."""
        owner = self.owner
        if isinstance(self._lease, ObjectLease):
            return owner is not None and not self._lease.is_held
        try:
            silent = time.time() - self.path.stat().st_mtime
        except FileNotFoundError:
            return False
        return owner is None or not may_be_running(
            owner.pid, here=_is_here(owner), process="", silent=silent, patience=LEASE_SECONDS
        )

    def take(self) -> bool:
        """Take the claim if it is free or its owner is dead; False if somebody else has it.

        A process that waits calls this again and again: whether an owner on another host still runs
        is known only after a while.

        Raises:
            StoreError: the claim was made under other terms, by another version of this program.
        """
        make_folder(self.path.parent)
        before = self.owner
        try:
            if isinstance(self._lease, ObjectLease):
                self._lease.acquire()
            else:
                self._lease.acquire(blocking=False)
        except Timeout:
            self._break_unsigned()
            return False
        except LeaseSettingsMismatch as error:
            raise StoreError(
                f"{self.path} was made by another version of this program: {error}",
                "Let all processes that share the store be of one version, then run the command again.",
            ) from error
        self._unsigned_since = None
        owner = self.owner
        self.previous = before
        if before is not None and owner is not None and before.host == owner.host:
            # A running owner gave the claim back a moment ago.
            self.previous = None if is_running(before.pid) else before
        return True

    def release(self) -> None:
        """Give the claim back; without a claim nothing happens."""
        self._lease.release()

    def _break_unsigned(self) -> None:
        """Remove a claim that stays empty since its maker was killed, which filelock would keep."""
        if isinstance(self._lease, ObjectLease):
            return
        try:
            empty = self.path.stat().st_size == 0
        except FileNotFoundError:
            empty = False
        # By this process's own clock: that of a shared disk may differ, and a claim made just now is empty, too.
        now = time.monotonic()
        if not empty:
            self._unsigned_since = None
        elif self._unsigned_since is None:
            self._unsigned_since = now
        elif now - self._unsigned_since >= _UNSIGNED_SECONDS:
            logger.warning("The lock %s names no owner and is removed.", self.path)
            self._lease.force_break()
            self._unsigned_since = None

    def _warn_of_loss(self, reason: str) -> None:
        # Called by the thread of the heartbeat. The work goes on, since its result is right anyway.
        message = "The lock %s was lost (%s); another process may do the same work."
        logger.warning(message, self.path, reason)


def abandoned_claims(root: Path, names: str = "*") -> Iterator[tuple[Path, str]]:
    """Yield the path of each claim of a store whose owner is dead, and the owner's name."""
    for path in sorted((root / "locks").glob(f"{names}.lock")):
        claim = Claim(root, path.stem)
        if claim.is_abandoned:
            yield path, str(claim.owner or "nobody")


def run_claim(root: Path, run_id: str) -> Claim:
    """Return the claim that a run holds as long as it lives."""
    return Claim(root, f"{RUN}{run_id}")


def is_dead_run(root: Path, record: Mapping[str, Any]) -> bool:
    """Whether a run whose record says that it is running was killed."""
    if record.get("status") != "running":
        return False
    claim = run_claim(root, record["run_id"])
    return claim.owner is None or claim.is_abandoned


def ingest_lock(root: Path) -> AbstractContextManager[None]:
    """Keep other processes from reading a log into the store meanwhile."""
    return _exclusively(root, _INGEST, "reads a log into")


def is_being_read_into(root: Path) -> bool:
    """Whether a process holds the `ingest_lock` of a store, as far as this process may know."""
    if is_remote(root):
        return Claim(root, _INGEST).owner is not None
    try:
        with FileLock(root / f".{_INGEST}.lock", timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def planning_lock(root: Path) -> AbstractContextManager[None]:
    """Keep other processes from putting pairs into shards meanwhile."""
    return _exclusively(root, "plan", "plans shards in")


@contextmanager
def _exclusively(root: Path, name: str, doing: str) -> Iterator[None]:
    """Hold the kernel's lock, which ends with its owner, or a claim in a remote store.

    A process that has to wait says so in the log.
    """
    lock: Claim | FileLock
    if is_remote(root):
        lock = Claim(root, name)
        _wait_for(lock, root, doing)
    else:
        lock = FileLock(root / f".{name}.lock")
        try:
            lock.acquire(timeout=_SILENT_WAIT_SECONDS)
        except Timeout:
            logger.warning("Another process %s the store %s; waiting for it.", doing, root)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _wait_for(claim: Claim, root: Path, doing: str) -> None:
    silent_until: float = time.monotonic() + _SILENT_WAIT_SECONDS
    while not claim.take():
        if time.monotonic() > silent_until:
            logger.warning("%s %s the store %s; waiting.", claim.owner, doing, root)
            silent_until = math.inf
        # Processes that wait should not all ask at the same moments.
        time.sleep(_POLL_SECONDS * random.uniform(0.5, 1.5))
