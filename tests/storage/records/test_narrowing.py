"""Tests that the index of a store is narrowed to some logs and the shards that hold their pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.records.indexes.shard_index import forget_shards
from qsquared.storage.records.indexes.store_index import narrowed, open_index
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIR, SITUATION
from tests.calling import files_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]


@pytest.fixture
def nights(store: Store, log: Log) -> list[tuple[str, set[str]]]:
    """The fingerprint and the shards of two logs, of which the second repeats no reply."""
    found = []
    for night in range(2):
        numbers = range(night * 3, night * 3 + 3)
        rows: list[dict[str, Any]] = [
            {"response": f"r{n}", "knowledge": [f"k{n}"], "history": [f"q{n}"]} for n in numbers
        ]
        name = ingest_file(store, log(f"{night}.jsonl", rows)).fingerprint
        shards = {
            ref.key
            for unit in (PAIR, SITUATION)
            for ref in plan_shards(store, [name], 2, unit=unit)
        }
        found.append((name, shards))
    return found


def held(store: Store, *inputs: str) -> set[str]:
    """The shards of a narrowed index; the others are known to be there."""
    whole = open_index(store)
    near = narrowed(whole, inputs)
    assert [one.fingerprint for one in near.inputs] == list(inputs)
    assert near.shards | near.other_shards == whole.shards
    assert not near.shards & near.other_shards
    return near.shards


def test_an_index_has_the_shards_of_its_logs_alone(
    store: Store, nights: list[tuple[str, set[str]]]
) -> None:
    """Shards of pairs and of situations; without a log there is none."""
    (first, its), (second, others) = nights
    assert len(its) == len(others) == 4
    assert held(store, first) == its
    assert held(store, second) == others
    assert held(store, first, second) == its | others
    assert held(store) == set()


def test_shards_that_no_index_lists_are_read_and_nothing_is_written(
    store: Store, nights: list[tuple[str, set[str]]]
) -> None:
    """After an erasure there is no index; a damaged file of it is only left out of account."""
    (first, its), _ = nights
    (known,) = store.tables("known")
    known.write_bytes(b"damaged")
    before = files_of(store.root)
    assert held(store, first) == its
    assert files_of(store.root) == before
    forget_shards(store)
    assert held(store, first) == its


def test_a_damaged_shard_that_no_index_lists_may_hold_anything(
    store: Store, nights: list[tuple[str, set[str]]]
) -> None:
    """It is left to the check of the tables, which names it."""
    (first, its), (_, others) = nights
    forget_shards(store)
    damaged = next(path for path in store.tables("pairs") if path.stem in others)
    damaged.write_bytes(b"damaged")
    assert held(store, first) == its | {damaged.stem}


def test_turns_are_checked_before_their_ids_are_read(
    store: Store, nights: list[tuple[str, set[str]]]
) -> None:
    """The turns of the logs that are named are checked, and no others."""
    (first, its), (second, _) = nights
    store.table_path("turns", second).write_bytes(b"damaged")
    assert held(store, first) == its
    with pytest.raises(DamagedFile, match=second):
        narrowed(open_index(store), [second])
