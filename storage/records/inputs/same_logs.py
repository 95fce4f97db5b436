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
from qsquared.storage.files.places import is_there, stamp
from qsquared.storage.logs.file_types.streams import open_log
from qsquared.storage.logs.paths import log_is_there, log_path
from qsquared.storage.records.inputs.manifests import InputManifest, all_manifests, read_manifest
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import TURNS

logger = logging.getLogger("qsquared")

_BLOCK = 1 << 20
_HEAD = 256
_NOT_COMPARED = ["input", "pair_id", "status", "reason"]


@dataclass(frozen=True, slots=True)
class Kin:
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
        return {position for one in (*self.shorter, *self.longer) for position in one.erased}


def kin_of(path: Path, size: int, known: Sequence[InputManifest]) -> Kin:
    """Return the kin of a log among those that the store has read.

    Args:
        path: the log.
        size: its bytes, as far as it is read.
        known: the logs that were read, but not this one.
    """
    known = [one for one in known if one.turns]
    found = _prefixes(path, size, {_HEAD, *(one.unpacked[0] for one in known)})
    length, content = max(found.items())
    head = found.get(_HEAD, content)
    longer = []
    for one in known:
        if one.head and min(length, one.unpacked[0]) >= _HEAD and one.head != head:
            continue  # Nothing has to be opened, which counts where the logs are many or far away.
        for other in _there(one, path):
            if _begins(other, min(_HEAD, length), head):
                longer += [one] if _begins(other, length, content) else []
                break
    # One turn may well be equal in two logs.
    enough = [one for one in known if one.turns > 1 or one.unpacked[1] == content]
    shorter = tuple(one for one in enough if found.get(one.unpacked[0]) == one.unpacked[1])
    return Kin(length, content, head, shorter, tuple(longer))


def cut_from(
    store: Store, log: InputManifest, known: Sequence[InputManifest]
) -> InputManifest | None:
    """Return a log whose file is gone, or had the same path, and whose rows begin with those of another.

    The last row does not count, since a file may be cut within it.
    """
    for one in known:
        alike = one.turns >= log.turns > 1 and one.read_as(log) and one.head in {"", log.head}
        if not alike or any(log_is_there(other) for other in set(one.paths) - set(log.paths)):
            continue
        own, rows = _rows(store, log), _rows(store, one)
        own.popitem()
        # It may have had rows that were erased.
        if all(rows.get(at) == row for at, row in own.items() if at not in one.erased):
            return one
    return None


def _rows(store: Store, log: InputManifest) -> dict[int, object]:
    """Return the turns of a log by position; an id that names file and line has the line only."""
    path = store.turns_path(log.fingerprint)
    if not path.exists():
        return {}
    table = read_table(path, TURNS, log.fingerprint)
    rows = table.drop_columns(_NOT_COMPARED).to_pylist()
    for row in rows:
        name, _, place = row["id"].rpartition(":")
        row["id"] = place if name and place.partition("#")[0] == str(row["line"]) else row["id"]
    return {row["position"]: row for row in rows}


def _there(log: InputManifest, path: Path) -> list[Path]:
    """Return the files of a log that are still there, but for one path."""
    others = (log_path(one) for one in log.paths if one != str(path))
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
    found, state, done = {}, hashlib.sha256(), 0
    left = sorted({*lengths, *filter(None, [most])} - {0})
    while done != most:
        block = stream.read(min(_BLOCK, left[0] - done) if left else _BLOCK)
        if not block:
            break
        state.update(block)
        done += len(block)
        if left and done == left[0]:
            found[left.pop(0)] = state.hexdigest()
    return found | {done: state.hexdigest()}


def counting_for(store: Store, log: InputManifest, path: Path) -> InputManifest | None:
    """Return the log that counts in place of one at a path, since another file holds its turns, too.

    None if the log counts itself.
    Two that are read alike may each lie within the other, so each is asked once.
    """
    held, asked = log, {""}
    while held.turns:
        if _there(held, path):
            return held
        asked.add(held.fingerprint)
        if held.within in asked or not store.manifest_path(held.within).exists():
            return None
        held = read_manifest(store, held.within)
    return None


def counts_elsewhere(store: Store, fingerprint: str) -> bool:
    """Whether the turns of an input count in another one that was found to begin with them."""
    one = read_manifest(store, fingerprint)
    return bool(not one.paths and one.within and store.manifest_path(one.within).exists())


def supersede(
    store: Store, path: Path, log: InputManifest, kin: Kin | None, *, apart: bool
) -> list[InputManifest]:
    """Take paths from the logs in whose place another comes, and return them as they were.

    Its own path goes from all of them.
    Unless it is counted ``apart``, paths that are gone go from all of its kin, and other paths from
    those of which it is the whole, if they were read alike.
    """
    older = []
    for one in all_manifests(store):
        if one.fingerprint == log.fingerprint:
            continue
        begins = one.within == log.fingerprint or one.sha256 == log.sha256
        begins = begins or (kin is not None and one in kin.shorter)
        related = (begins or log.within == one.fingerprint) and not (apart or one.apart)
        taken = {other for other in one.paths if related and not log_is_there(other)}
        if related and begins and one.sha256 != log.sha256 and one.read_as(log):
            taken = set(one.paths)
            for other in sorted(taken - {str(path)}):
                if log_is_there(other):
                    warn_of_copy(other, False, path)
        left = tuple(other for other in one.paths if other not in {str(path), *taken})
        if left != one.paths:
            within = log.fingerprint if begins and not left and not apart else one.within
            was_at = tuple(sorted({*one.was_at, *(set(one.paths) - set(left))}))
            changed = replace(one, paths=left, within=within, was_at=was_at)
            store.write_json(store.manifest_path(one.fingerprint), changed.to_json())
            older.append(one)
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


def after_older(found: InputManifest, older: list[InputManifest], path: Path) -> InputManifest:
    """Return a manifest with a doubt where an older content of its path had more turns."""
    for before in older:
        whole = before.limit is None and found.limit is None
        if whole and before.sha256 != found.sha256 and before.turns > found.turns:
            doubt = f"{path.name} had {before.turns:,} turns when it was read before, and has {found.turns:,} now."
            found = replace(found, doubt=found.doubt or doubt)
    return found
