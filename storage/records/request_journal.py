"""Journal of the answers of servers that play roles: lines that are appended and never changed.

Each process has a file of its own, so that a kill can tear its last line only; a line that is not
whole, or was changed, counts as not written, and its request is asked again.
An answer is found under the hash of model, parameters, prompt and texts; no line names an address.
"""

import json
import os
import secrets
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared.storage.files.atomic import append_line, write_bytes
from qsquared.storage.files.remote_paths import get, is_remote
from qsquared.storage.keys import digest
from qsquared.storage.store import Store

FOLDER = "requests"
"""The folder of the journal in a store."""

Line = Mapping[str, Any]

_SYNC_SECONDS = 1.0
"""A kill loses nothing that is written; a machine that loses its power loses so many seconds."""
_LIST_SECONDS = 10.0
"""Objects of other processes in a remote store are listed this often."""


class RequestJournal:
    """The answers of a store; those of other processes are found as soon as they are written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}-{secrets.token_hex(3)}.jsonl"
        self._own = store.root / FOLDER / name
        self._read: dict[str, int] = {}
        """File → bytes that are read."""
        self._sound: dict[str, Line] = {}
        self._lock = threading.Lock()
        self._synced = self._listed = 0.0

    def find(self, key: str) -> Line | None:
        """Return the sound answer to a request, or None."""
        with self._lock:
            if key not in self._sound:
                self._read_on()
            return self._sound.get(key)

    def add(self, entry: Line) -> None:
        """Append an answer."""
        now = time.monotonic()
        sync = now - self._synced > _SYNC_SECONDS
        append_line(self._own, {**entry, "checksum": digest(dict(entry))}, sync=sync)
        with self._lock:
            self._synced = now if sync else self._synced
            if entry["sound"]:
                self._sound[entry["key"]] = entry

    def _read_on(self) -> None:
        if is_remote(self._own):
            if time.monotonic() - self._listed < _LIST_SECONDS:
                return
            self._listed = time.monotonic()
        for path in journal_files(self._store):
            if path.name == self._own.name:
                continue
            begin = self._read.get(path.name, 0)
            if is_remote(path):
                if begin:
                    continue  # an object is written whole
                content = get(path)
            else:
                if path.stat().st_size <= begin:
                    continue
                with path.open("rb") as file:
                    file.seek(begin)
                    content = file.read()
            whole = content.rfind(b"\n") + 1
            self._read[path.name] = begin + whole
            for line in _lines(content[:whole]):
                if line["sound"]:
                    self._sound[line["key"]] = line


def read_requests(store: Store) -> Iterator[Line]:
    """Yield the lines of a store's journal, file by file, oldest first."""
    for path in journal_files(store):
        yield from _lines(get(path))


def journal_files(store: Store) -> list[Path]:
    """Return the files of a store's journal, oldest first."""
    return sorted((store.root / FOLDER).glob("[!.]*.jsonl"))


def journal_damage(store: Store) -> Iterator[tuple[Path, str, str]]:
    """Yield each file with changed lines or a torn end, with the problem, and what to do.

    What to do is empty where nothing is: the answer on a torn line was never used.
    """
    for path in journal_files(store):
        *whole, end = get(path).split(b"\n")
        if changed := len(whole) - len(list(_lines(b"\n".join(whole)))):
            problem = (
                f"{changed:,} of its lines were changed; no run uses these answers of a server"
            )
            todo = "Put these lines aside, and keep the others: q2 verify --quarantine"
            yield path, problem, todo
        elif end:
            yield path, "its last line was cut short when its process died", ""


def put_aside_changed_lines(store: Store, path: Path, reason: str) -> Path | None:
    """Move a file to quarantine and write its sound lines anew; return where it is now.

    Its sound answers were paid for, so they stay.
    """
    moved = store.quarantine(path, reason)
    if moved is None:
        return None
    kept = [line for line in get(moved).splitlines(keepends=True) if any(_lines(line))]
    write_bytes(path, b"".join(kept))
    return moved


def forget_requests(store: Store, shards: Collection[str]) -> None:
    """Remove from the journal the answers that stages asked for on some shards.

    Lines that are not whole go, too: nobody reads them, and nobody knows of which shard they tell.
    """
    if not shards:
        return
    for path in journal_files(store):
        content = get(path)
        lines = content.splitlines(keepends=True)
        kept = [line for line in lines if any(row["shard"] not in shards for row in _lines(line))]
        if not kept:
            path.unlink(missing_ok=True)
        elif len(kept) < len(lines):
            write_bytes(path, b"".join(kept))


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.splitlines():
        try:
            value = json.loads(line)
            if digest({k: v for k, v in value.items() if k != "checksum"}) == value["checksum"]:
                del value["checksum"]
                yield value
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
