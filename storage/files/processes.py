"""Whether the process that owns a file is still running, on this host or on another."""

import os
import re
import secrets
import socket
from pathlib import Path

PROCESS = secrets.token_hex(2)
"""Distinguishes this process from an earlier one of its number, as each start of a container has."""


_ENDED = {"Z", "X"}
"""States of processes on Linux that have ended."""


def _pid_namespace() -> int | None:
    """Return the number of the PID namespace, which differs between containers of one host name."""
    try:
        return Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return None


PID_NAMESPACE = _pid_namespace()


def _host() -> str:
    name = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:32] or "host"
    return name if PID_NAMESPACE is None else f"{name}{PID_NAMESPACE:x}"


HOST = _host()
"""This host and its numbering of processes, as letters and digits."""


def is_running(pid: int) -> bool:
    """Whether a process of this number runs on this host.

    One that has ended and waits for its parent to ask for its exit code does not run any more; in a
    container without an init process it may wait for ever.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in _ENDED
    except (OSError, IndexError):
        return True


def may_be_running(pid: int, *, here: bool, process: str, silent: float, patience: float) -> bool:
    """Whether the owner of a file may still be running.

    On this host it is looked up by its number; a number may have passed to another process, and a
    process of another host cannot be seen, so an owner that stays silent for too long is dead too.

    Args:
        pid: number of the owner.
        here: whether the owner belongs to this host and to its PID namespace.
        process: the owner's `PROCESS`; empty if it is not recorded.
        silent: seconds since the owner last wrote.
        patience: seconds of silence after which an owner is dead.
    """
    if here and pid == os.getpid() and process:
        return process == PROCESS
    if here and not is_running(pid):
        return False
    return silent < patience
