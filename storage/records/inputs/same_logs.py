"""Recognise a log by its content: moved, copied, packed, grown or cut, under any path."""

import hashlib
import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO

from qsquared.errors import InputError
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.remote_paths import is_there, stamp
from qsquared.storage.logs.file_types.compression import open_log
from qsquared.storage.logs.paths import log_is_there, log_path
from qsquared.storage.records.inputs.manifests import InputManifest, all_manifests, read_manifest
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS

logger = logging.getLogger("qsquared")

_BLOCK = 1 << 20
_HEAD = 256
_NOT_COMPARED = ["input", "pair_id", "status", "reason"]


@dataclass(frozen=True, slots=True)
class RelatedLogs:
    """The logs that share the beginning of a new one.

    ``length`` and ``content`` are the bytes and the SHA-256 of the new log without compression, ``head``
    is the SHA-256 of its first bytes;
    ``shorter`` are those with which it begins, ``longer`` those that begin with it; an equal one is both.
    """

    length: int
    content: str
    head: str
    shorter: tuple[InputManifest, ...]
    longer: tuple[InputManifest, ...]

    @property
    def erased(self) -> set[int]:
        """The positions that were erased from any of them."""
        return {position for log in (*self.shorter, *self.longer) for position in log.erased}


def find_related(path: Path, size: int, others: Sequence[InputManifest]) -> RelatedLogs:
    """Find the logs of a store that begin as a log does, or that it begins with.

    Args:
        path: the log.
        size: its bytes, as far as it is read.
        others: the logs that were read, but not this one.
    """
    others = [log for log in others if log.turns]
    hash_of = _prefixes(path, size, {_HEAD, *(log.unpacked[0] for log in others)})
    length, content = max(hash_of.items())
    head = hash_of.get(_HEAD, content)
    longer = []
    for log in others:
        if log.head and min(length, log.unpacked[0]) >= _HEAD and log.head != head:
            continue  # Nothing has to be opened, which counts where the logs are many or far away.
        for other in _there(log, path):
            if _begins(other, min(_HEAD, length), head):
                longer += [log] if _begins(other, length, content) else []
                break
    # One turn may well be equal in two logs.
    enough = [log for log in others if log.turns > 1 or log.unpacked[1] == content]
    shorter = tuple(log for log in enough if hash_of.get(log.unpacked[0]) == log.unpacked[1])
    return RelatedLogs(length, content, head, shorter, tuple(longer))


def cut_from(
    store: Store, log: InputManifest, others: Sequence[InputManifest]
) -> InputManifest | None:
    """Return a log whose file is gone, or had the same path, and whose rows begin with those of another.

    The last row does not count, since a file may be cut within it.
    """
    for older in others:
        alike = older.turns >= log.turns > 1 and older.read_as(log) and older.head in {"", log.head}
        if not alike or any(log_is_there(path) for path in set(older.paths) - set(log.paths)):
            continue
        log_rows, rows = _rows(store, log), _rows(store, older)
        log_rows.popitem()
        # It may have had rows that were erased.
        if all(rows.get(at) == row for at, row in log_rows.items() if at not in older.erased):
            return older
    return None


def _rows(store: Store, log: InputManifest) -> dict[int, object]:
    """Return the turns of a log by position; an id that names file and line has the line only."""
    path = store.table_path("turns", log.fingerprint)
    if not path.exists():
        return {}
    table = read_table(path, TURNS, log.fingerprint)
    rows = table.drop_columns(_NOT_COMPARED).to_pylist()
    for row in rows:
        name, _, line = row["id"].rpartition(":")
        row["id"] = line if name and line.partition("#")[0] == str(row["line"]) else row["id"]
    return {row["position"]: row for row in rows}


def _there(log: InputManifest, path: Path) -> list[Path]:
    """Return the files of a log that are still there, but for one path."""
    others = (log_path(name) for name in log.paths if name != str(path))
    return [other for other in others if is_there(other)]


def _begins(path: Path, length: int, digest: str) -> bool:
    """Whether a log has some first bytes without compression; one that cannot be read has not."""
    with suppress(OSError, InputError):
        return _beginning(path, stamp(path), length) == digest
    return False


@lru_cache(maxsize=4096)
def _beginning(path: Path, _changed: str, length: int) -> str:
    """Return the SHA-256 of the first bytes of a log without compression, empty if it has fewer."""
    return _prefixes(path, None, {length}, length).get(length, "")


def _prefixes(
    path: Path, size: int | None, lengths: Collection[int], most: int | None = None
) -> dict[int, str]:
    """Return the SHA-256 of some beginnings of a log and of the whole, by their lengths in bytes."""
    _, buffered = open_log(path, size)
    with buffered:
        return hash_beginnings(buffered, lengths, most)


def hash_beginnings(
    stream: IO[bytes], lengths: Collection[int] = (), most: int | None = None
) -> dict[int, str]:
    """Return the SHA-256 of some beginnings of a stream and of the whole, by their lengths in bytes.

    ``most`` bytes are read, all without it.
    """
    hashes, state, done = {}, hashlib.sha256(), 0
    left = sorted({*lengths, *filter(None, [most])} - {0})
    while done != most:
        block = stream.read(min(_BLOCK, left[0] - done) if left else _BLOCK)
        if not block:
            break
        state.update(block)
        done += len(block)
        if left and done == left[0]:
            hashes[left.pop(0)] = state.hexdigest()
    return hashes | {done: state.hexdigest()}


def counting_for(store: Store, log: InputManifest, path: Path) -> InputManifest | None:
    """Return the log that counts in place of one at a path, since another file holds its turns, too.

    None if the log counts itself.
    Two that are read alike may each lie within the other, so each is asked once.
    """
    holder, seen = log, {""}
    while holder.turns:
        if _there(holder, path):
            return holder
        seen.add(holder.fingerprint)
        if holder.within in seen or not store.manifest_path(holder.within).exists():
            return None
        holder = read_manifest(store, holder.within)
    return None


def counts_elsewhere(store: Store, fingerprint: str) -> bool:
    """Whether the turns of an input count in another one that was found to begin with them."""
    log = read_manifest(store, fingerprint)
    return bool(not log.paths and log.within and store.manifest_path(log.within).exists())


def supersede(
    store: Store, path: Path, log: InputManifest, related: RelatedLogs | None, *, apart: bool
) -> list[InputManifest]:
    """Take paths from the logs in whose place another comes, and return them as they were.

    Its own path goes from all of them.
    Unless it is counted ``apart``, paths that are gone go from all logs related to it, and other paths from
    those of which it is the whole, if they were read alike.
    """
    older = []
    for older_log in all_manifests(store):
        if older_log.fingerprint == log.fingerprint:
            continue
        begins = older_log.within == log.fingerprint or older_log.sha256 == log.sha256
        begins = begins or (related is not None and older_log in related.shorter)
        same = (begins or log.within == older_log.fingerprint) and not (apart or older_log.apart)
        taken = {other for other in older_log.paths if same and not log_is_there(other)}
        if same and begins and older_log.sha256 != log.sha256 and older_log.read_as(log):
            taken = set(older_log.paths)
            for other in sorted(taken - {str(path)}):
                if log_is_there(other):
                    warn_of_copy(other, False, path)
        left = tuple(other for other in older_log.paths if other not in {str(path), *taken})
        if left != older_log.paths:
            within = log.fingerprint if begins and not left and not apart else older_log.within
            was_at = tuple(sorted({*older_log.was_at, *(set(older_log.paths) - set(left))}))
            changed = replace(older_log, paths=left, within=within, was_at=was_at)
            store.write_json(store.manifest_path(older_log.fingerprint), changed.to_json())
            older.append(older_log)
    return older


def warn_of_copy(path: Path | str, same: bool, whole: Path | str) -> None:
    """Say that a copy, or the beginning of another log, is counted once, and how to count both."""
    logger.warning(
        "%s %s %s, so its turns are counted once. To count them as another log: "
        "q2 ingest %s --as-another-log",
        path,
        "has the same content as" if same else "is the beginning of",
        whole,
        path,
    )


def after_older(log: InputManifest, older: list[InputManifest], path: Path) -> InputManifest:
    """Return a manifest with a doubt where an older content of its path had more turns."""
    for before in older:
        whole = before.limit is None and log.limit is None
        if whole and before.sha256 != log.sha256 and before.turns > log.turns:
            doubt = f"{path.name} had {before.turns:,} turns when it was read before, and has {log.turns:,} now."
            log = replace(log, doubt=log.doubt or doubt)
    return log
