"""Leases in an object store, which has neither locks nor renames.

A claim is a folder, and its owner has an object in it that names the owner and is rewritten as long
as the owner works.
The objects are numbered.
To take a claim, a process creates the object with the next number, which the server allows only
once (a conditional write), and then lists the folder once more: a process that sees another living
owner withdraws.
Of two processes that created different numbers the later one sees the other, so two never hold a
claim.
The object of a dead owner blocks nobody, since the next number is free; so no object is ever
removed that a living owner may just have written.

This relies on conditional writes and on listings that show every object that was written before (as
S3, GCS and Azure have them), and across hosts on clocks that agree to a minute.
On a server without conditional writes two processes may now and then hold a claim, which costs work
and changes no result.
"""

import json
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from filelock import Timeout

from qsquared.errors import UnreachableError
from qsquared.storage.files.processes import HOST, PROCESS, may_be_running
from qsquared.storage.files.remote_paths import get, objects_below, put, put_if_absent, reaching

logger = logging.getLogger("qsquared")


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that wrote an object of a claim; ``written_at`` is a Unix time."""

    path: Path
    lease: str
    hostname: str
    pid: int
    process: str
    written_at: float


def _hostname() -> str:
    """Return this host and, after a question mark, its name with the PID namespace."""
    return f"{socket.gethostname()}?{HOST}"


@dataclass(eq=False)
class ObjectLease:
    """A lease in a folder of a remote store, with the methods of filelock's leases on files.

    Args:
        folder: the claim.
        seconds: how long an owner on another host may be silent before it counts as dead.
        heartbeat: seconds between two signs of life.
        on_loss: called with the reason when another process has taken the claim over.
        clock: gives the Unix time.
    """

    folder: Path
    seconds: float
    heartbeat: float
    on_loss: Callable[[str], None]
    clock: Callable[[], float] = time.time
    _lease: str = field(default_factory=lambda: secrets.token_hex(8))
    _mine: Path | None = None
    _ended: threading.Event = field(default_factory=threading.Event)
    _heart: threading.Thread | None = None

    @property
    def owner(self) -> Holder | None:
        """The owner of the claim; a live owner takes precedence over a dead one."""
        holders = self._holders()
        living = [holder for holder in holders if self._lives(holder)]
        return next(iter(living or holders[::-1]), None)

    @property
    def is_held(self) -> bool:
        """Whether a living owner has the claim."""
        return any(map(self._lives, self._holders()))

    def acquire(self) -> None:
        """Take the claim.

        Raises:
            Timeout: another process has it or is taking it.
            UnreachableError: the store cannot be reached.
        """
        if self._mine is not None:
            return
        before = self._holders()
        if any(map(self._lives, before)):
            raise Timeout(str(self.folder))
        number = max((int(holder.path.name) for holder in before), default=-1) + 1
        mine = self.folder / f"{number:06d}"
        if not put_if_absent(self._content(), mine) and not self._is_mine(mine):
            raise Timeout(str(self.folder))
        now = self._holders()
        if any(h.lease != self._lease and self._lives(h) for h in now):
            if any(h.lease == self._lease for h in now):
                _remove(mine)
            raise Timeout(str(self.folder))
        for holder in before:
            _remove(holder.path)
        self._mine = mine
        self._ended.clear()
        self._heart = threading.Thread(target=self._beat, args=(mine,), daemon=True)
        self._heart.start()

    def release(self) -> None:
        """Give the claim back; without a claim nothing happens."""
        if self._mine is None:
            return
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        _remove(self._mine)
        self._mine = None

    def _content(self) -> bytes:
        content = {
            "lease": self._lease,
            "hostname": _hostname(),
            "pid": os.getpid(),
            "process": PROCESS,
            "at": self.clock(),
        }
        return json.dumps(content).encode("ascii")

    def _lives(self, holder: Holder) -> bool:
        """Whether the owner is at work, as far as this host can know."""
        return may_be_running(
            holder.pid,
            here=holder.hostname == _hostname(),
            process=holder.process,
            silent=self.clock() - holder.written_at,
            patience=self.seconds,
        )

    def _is_mine(self, path: Path) -> bool:
        """Whether an existing object is our own, written by a request that was sent twice."""
        lease = _read(path)
        return lease is not None and lease.lease == self._lease

    def _holders(self) -> list[Holder]:
        paths = [path for path in objects_below(self.folder) if path.name.isdecimal()]
        return [holder for path in paths if (holder := _read(path)) is not None]

    def _beat(self, mine: Path) -> None:
        while not self._ended.wait(self.heartbeat):
            try:
                if not self._is_mine(mine):
                    self.on_loss("it was taken over")
                    return
                put(self._content(), mine)
            except UnreachableError as error:
                logger.warning("The claim %s could not be renewed: %s", mine, error.message)


def _read(path: Path) -> Holder | None:
    """Return the writer of an object, None if the object is gone."""
    try:
        content = json.loads(get(path))
        return Holder(
            path, str(content["lease"]), str(content["hostname"]), int(content["pid"]),
            str(content["process"]), float(content["at"]),
        )  # fmt: skip
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        # This program did not write it, and it blocks nobody.
        return Holder(path, "", "", 0, "", 0.0)


def _remove(path: Path) -> None:
    with reaching(path):
        path.unlink(missing_ok=True)
