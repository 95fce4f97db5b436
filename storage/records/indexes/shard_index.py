"""Index of the ids that each shard holds, so that planning opens only the shards that it needs.

Each file lists some shards with the first eight bytes of each of their ids, and its footer has its hash.
A shard that no file lists is read and listed; so the index may be removed at any time.
An id is eight bytes of a hash here, so a shard that the index names is read before it is believed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from qsquared.storage.files.parquet import DamagedTable, read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.keys import digest
from qsquared.storage.store import Store
from qsquared.storage.tables import TEXT, Column, Table

SHARD_IDS = Table(
    "known",
    "The shards of pairs and of situations with the beginnings of their ids.",
    (
        Column("shard", TEXT, "Name of the shard."),
        Column(
            "ids", pa.binary(), "The first 64 bits of each id, 8 bytes each, the lowest byte first."
        ),
    ),
)

ID_PREFIX = "('0x' || left({id}, 16))::ubigint"
"""The first 64 bits of an id as SQL."""


def id_prefixes(ids: Iterable[str]) -> bytes:
    """Return the first 64 bits of each id, as the column ``ids`` of the table holds them."""
    return np.array([int(digits[:16], 16) for digits in ids], "<u8").tobytes()


class ShardIndex:
    """The index of a store; to be used under the `planning_lock`, or only to be looked at.

    Args:
        store: the store.
        mends: put damaged files of the index aside, and not only out of account.
    """

    def __init__(self, store: Store, *, mends: bool = True) -> None:
        self._store = store
        self._files: dict[Path, dict[str, bytes]] = {}
        for path in store.tables(SHARD_IDS.name):
            try:
                rows = read_table(path, SHARD_IDS, path.stem).to_pylist()
            except DamagedTable as damage:
                if mends:
                    store.quarantine(path, damage.reason)
            else:
                self._files[path] = {row["shard"]: row["ids"] for row in rows}

    def unlisted(self, shards: Collection[str]) -> list[str]:
        """Return those of the shards that the index does not list."""
        listed = {shard for ids_of in self._files.values() for shard in ids_of}
        return [shard for shard in shards if shard not in listed]

    def holders(self, wanted: npt.NDArray[np.uint64]) -> Iterator[str]:
        """Yield the shards that seem to hold one of the ids of which these are the prefixes."""
        wanted.sort()
        for ids_of in self._files.values() if len(wanted) else ():
            for shard, ids in ids_of.items():
                prefixes = np.frombuffer(ids, "<u8")
                nearest = np.minimum(np.searchsorted(wanted, prefixes), len(wanted) - 1)
                if (wanted[nearest] == prefixes).any():
                    yield shard

    def add(self, shards: Mapping[str, bytes]) -> None:
        """List shards with the `id_prefixes` of their ids, in a file with all earlier files that are no larger.

        So each shard is written anew a few times only, and there are a few files only.
        """
        if not shards:
            return
        rows = dict(shards)
        merged = []
        for path, ids_of in sorted(self._files.items(), key=lambda item: len(item[1])):
            if len(ids_of) <= len(rows):
                rows |= ids_of
                merged.append(path)
        key = digest([SHARD_IDS.name, *sorted(rows)])
        path = self._store.table_path(SHARD_IDS.name, key)
        write_table(
            path, [{"shard": shard, "ids": ids} for shard, ids in rows.items()], SHARD_IDS, key
        )
        for old in merged:
            del self._files[old]
            # A kill before leaves shards that are listed twice, which does no harm.
            old.unlink(missing_ok=True)
        self._files[path] = rows


def forget_shards(store: Store) -> None:
    """Remove the index, which also holds the ids of shards that were removed."""
    for path in store.tables(SHARD_IDS.name):
        path.unlink(missing_ok=True)
