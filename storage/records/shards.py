"""Plan shards, the fixed sets of distinct pairs or situations that are the units of work and resume.

Planning fills one table in DuckDB after the other:

1. ``appearances``: the ids of pairs (or situations) in each input, with their first turn;
2. ``wanted``: each of these ids once;
3. ``held``: the wanted ids that shards of the store hold, and ``needed``: these shards;
4. ``fresh``: the wanted ids that no shard holds, whose rows are written into new shards.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import duckdb

from qsquared.errors import StoreError, UsageError
from qsquared.storage.connection import exact_pattern, exact_patterns, in_little_memory
from qsquared.storage.files.parquet import DamagedTable, check_table, read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.files.shard_claims import planning_lock
from qsquared.storage.keys import shard_key
from qsquared.storage.records.indexes.shard_index import ID_PREFIX, ShardIndex, id_prefixes
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIR, TURNS, ScoredUnit

_BATCH = 256
_ROWS_AT_ONCE = 200_000

# `first` is the ordinal of the first row with a pair (or situation) over all inputs in their order.
# The 32 digits of an id are held as a UUID, which takes a third of the memory of a text.
_TABLES = """
create temp table appearances (id uuid, first bigint);
create temp table held (id uuid);
create temp table needed (shard varchar, first bigint);
"""
_APPEARANCES = """
insert into appearances
select id, min(position) + $start
from (select {of_turn}::uuid as id, position from read_parquet($file) {limit})
where id is not null
group by id
"""
_LIMIT = "order by position limit $turns"
_WANTED = """
create temp table wanted as
select id, min(first) as first from appearances group by id;
drop table appearances
"""
_WANTED_PREFIXES = f"""
select {ID_PREFIX.format(id="replace(id::varchar, '-', '')")} as prefix from wanted
"""
_OF_SHARDS = "(select {key}::uuid as id, filename from read_parquet($files, filename = true))"
_HELD = f"insert into held select id from {_OF_SHARDS} semi join wanted using (id)"
_NEEDED = f"""
insert into needed
select parse_filename(filename, true), min(first)
from {_OF_SHARDS} join wanted using (id)
group by filename
"""
_FRESH = """
create temp table fresh as
select id, first from wanted anti join held using (id)
"""
_FRESH_IN_INPUT = "select count(*) from fresh where first >= $start and first < $stop"
_FRESH_ROWS = """
select {texts}
from read_parquet($file)
join (select first - $start as position from fresh) using (position)
where position >= $begin and position < $end
order by position
"""
_NEEDED_IN_ORDER = "select shard from needed order by first, shard"


@dataclass(frozen=True, slots=True)
class ShardRef:
    """A shard by its key; ``units`` is the number of pairs (or situations) in it."""

    key: str
    units: int


def plan_shards(
    store: Store,
    fingerprints: Sequence[str],
    shard_size: int,
    limit: int | None = None,
    unit: ScoredUnit = PAIR,
) -> list[ShardRef]:
    """Put the pairs of some inputs that no shard holds into new shards; return all their shards.

    The shards come in the order in which their pairs first appear in the inputs.
    The same inputs give the same new shards, however often planning was interrupted.

    Args:
        store: the store.
        fingerprints: the inputs, in order.
        shard_size: number of pairs in a new shard; the last one may have fewer.
        limit: consider only the first so many turns, over all inputs in order.
        unit: situations in the place of pairs.

    Raises:
        StoreError: an input is not in the store, or its turns are damaged.
        UsageError: ``shard_size`` is not positive.
    """
    if shard_size < 1:
        raise UsageError(f"A shard cannot have {shard_size} pairs.", "Give a number from 1 up.")
    inputs = _inputs(store, fingerprints, limit)

    def plan(connection: duckdb.DuckDBPyConnection) -> list[ShardRef]:
        connection.execute(_TABLES)
        for manifest, start, turns in inputs:
            # Only a limit needs an order, which takes memory in proportion to the log.
            limited = {"turns": turns} if turns < manifest.turns else {}
            connection.execute(
                _APPEARANCES.format(of_turn=unit.of_turn, limit=_LIMIT if limited else ""),
                {"file": _turns_file(store, manifest), "start": start} | limited,
            )
        connection.execute(_WANTED)
        sizes = _sound_holders(connection, store, unit, index)
        _find_held(connection, store, unit, sizes)
        connection.execute(_FRESH)
        fresh = _fresh_rows(connection, store, unit, inputs)
        new = _write_shards(store, unit, fresh, shard_size, index)
        _find_held(connection, store, unit, new)
        sizes |= new
        needed = connection.execute(_NEEDED_IN_ORDER).fetchall()
        return [ShardRef(key, sizes[key]) for (key,) in needed]

    with planning_lock(store.root):
        # Reading the index takes more memory than the index, so no table of ids is there yet.
        index = ShardIndex(store)
        return in_little_memory(store.root, plan)


def _inputs(
    store: Store, fingerprints: Sequence[str], limit: int | None
) -> list[tuple[InputManifest, int, int]]:
    """Return (manifest, ordinal of its first row, number of its turns to consider) of each input."""
    inputs: dict[str, tuple[InputManifest, int, int]] = {}
    start, left = 0, sys.maxsize if limit is None else limit
    for fingerprint in fingerprints:
        # A copy brings no turns, and so takes none of the limit.
        if fingerprint not in inputs:
            manifest = read_manifest(store, fingerprint)
            turns = min(left, manifest.turns)
            inputs[fingerprint] = (manifest, start, turns)
            left -= turns
            start += manifest.rows
    return list(inputs.values())


def _turns_file(store: Store, manifest: InputManifest) -> str:
    path = store.table_path("turns", manifest.fingerprint)
    try:
        receipt = check_table(path, TURNS, manifest.fingerprint)
        changed = receipt.sha256 != manifest.turns_table.sha256
        reason = "Its turns are not those that the manifest tells of." if changed else ""
    except DamagedTable as error:
        reason = error.message
    if reason:
        logs = " ".join(manifest.paths) or "(its log has newer content since)"
        raise StoreError(
            f"The turns of an input are damaged. {reason}", f"Ingest the log again: {logs}"
        )
    return exact_pattern(path)


def _sound_holders(
    connection: duckdb.DuckDBPyConnection, store: Store, unit: ScoredUnit, index: ShardIndex
) -> dict[str, int]:
    """Return the number of rows of each sound shard that may hold a wanted pair or situation.

    Damaged ones are put aside; those that the index does not list are read and listed.
    """
    shards = {path.stem: path for path in store.tables(unit.name)}
    unlisted = {}
    for shard in index.unlisted(shards):
        try:
            table = read_table(shards[shard], unit.table, shard)
        except DamagedTable as damage:
            store.quarantine(shards.pop(shard), damage.reason)
        else:
            unlisted[shard] = id_prefixes(table.column(unit.key).to_pylist())
    index.add(unlisted)
    sizes = {}
    wanted = connection.execute(_WANTED_PREFIXES).fetchnumpy()["prefix"]
    for shard in shards.keys() & set(index.holders(wanted)):
        try:
            sizes[shard] = check_table(shards[shard], unit.table, shard).rows
        except DamagedTable as damage:
            store.quarantine(shards[shard], damage.reason)
    return sizes


def _find_held(
    connection: duckdb.DuckDBPyConnection, store: Store, unit: ScoredUnit, shards: Iterable[str]
) -> None:
    """Note the wanted pairs or situations that these shards hold, and the first of each shard."""
    # Reading the ids twice takes less memory than holding the shard of each id.
    files = exact_patterns(store.table_path(unit.name, shard) for shard in shards)
    for query in (_HELD, _NEEDED) if files else ():
        connection.execute(query.format(key=unit.key), {"files": files})


def _fresh_rows(
    connection: duckdb.DuckDBPyConnection,
    store: Store,
    unit: ScoredUnit,
    inputs: Sequence[tuple[InputManifest, int, int]],
) -> Iterator[dict[str, Any]]:
    """Yield the rows that no shard holds, in order; nothing else may use the connection meanwhile."""
    for manifest, start, _ in inputs:
        bounds = {"start": start, "stop": start + manifest.rows}
        if connection.execute(_FRESH_IN_INPUT, bounds).fetchall() == [(0,)]:
            continue
        file = exact_pattern(store.table_path("turns", manifest.fingerprint))
        # In parts, since the order of a whole log's texts would fill memory.
        for begin in range(0, manifest.rows, _ROWS_AT_ONCE):
            part = {"file": file, "start": start, "begin": begin, "end": begin + _ROWS_AT_ONCE}
            result = connection.execute(_FRESH_ROWS.format(texts=unit.texts), part)
            names = [name for name, *_ in result.description]
            while rows := result.fetchmany(_BATCH):
                yield from (dict(zip(names, row, strict=True)) for row in rows)


def _write_shards(
    store: Store,
    unit: ScoredUnit,
    fresh: Iterator[dict[str, Any]],
    shard_size: int,
    index: ShardIndex,
) -> dict[str, int]:
    """Write rows into shards as they come, and list them; return the size of each new shard."""
    sizes, listed = {}, {}
    while rows := list(islice(fresh, shard_size)):
        ids = [row[unit.key] for row in rows]
        key = shard_key(ids)
        write_table(store.table_path(unit.name, key), rows, unit.table, key)
        sizes[key], listed[key] = len(ids), id_prefixes(ids)
    index.add(listed)
    return sizes
