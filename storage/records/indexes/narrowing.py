"""Narrow the index of a store to some logs, so that to read a night costs what the night is."""

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from qsquared.storage.connection import exact_patterns, open_connection
from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.records.indexes.shard_index import ID_PREFIX, ShardIndex, id_prefixes
from qsquared.storage.records.indexes.store_index import StoreIndex
from qsquared.storage.tables.registry import TURNS, UNITS, ScoredUnit

_WANTED = f"""
SELECT DISTINCT {ID_PREFIX.format(id="id")} AS beginning
FROM (SELECT {{of_turn}} AS id FROM read_parquet($turns)) WHERE id IS NOT NULL
"""


def narrowed(index: StoreIndex, inputs: Collection[str]) -> StoreIndex:
    """Return the index of some inputs, and of the shards that may hold a pair or situation of them.

    The turns of these inputs are checked, since their ids are read; other tables are not.

    Args:
        index: the index of the whole store.
        inputs: fingerprints; one that the store does not have is left out.

    Raises:
        DamagedFile: the turns of one of the inputs cannot be trusted.
    """
    chosen = frozenset(inputs)
    manifests = [one for one in index.manifests if one.fingerprint in chosen]
    near = replace(index, manifests=manifests)
    near.check({TURNS.name})
    known = ShardIndex(index.store, mends=False)
    shards = {unit.name: set(_holders(near, unit, known)) for unit in UNITS.values()}
    near = replace(near, shards_of=shards)
    return replace(near, other_shards=frozenset(index.shards - near.shards))


def _holders(index: StoreIndex, unit: ScoredUnit, known: ShardIndex) -> Iterator[str]:
    """Yield the shards that may hold a pair or situation of the index's inputs, rather too many."""
    shards, turns = index.shards_of[unit.name], exact_patterns(index.files(TURNS.name))
    if not shards or not turns:
        return
    with open_connection(index.store.root) as connection:
        asked = connection.execute(_WANTED.format(of_turn=unit.of_turn), {"turns": turns})
        wanted = asked.fetchnumpy()["beginning"]
    yield from shards.intersection(known.holders(wanted))
    for shard in known.unlisted(shards):
        if _may_hold(index, unit, shard, wanted):
            yield shard


def _may_hold(
    index: StoreIndex, unit: ScoredUnit, shard: str, wanted: npt.NDArray[np.uint64]
) -> bool:
    """Whether a shard that no file lists holds one of the ids; a damaged one may, and is checked later."""
    try:
        found = read_table(index.store.units_path(unit.name, shard), unit.table, shard)
    except DamagedTable:
        return True
    ids = np.frombuffer(id_prefixes(found.column(unit.key).to_pylist()), "<u8")
    return bool(np.isin(ids, wanted).any())
