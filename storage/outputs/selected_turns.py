"""Select and count the turns of a run or a log, and find the shards that score them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import duckdb

from qsquared.storage.connection import ask, in_little_memory, quote
from qsquared.storage.logs.turns_and_rejects import UNREAD_TIME
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.records.inputs.manifests import InputManifest, read_manifest
from qsquared.storage.sql.phrases import DAY
from qsquared.storage.sql.views import files
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIR, ScoredUnit

UNREAD = f"timestamp IS NULL AND json_exists(metadata, '$.{UNREAD_TIME}')"
"""The SQL condition of a turn whose time could not be read."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The turns that a run is about: inputs by fingerprint, in order, and at most ``limit`` turns.

    A content comes as often as paths of it are counted as logs of their own; copies come once.
    """

    inputs: tuple[str, ...]
    limit: int | None = None

    def sql(self, store: Store) -> str:
        """The turns as a query with a column ``ordinal`` more, in no order.

        With a limit they are the first in the order of the logs.
        """
        rows = ", ".join(f"({i}, {quote(m.fingerprint)})" for i, m in self._counted(store))
        paths = [store.table_path("turns", name) for name in dict.fromkeys(self.inputs)]
        # Sorting a whole log, with its texts, would take memory in proportion to it.
        limit = (
            "" if self.limit is None else f" ORDER BY i.ordinal, t.position LIMIT {int(self.limit)}"
        )
        return (
            f"SELECT i.ordinal, t.* FROM {files(paths)} t "
            f"JOIN (VALUES {rows}) i(ordinal, input) ON t.input = i.input{limit}"
        )

    def rejects(self, store: Store) -> int:
        """Count the rejects of the inputs, those of copies once."""
        return sum(manifest.rejects for _, manifest in self._counted(store))

    def unread_times(self, store: Store) -> int:
        """Count the turns whose time is in the log and could not be read."""
        ((number,),) = ask(store.root, f"SELECT count(*) FROM ({self.sql(store)}) WHERE {UNREAD}")
        return int(number)

    def _counted(self, store: Store) -> Iterator[tuple[int, InputManifest]]:
        """Yield the inputs that count, with their places, and no copies."""
        manifests = {name: read_manifest(store, name) for name in set(self.inputs)}
        left = {name: len(manifest.paths) or 1 for name, manifest in manifests.items()}
        for i, name in enumerate(self.inputs):
            left[name] -= 1
            if left[name] >= 0:
                yield i, manifests[name]


def has_turns_since(store: Store, fingerprint: str, day: date) -> bool:
    """Whether an input has a turn of a day (UTC) or later; one without times belongs to every day."""
    turns = files([store.table_path("turns", fingerprint)])
    ((last,),) = ask(store.root, f"SELECT max({DAY}) FROM {turns}")
    return last is None or bool(last >= day)


def first_reject(store: Store, selection: Selection) -> str | None:
    """The reason of the first reject of the selected inputs, if there is one."""
    for name in selection.inputs:
        rejects = files([store.table_path("rejects", name)])
        for (reason,) in ask(store.root, f"SELECT reason FROM {rejects} ORDER BY position LIMIT 1"):
            return str(reason)
    return None


def turns_by_shard(
    store: Store, selection: Selection, shards: Iterable[str], unit: ScoredUnit = PAIR
) -> dict[str, int]:
    """Count the selected turns that each shard scores."""
    paths = [store.table_path(unit.name, shard) for shard in shards]

    def count(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
        # Ids are counted before they meet their shards, and held as UUIDs: else both would fill memory.
        connection.execute(
            f"CREATE TEMP TABLE counted AS SELECT {unit.of_turn}::uuid AS id, count(*) AS turns "
            f"FROM ({selection.sql(store)}) WHERE {unit.of_turn} IS NOT NULL GROUP BY ALL"
        )
        return connection.execute(
            "SELECT parse_filename(filename, true), sum(turns)::BIGINT FROM counted "
            f"JOIN (SELECT {unit.key}::uuid AS id, filename FROM {files(paths)}) USING (id) GROUP BY ALL"
        ).fetchall()

    return dict(in_little_memory(store.root, count)) if paths else {}


def distinct_pairs(store: Store, selection: Selection) -> set[str]:
    """The pairs that the selected turns reduce to."""
    sql = f"SELECT DISTINCT pair_id FROM ({selection.sql(store)}) WHERE pair_id IS NOT NULL"
    return {pair for (pair,) in ask(store.root, sql)}


def scored_pairs(store: Store, stage: str, lineage: str) -> set[str]:
    """The pairs that have a row in the sound tables of a lineage."""
    checks = Checks(store)
    paths = [path for path in store.tables(f"stages/{stage}/{lineage}") if checks.is_sound(path)]
    rows = ask(store.root, f"SELECT pair_id FROM {files(paths)}") if paths else ()
    return {pair for (pair,) in rows}


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of turns, of those with a reply and with knowledge, of passages, and of rejects by reason.

    ``undated`` is the number of turns whose time could not be read.
    """

    turns: int
    scored: int
    knowing: int
    passages: int
    undated: int
    reasons: tuple[tuple[str, int, int], ...]
    """Reason, number of rejects, and line of the first one; the most frequent reason first."""


def tally(store: Store, manifest: InputManifest) -> Tally:
    """Return the tally of a log."""
    name = manifest.fingerprint
    (counted,) = ask(
        store.root,
        "SELECT count(*), count(*) FILTER (status IS DISTINCT FROM 'empty_response'), "
        "count(*) FILTER (len(knowledge) > 0), coalesce(sum(len(knowledge)), 0), "
        f"count(*) FILTER ({UNREAD}) FROM {files([store.table_path('turns', name)])}",
    )
    reasons = ask(
        store.root,
        "SELECT reason, count(*) AS number, min(line) "
        f"FROM {files([store.table_path('rejects', name)])} GROUP BY reason ORDER BY number DESC, reason",
    )
    turns, scored, knowing, passages, undated = map(int, counted)
    return Tally(turns, scored, knowing, passages, undated, tuple(reasons))
