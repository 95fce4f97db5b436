"""Leases in a store that has neither locks nor renames: objects that are written again and again.

A claim is a folder, and whoever holds it has an object in it that says who it is and is written
anew as long as its owner works.
The objects are numbered.
To take a claim, an object with the next number is created, which the server allows to one only (a
conditional write), and then the folder is looked at once more: whoever sees another living owner
there withdraws.
Of two who created different numbers the later one sees the other, so two never hold a claim.
The object of a dead owner is in nobody's way, since the next number is free; so nothing is ever
removed that a living owner may just have put there.

It rests on conditional writes and on listings that show every object that was written before (as
S3, GCS and Azure have them), and across hosts on clocks that agree to a minute.
On a server without conditional writes two may now and then hold a claim, which costs work and
changes no result.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from qsquared.errors import UnreachableError
from qsquared.storage.files.places import get, objects_below, put, put_if_absent, reaching
from qsquared.storage.files.processes import HOST, PROCESS, may_run

logger = logging.getLogger("qsquared")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who wrote an object of a claim: ``at`` is when it did so last (Unix time, its own clock)."""

    path: Path
    lease: str
    hostname: str
    pid: int
    process: str
    at: float

    def lives(self, seconds: float) -> bool:
        """Whether the owner is at work, as far as this host can know."""
        return may_run(
            self.pid,
            here=self.hostname == _hostname(),
            process=self.process,
            silent=time.time() - self.at,
            patience=seconds,
        )


def _hostname() -> str:
    """This host and, after a question mark, its numbering of processes."""
    return f"{socket.gethostname()}?{HOST}"


class ObjectLease:
    """A lease in a folder of a remote store, in the manner of filelock's leases on files."""

    def __init__(
        self, folder: Path, seconds: float, heartbeat: float, on_loss: Callable[[str], None]
    ) -> None:
        self._folder = folder
        self._seconds = seconds
        self._heartbeat = heartbeat
        self._on_loss = on_loss
        self._lease = secrets.token_hex(8)
        self._mine: Path | None = None
        self._ended = threading.Event()
        self._heart: threading.Thread | None = None

    @property
    def owner(self) -> Holder | None:
        """Who has the claim, dead or alive; the living before the dead."""
        holders = self._holders()
        living = [holder for holder in holders if holder.lives(self._seconds)]
        return next(iter(living or holders[::-1]), None)

    @property
    def is_held(self) -> bool:
        """Whether a living owner has the claim."""
        return any(holder.lives(self._seconds) for holder in self._holders())

    def acquire(self) -> None:
        """Take the claim.

        Raises:
            Timeout: somebody has it, or takes it just now.
            UnreachableError: the store cannot be reached.
        """
        if self._mine is not None:
            return
        found = self._holders()
        if any(holder.lives(self._seconds) for holder in found):
            raise Timeout(str(self._folder))
        number = max((int(holder.path.name) for holder in found), default=-1) + 1
        mine = self._folder / f"{number:06d}"
        if not put_if_absent(self._words(), mine) and not self._is_mine(mine):
            raise Timeout(str(self._folder))
        now = self._holders()
        if any(h.lease != self._lease and h.lives(self._seconds) for h in now):
            if any(h.lease == self._lease for h in now):
                _remove(mine)
            raise Timeout(str(self._folder))
        for holder in found:
            _remove(holder.path)
        self._mine = mine
        self._ended.clear()
        self._heart = threading.Thread(target=self._beat, args=(mine,), daemon=True)
        self._heart.start()

    def release(self) -> None:
        """Give the claim back; nothing happens where it is not held."""
        if self._mine is None:
            return
        self._ended.set()
        if self._heart is not None:
            self._heart.join()
        _remove(self._mine)
        self._mine = None

    def force_break(self) -> None:
        """Remove whatever is there."""
        for holder in self._holders():
            _remove(holder.path)

    def _words(self) -> bytes:
        words = {
            "lease": self._lease,
            "hostname": _hostname(),
            "pid": os.getpid(),
            "process": PROCESS,
            "at": time.time(),
        }
        return json.dumps(words).encode("ascii")

    def _is_mine(self, path: Path) -> bool:
        """Whether an object that was there already is one whose writing was tried twice."""
        found = _read(path)
        return found is not None and found.lease == self._lease

    def _holders(self) -> list[Holder]:
        paths = [path for path in objects_below(self._folder) if path.name.isdecimal()]
        return [holder for path in paths if (holder := _read(path)) is not None]

    def _beat(self, mine: Path) -> None:
        while not self._ended.wait(self._heartbeat):
            try:
                if not self._is_mine(mine):
                    self._on_loss("it was taken over")
                    return
                put(self._words(), mine)
            except UnreachableError as error:
                logger.warning("The claim %s could not be renewed: %s", mine, error.message)


def _read(path: Path) -> Holder | None:
    """Who wrote an object; None if it is gone, or names nobody."""
    try:
        told = json.loads(get(path))
        return Holder(
            path, str(told["lease"]), str(told["hostname"]), int(told["pid"]),
            str(told["process"]), float(told["at"]),
        )  # fmt: skip
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        # Nothing that this program wrote; it is in nobody's way.
        return Holder(path, "", "", 0, "", 0.0)


def _remove(path: Path) -> None:
    with reaching(path):
        path.unlink(missing_ok=True)
