"""Locks of a store whose owner is dead."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

from qsquared.storage.files.locks.claims import LEASE_SECONDS, Claim
from qsquared.storage.files.places import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from qsquared.storage.store import Store


def dead_locks(store: Store) -> Iterator[tuple[Path, str]]:
    """Find the locks whose owner is dead; give each with its owner in words."""
    for path in sorted((store.root / "locks").glob("*.lock")):
        claim = Claim(store, path.stem)
        owner = claim.owner
        if is_remote(path):
            if owner is not None and not claim.is_held:
                yield path, str(owner)
        elif owner is None or _is_dead(path, owner.pid, owner.host.partition("?")[0]):
            yield path, str(owner or "nobody")


def _is_dead(path: Path, pid: int, host: str) -> bool:
    try:
        if host != socket.gethostname():
            return time.time() - path.stat().st_mtime > LEASE_SECONDS
        os.kill(pid, 0)
    except (ProcessLookupError, FileNotFoundError):
        return True
    except (PermissionError, OverflowError):
        return False
    return False
