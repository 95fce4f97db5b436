"""Rewrite the tables of a store without erased rows; each step may be repeated after a kill."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from qsquared.storage.erasing.choosing import unused_units
from qsquared.storage.files.atomic import local_copy
from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import Receipt, read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.keys import shard_key
from qsquared.storage.records.indexes.checks import STAGES, Checks
from qsquared.storage.records.indexes.shard_index import forget_shards
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.records.request_journal import forget_requests
from qsquared.storage.store import Store
from qsquared.storage.tables import (
    DRAWS,
    LABEL_REJECTS,
    LABELS,
    PAIR,
    REJECTS,
    TURNS,
    UNITS,
    ScoredUnit,
    Table,
)

ERASED = "[erased]"
"""The text in a dialogue that stands for an erased turn."""

_ANCHORS = "anchors"
"""A folder of older versions: replies that were scored once more, to compare versions."""


def redact_histories(store: Store, turns: Mapping[str, Sequence[int]]) -> None:
    """Take the words of turns out of the histories of the other turns of their conversations.

    These are the reply and the question before it. The question that a kept turn answers stays.
    """
    replies: dict[str, set[str]] = defaultdict(set)
    questions: dict[str, set[str]] = defaultdict(set)
    for name, positions in turns.items():
        gone = set(positions)
        for row in _rows(store.table_path("turns", name), TURNS, name):
            if row["position"] in gone and row["conversation_id"] is not None:
                replies[row["conversation_id"]].add(row["response"])
                questions[row["conversation_id"]].update(row["history"][-1:])
    if not replies:
        return
    for path in store.tables("turns"):
        gone = set(turns.get(path.stem, ()))
        rows = _rows(path, TURNS, path.stem)
        changed = [
            row
            if row["position"] in gone
            else row | {"history": _redacted(row, replies, questions)}
            for row in rows
        ]
        if changed != rows:
            _write_input(store, path.stem, TURNS, changed)


def _redacted(
    row: Mapping[str, Any], replies: Mapping[str, set[str]], questions: Mapping[str, set[str]]
) -> list[str]:
    said_replies = replies.get(row["conversation_id"], set())
    said_or_asked = said_replies | questions.get(row["conversation_id"], set())
    last = len(row["history"]) - 1
    return [
        ERASED if text in (said_replies if index == last else said_or_asked) else text
        for index, text in enumerate(row["history"])
    ]


def erase_rows(
    store: Store, name: str, turns: Sequence[int], rejects: Sequence[int], *, whole: bool
) -> None:
    """Take rows out of the tables of an input, or the whole input; the manifest tells how many went."""
    if whole:
        for path in (
            store.table_path("turns", name),
            store.table_path("rejects", name),
            store.manifest_path(name),
        ):
            path.unlink(missing_ok=True)
        return
    for table, gone in ((TURNS, set(turns)), (REJECTS, set(rejects))):
        path = store.table_path(table.name, name)
        if gone and path.exists():
            rows = _rows(path, table, name)
            _write_input(store, name, table, [row for row in rows if row["position"] not in gone])
    if store.manifest_path(name).exists():
        manifest = read_manifest(store, name)
        erased = tuple(sorted({*manifest.erased, *turns, *rejects}))
        store.write_json(store.manifest_path(name), replace(manifest, erased=erased).to_json())


def _write_input(store: Store, name: str, table: Table, rows: list[dict[str, Any]]) -> None:
    """Replace a table of an input, and then its entry in the manifest."""
    path = store.table_path(table.name, name)
    receipt = _write_like(path, path, rows, table, name)
    if not store.manifest_path(name).exists():
        return
    manifest = read_manifest(store, name)
    updated = manifest.to_json() | {table.name: len(rows), f"{table.name}_table": asdict(receipt)}
    store.write_json(store.manifest_path(name), updated)


def erase_units(store: Store) -> None:
    """Take the pairs and situations that no turn has any more out of their shards and all stages.

    The other rows of a shard keep their scores, in a shard under a new name.
    Answers of servers that were asked for such a shard go whole, as they quote its texts; so do those for
    the `anchors` of an older version.
    """
    forget_shards(store)
    for unit in UNITS.values():
        unused = unused_units(store, unit)
        forget_requests(store, {*unused, _ANCHORS} if unused else ())
        for shard, gone in unused.items():
            _rewrite_shard(store, unit, shard, gone)


def _rewrite_shard(store: Store, unit: ScoredUnit, shard: str, gone: set[str]) -> None:
    path = store.table_path(unit.name, shard)
    kept = [row for row in _rows(path, unit.table, shard) if row[unit.key] not in gone]
    new = shard_key([row[unit.key] for row in kept])
    checks = Checks(store)
    stages = sorted((store.root / "stages").glob(f"*/*/{shard}.parquet"))
    for old in stages if kept else ():
        table, lineage = STAGES[old.parent.parent.name], old.parent.name
        try:
            rows = _rows(old, table, checks.key(lineage, shard))
        except DamagedFile:
            continue  # the next scoring makes it again
        key = unit.key if unit.key in table.schema.names else PAIR.key
        left = [row for row in rows if row[key] not in gone]
        _write_like(old, old.with_name(f"{new}.parquet"), left, table, checks.key(lineage, new))
    if kept:
        write_table(store.table_path(unit.name, new), kept, unit.table, new)
    for old in stages:
        old.unlink(missing_ok=True)
    # The last, since it tells that there is something left to do.
    path.unlink(missing_ok=True)


def erase_judgements(store: Store) -> None:
    """Take replies that no turn gave any more out of draws and labels; drop the rejects of forms."""
    pairs = {
        row[PAIR.key]
        for path in store.tables(PAIR.name)
        for row in _rows(path, PAIR.table, path.stem)
    }
    for table in (DRAWS, LABELS):
        for path in store.tables(table.name):
            rows = _rows(path, table, path.stem)
            left = [row for row in rows if row[PAIR.key] in pairs]
            if len(left) < len(rows):
                write_table(path, left, table, path.stem)
    for path in store.small_files(_ANCHORS):
        path.unlink()
    for path in store.tables(LABEL_REJECTS.name):
        path.unlink()


def _write_like(
    old: Path, path: Path, rows: list[dict[str, Any]], table: Table, key: str
) -> Receipt:
    """Write rows with the columns of an older file; all files of a folder have the same."""
    with local_copy(old) as copy:
        names = set(pq.read_schema(str(copy)).names) & set(table.schema.names)
    table = replace(
        table, columns=tuple(column for column in table.columns if column.name in names)
    )
    return write_table(path, [{name: row[name] for name in names} for row in rows], table, key)


def _rows(path: Path, table: Table, key: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(path, table, key).to_pylist()
    return rows
