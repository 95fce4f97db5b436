"""Read a log once into a table of turns and one of rejects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qsquared.errors import InputError
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import DamagedTable, check_table
from qsquared.storage.files.parquet_writer import TableWriter
from qsquared.storage.files.shard_claims import ingest_lock
from qsquared.storage.keys import digest
from qsquared.storage.logs.paths import log_path
from qsquared.storage.logs.reading import Reading, detect_reading, with_order
from qsquared.storage.logs.rows import ENDS_EARLY, Limits, UnreadableRow, read_limits
from qsquared.storage.records.inputs.manifests import InputManifest, all_manifests, read_manifest
from qsquared.storage.records.inputs.same_logs import (
    RelatedLogs,
    after_older,
    counting_for,
    cut_from,
    find_related,
    hash_beginnings,
    supersede,
    warn_of_copy,
)
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, TURNS

READING_VERSION = 33
"""Raised when the same log would be read into other turns."""

_PROGRESS_ROWS = 1000


def fingerprint(sha256: str, file_format: str, mapping: Mapping[str, str]) -> str:
    """Return the name of an input: a hash of its content and of how it is read, not of its path."""
    named: list[Any] = ["input", READING_VERSION, sha256, file_format, dict(mapping)]
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
        InputError: the file as a whole cannot be read, its times can be read in two ways, or it changed
            meanwhile.
        UsageError: there is no such format.
    """
    log = _open_log(store, path, mapping, file_format)
    path, name, sha256 = log.path, log.fingerprint, log.sha256
    with ingest_lock(store.root):
        manifest, related = _reusable(store, name, limit), None
        if manifest is None:
            others = [other for other in all_manifests(store) if other.fingerprint != name]
            related = find_related(path, log.size, others)
            manifest = _read(store, log, related, limit, on_progress)
            longer = [other for other in others if other not in related.shorter]
            if not related.longer and (
                cut := cut_from(store, replace(manifest, paths=(str(path),)), longer)
            ):
                related = replace(related, longer=(cut,))
                manifest = _read(store, log, related, limit, on_progress)
            if _hash(path, log.size)[0] != sha256:
                raise InputError(
                    f"The log {path} changed while it was read.", "Run the command again."
                )
        elif str(path) in manifest.paths:
            return manifest
        counting = None if as_another_log else counting_for(store, manifest, path)
        # First the old content gives up the path, so that two never claim it.
        if counting is not None:
            supersede(store, path, manifest, None, apart=True)
            if str(path) not in manifest.was_at:
                # A copy is no path of a content, but an erasure has to find it by its path.
                manifest = replace(manifest, was_at=tuple(sorted({*manifest.was_at, str(path)})))
                store.write_json(store.manifest_path(name), manifest.to_json())
            same = manifest.unpacked == counting.unpacked
            warn_of_copy(path, same, ", ".join(counting.paths))
            return replace(counting, paths=(*counting.paths, str(path)), reused=True)
        apart = manifest.apart or as_another_log
        older = supersede(store, path, manifest, related, apart=apart)
        manifest = after_older(manifest, older, path)
        there = manifest.paths if apart or not manifest.turns else ()
        manifest = replace(manifest, paths=tuple(sorted({*there, str(path)})), apart=apart)
        store.write_json(store.manifest_path(name), manifest.to_json())
        return manifest


def find_input(
    store: Store,
    path: Path,
    mapping: Mapping[str, str] | None = None,
    file_format: str = "",
) -> InputManifest | None:
    """Return the manifest of a log, if `ingest_file` would have nothing to do.

    Raises:
        InputError: the file as a whole cannot be read.
    """
    log = _open_log(store, path, mapping, file_format)
    manifest = _reusable(store, log.fingerprint, None)
    if manifest is None or str(log.path) in manifest.paths:
        return manifest
    counting = counting_for(store, manifest, log.path)
    return counting and replace(counting, paths=(*counting.paths, str(log.path)), reused=True)


@dataclass(frozen=True, slots=True)
class _Log:
    path: Path
    fingerprint: str
    sha256: str
    size: int
    reading: Reading


def _open_log(
    store: Store, path: Path, mapping: Mapping[str, str] | None, file_format: str
) -> _Log:
    path = log_path(path)
    reading = detect_reading(path, dict(mapping or {}), file_format, store.root)
    sha256, size = _hash(path)
    return _Log(path, fingerprint(sha256, reading.format, reading.mapping), sha256, size, reading)


def _hash(path: Path, size: int | None = None) -> tuple[str, int]:
    """Return the SHA-256 of a file (of its first ``size`` bytes), and how many bytes that were."""
    with path.open("rb") as handle:
        ((length, sha256),) = hash_beginnings(handle, (), size).items()
    return sha256, length


def _reusable(store: Store, name: str, limit: int | None) -> InputManifest | None:
    """Return the manifest of an earlier reading that went at least as far and is undamaged."""
    if not store.manifest_path(name).exists():
        return None
    try:
        manifest = read_manifest(store, name)
    except DamagedFile as damage:
        store.quarantine(damage.path, damage.reason)
        return None
    sound = True
    for path, table, receipt in (
        (store.table_path("turns", name), TURNS, manifest.turns_table),
        (store.table_path("rejects", name), REJECTS, manifest.rejects_table),
    ):
        try:
            sound &= check_table(path, table, name).sha256 == receipt.sha256
        except DamagedTable as damage:
            store.quarantine(path, damage.reason)
            sound = False
    stopped = manifest.limit is not None and (limit is None or limit > manifest.limit)
    return replace(manifest, reused=True) if sound and not stopped else None


def _read(
    store: Store,
    log: _Log,
    related: RelatedLogs,
    limit: int | None,
    on_progress: Callable[[int], None] | None,
) -> InputManifest:
    """Stream a log into its two tables; return its manifest, which is not yet written."""
    name = log.fingerprint
    reading = with_order(log.reading, log.path, log.size)
    before = read_manifest(store, name) if store.manifest_path(name).exists() else None
    gone = related.erased | set(before.erased if before else ())
    rows_read = 0
    stopped = False
    doubt = ""
    with (
        TableWriter(store.table_path("turns", name), TURNS, name) as turns,
        TableWriter(store.table_path("rejects", name), REJECTS, name) as rejects,
    ):
        for row in reading.rows(log.path, log.size):
            if limit is not None and turns.rows >= limit:
                stopped = True
                break
            rows_read += 1
            if row.position in gone:
                continue
            turn = (
                row.reason
                if isinstance(row, UnreadableRow)
                else reading.turn_of(row, name, log.path.name)
            )
            if isinstance(turn, dict):
                turns.write([turn])
            else:
                origin = {"input": name, "position": row.position, "line": row.line}
                rejects.write([origin | {"reason": turn, "raw": row.raw}])
                doubt = f"{log.path.name}: {turn}" if turn.startswith(ENDS_EARLY) else ""
            if on_progress is not None and rows_read % _PROGRESS_ROWS == 0:
                on_progress(rows_read)
    if on_progress is not None:
        on_progress(rows_read)
    manifest = InputManifest(
        fingerprint=name,
        paths=before.paths if before else (),
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
        erased=tuple(sorted(position for position in gone if position < rows_read)),
        content=related.content if related.content != log.sha256 else "",
        length=related.length if related.content != log.sha256 else 0,
        head=related.head,
    )
    for whole in related.longer:
        same = manifest.turns > 1 or whole.unpacked == manifest.unpacked
        if same and whole.limit is None and whole.read_as(manifest):
            return replace(manifest, within=whole.fingerprint)
    return manifest
