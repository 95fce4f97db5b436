"""Read a log once into a table of turns and one of rejects."""

from __future__ import annotations

import hashlib
import logging
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsquared.errors import InputError
from qsquared.method.plain.reply import READING_VERSION as OF_REPLIES
from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.locks.claims import ingest_lock
from qsquared.storage.files.parquet import DamagedTable, check_table
from qsquared.storage.files.parquet_writer import TableWriter
from qsquared.storage.keys import digest
from qsquared.storage.logs.limits import Limits, read_limits
from qsquared.storage.logs.reading import Reading, detect_reading
from qsquared.storage.logs.rows import ENDS_EARLY, RawRow, UnreadableRow
from qsquared.storage.records.manifests import InputManifest, all_manifests, read_manifest
from qsquared.storage.tables.registry import REJECTS, TURNS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from qsquared.storage.store import Store

logger = logging.getLogger("qsquared")

READING_VERSION = 9
"""Raised when the same log would be read into other turns."""

_BLOCK = 1 << 20
_PROGRESS_ROWS = 1000


def fingerprint(sha256: str, file_format: str, mapping: Mapping[str, str]) -> str:
    """Return the name of an input: a hash of its content and of how it is read, not of its path.

    The rules by which replies are read count, too: they tell a reply that claims nothing.
    """
    named: list[Any] = ["input", READING_VERSION, OF_REPLIES, sha256, file_format, dict(mapping)]
    bound = read_limits().row_bytes
    if bound != Limits().row_bytes:
        named.append(bound)
    return digest(named)


def ingest_file(
    store: Store,
    path: Path,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    on_progress: Callable[[int], None] | None = None,
    file_format: str = "",
    *,
    as_another_log: bool = False,
) -> InputManifest:
    """Read a log into the store unless this was done, and return its manifest.

    A log is its content: the path of a moved file replaces the one that is gone, and a copy is not
    counted a second time; the manifest that is returned for it names both.
    The path then stands for this content only: an older content of it lists it no more.

    Args:
        store: the store.
        path: the log.
        mapping: the log's field → ours.
        limit: stop after so many turns (rejects do not count).
        on_progress: called now and then with the number of rows read so far.
        file_format: how to read it, as a person asked for it; empty: detected from its content.
        as_another_log: count a copy as a log of its own.

    Raises:
        InputError: the file as a whole cannot be read, or changed meanwhile.
        UsageError: there is no such format.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as given
    reading = detect_reading(path, dict(mapping or {}), file_format)
    sha256, size = _hash(path)
    name = fingerprint(sha256, reading.format, reading.mapping)
    log = _Log(path, name, sha256, size, reading)
    with ingest_lock(store.root):
        found = _reusable(store, name, limit)
        if found is None:
            found = _read(store, log, limit, on_progress)
            if _hash(path, size)[0] != sha256:
                raise InputError(
                    f"The log {path} changed while it was read.", "Run the command again."
                )
        elif str(path) in found.paths:
            return found
        if not as_another_log and (first := _copied(found, str(path))):
            logger.warning(
                "%s has the same content as %s, so its turns are counted once. To count them as another "
                "log: q2 ingest %s --as-another-log",
                path,
                first,
                path,
            )
            return replace(found, paths=(*found.paths, str(path)))
        # First the old content gives up the path, so that two never claim it.
        found = _after_older(found, _supersede(store, str(path), name, sha256), path)
        there = found.paths if as_another_log or found.apart or not found.turns else ()
        apart = found.apart or as_another_log
        found = replace(found, paths=tuple(sorted({*there, str(path)})), apart=apart)
        store.write_json(store.manifest_path(name), found.to_json())
        return found


def find_input(
    store: Store,
    path: Path,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    file_format: str = "",
) -> InputManifest | None:
    """Return the manifest of a log, if `ingest_file` would have nothing to do.

    Raises:
        InputError: the file as a whole cannot be read.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as given
    reading = detect_reading(path, dict(mapping or {}), file_format)
    name = fingerprint(_hash(path)[0], reading.format, reading.mapping)
    found = _reusable(store, name, limit)
    if found is None or str(path) in found.paths:
        return found
    return replace(found, paths=(*found.paths, str(path))) if _copied(found, str(path)) else None


def _copied(found: InputManifest, path: str) -> str:
    """Return the path of another file that has the content of an input; empty if there is none."""
    others = (other for other in found.paths if other != path and Path(other).exists())
    return next(others, "") if found.turns else ""


def _after_older(found: InputManifest, older: list[InputManifest], path: Path) -> InputManifest:
    """Return a manifest with a doubt where an older content of its path had more turns."""
    for before in older:
        whole = before.limit is None and found.limit is None
        if whole and before.sha256 != found.sha256 and before.turns > found.turns:
            doubt = f"{path.name} had {before.turns:,} turns when it was read before, and has {found.turns:,} now."
            found = replace(found, doubt=found.doubt or doubt)
    return found


def _hash(path: Path, size: int | None = None) -> tuple[str, int]:
    """Return the SHA-256 of a file (of its first ``size`` bytes), and how many bytes that were."""
    state = hashlib.sha256()
    done = 0
    with path.open("rb") as handle:
        while block := handle.read(_BLOCK if size is None else min(_BLOCK, size - done)):
            state.update(block)
            done += len(block)
    return state.hexdigest(), done


def _reusable(store: Store, name: str, limit: int | None) -> InputManifest | None:
    """Return the manifest of an earlier reading that went at least as far and is undamaged."""
    if not store.manifest_path(name).exists():
        return None
    tables = ((store.turns_path(name), TURNS), (store.rejects_path(name), REJECTS))
    try:
        manifest = read_manifest(store, name)
    except DamagedFile as damage:
        store.quarantine(damage.path, damage.reason)
        return None
    same = True
    for (path, table), receipt in zip(
        tables, (manifest.turns_table, manifest.rejects_table), strict=True
    ):
        try:
            same = check_table(path, table, name).sha256 == receipt.sha256 and same
        except DamagedTable as damage:
            store.quarantine(path, damage.reason)
            same = False
    if not same:
        return None
    if manifest.limit is not None and (limit is None or limit > manifest.limit):
        return None
    return replace(manifest, reused=True)


@dataclass(frozen=True, slots=True)
class _Log:
    path: Path
    fingerprint: str
    sha256: str
    size: int
    reading: Reading


def _read(
    store: Store, log: _Log, limit: int | None, on_progress: Callable[[int], None] | None
) -> InputManifest:
    """Stream a log into its two tables; return its manifest, which is not yet written."""
    name = log.fingerprint
    paths, erased = _known(store, log)
    gone = frozenset(erased)
    rows_read = 0
    stopped = False
    doubt = ""
    with (
        TableWriter(store.turns_path(name), TURNS, name) as turns,
        TableWriter(store.rejects_path(name), REJECTS, name) as rejects,
    ):
        for row in log.reading.rows(log.path, log.size):
            if limit is not None and turns.rows >= limit:
                stopped = True
                break
            rows_read += 1
            if row.position in gone:
                continue
            turn = (
                row.reason
                if isinstance(row, UnreadableRow)
                else log.reading.turn_of(row, name, log.path.name)
            )
            if isinstance(turn, dict):
                turns.write([turn])
            else:
                rejects.write([_reject(name, row, turn)])
                doubt = f"{log.path.name}: {turn}" if turn.startswith(ENDS_EARLY) else ""
            if on_progress is not None and rows_read % _PROGRESS_ROWS == 0:
                on_progress(rows_read)
    if on_progress is not None:
        on_progress(rows_read)
    return InputManifest(
        fingerprint=name,
        paths=paths,
        sha256=log.sha256,
        size=log.size,
        format=log.reading.format,
        mapping=dict(log.reading.mapping),
        limit=limit if stopped else None,
        rows=rows_read,
        turns=turns.rows,
        rejects=rejects.rows,
        turns_table=turns.receipt,
        rejects_table=rejects.receipt,
        ingested_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        doubt=doubt,
        erased=tuple(position for position in erased if position < rows_read),
    )


def _reject(name: str, row: RawRow | UnreadableRow, reason: str) -> dict[str, Any]:
    return {
        "input": name,
        "position": row.position,
        "line": row.line,
        "reason": reason,
        "raw": row.raw,
    }


def _known(store: Store, log: _Log) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the paths and the erased positions of an input that was read before, or has grown since."""
    if store.manifest_path(log.fingerprint).exists():
        manifest = read_manifest(store, log.fingerprint)
        return manifest.paths, manifest.erased
    for manifest in all_manifests(store):
        grown = str(log.path) in manifest.paths and manifest.size < log.size
        if manifest.erased and grown and _hash(log.path, manifest.size)[0] == manifest.sha256:
            return (), manifest.erased
    return (), ()


def _supersede(store: Store, path: str, name: str, sha256: str) -> list[InputManifest]:
    """Take a path from the older contents of it, and return their manifests.

    Equal bytes that were read in another way give up the paths that are gone, too.
    """
    older = []
    for manifest in all_manifests(store):
        if manifest.fingerprint == name:
            continue
        same = manifest.sha256 == sha256
        left = tuple(
            other
            for other in manifest.paths
            if other != path and not (same and not Path(other).exists())
        )
        if left != manifest.paths:
            changed = replace(manifest, paths=left)
            store.write_json(store.manifest_path(manifest.fingerprint), changed.to_json())
            older.append(manifest)
    return older
