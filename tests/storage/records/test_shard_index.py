"""Planning opens only the shards that it needs, and trusts no index that is damaged or behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from qsquared.storage.erasing.rewriting import erase_units
from qsquared.storage.records import shards as planning
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import ShardRef, plan_shards
from qsquared.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]


def rows(*numbers: int) -> list[dict[str, Any]]:
    """Log rows, each with a pair of its own number."""
    return [{"response": f"r{n}", "knowledge": [f"k{n}"]} for n in numbers]


def plan(store: Store, log: Path, size: int = 2) -> list[ShardRef]:
    """The shards of a log."""
    return plan_shards(store, [ingest_file(store, log).fingerprint], size)


def index_files(store: Store) -> list[Path]:
    """The files of the index."""
    return sorted((store.root / "known").glob("*.parquet"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The shards whose files planning reads, in order."""
    names: list[str] = []

    def noting(name: str) -> None:
        original = getattr(planning, name)

        def read(path: Path, *arguments: Any) -> Any:
            if path.parent.name == "pairs":
                names.append(path.stem)
            return original(path, *arguments)

        monkeypatch.setattr(planning, name, read)

    noting("check_table")
    noting("read_table")
    return names


def test_a_night_opens_no_shard_that_holds_none_of_its_pairs(
    store: Store, log: Log, opened: list[str]
) -> None:
    """Of earlier nights only those shards are read that hold a pair which is given again."""
    first = plan(store, log("a.jsonl", rows(*range(6))))
    plan(store, log("b.jsonl", rows(*range(10, 16))))
    assert opened == []
    third = plan(store, log("c.jsonl", rows(20, 3, 21)))
    assert opened == [first[1].key]
    assert [shard.units for shard in third] == [2, 2]


def test_a_store_without_an_index_gets_one(store: Store, log: Log, opened: list[str]) -> None:
    """Shards that no index lists, as those of earlier versions, are read once and then known."""
    first = plan(store, log("a.jsonl", rows(*range(6))))
    for path in index_files(store):
        path.unlink()
    assert plan(store, log("b.jsonl", rows(1, 30)))[0] == first[0]
    assert sorted(set(opened)) == sorted(shard.key for shard in first)
    opened.clear()
    plan(store, log("c.jsonl", rows(31)))
    assert opened == []


@pytest.mark.parametrize("damage", [b"", b"PAR1"])
def test_a_damaged_index_is_put_aside_and_made_again(store: Store, log: Log, damage: bytes) -> None:
    """Its shards are read again; none of their pairs is put into a second shard."""
    first = plan(store, log("a.jsonl", rows(*range(6))))
    (path,) = index_files(store)
    path.write_bytes(damage)
    assert plan(store, log("b.jsonl", rows(5, 4, 3))) == [first[2], first[1]]
    assert [one.name.split("__")[0] for one in (store.root / "quarantine").iterdir()] == ["known"]
    assert all(Checks(store).is_sound(one) for one in index_files(store))


def test_a_shard_that_is_gone_holds_nothing(store: Store, log: Log) -> None:
    """An entry of the index does not count if its file is not there."""
    path = log("a.jsonl", rows(*range(4)))
    first = plan(store, path)
    store.table_path("pairs", first[0].key).unlink()
    assert plan(store, path) == first
    assert store.table_path("pairs", first[0].key).exists()


def test_the_index_stays_a_few_files(store: Store, log: Log) -> None:
    """Files of the index are merged, so that many nights leave few of them."""
    nights = [plan(store, log(f"{n}.jsonl", rows(2 * n, 2 * n + 1))) for n in range(16)]
    assert len(index_files(store)) <= 4
    everything = plan(store, log("all.jsonl", rows(*range(32))))
    assert everything == [shard for night in nights for shard in night]


def test_an_erasure_leaves_no_id_in_the_index(store: Store, log: Log) -> None:
    """The index goes with what is erased, since it would tell that a reply was once there."""
    plan(store, log("a.jsonl", rows(1, 2)))
    erase_units(store)
    assert index_files(store) == []
