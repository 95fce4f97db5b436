"""Distinct pairs are put into fixed shards, each once."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from qsquared.errors import StoreError, UsageError
from qsquared.storage.files.parquet import check_table, read_table
from qsquared.storage.keys import shard_key
from qsquared.storage.records import shards as module
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import ShardRef, plan_shards
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable

    Log = Callable[..., Path]


def rows(*numbers: int) -> list[dict[str, Any]]:
    """Log rows, each with a pair of its own number."""
    return [{"response": f"r{n}", "knowledge": [f"k{n}", "k"]} for n in numbers]


def contents(store: Store, shards: list[ShardRef]) -> list[list[str]]:
    """The responses in each shard."""
    return [
        read_table(store.table_path("pairs", s.key), PAIRS, s.key).column("response").to_pylist()
        for s in shards
    ]


def files(store: Store) -> dict[str, bytes]:
    """The shard files by name."""
    return {p.name: p.read_bytes() for p in (store.root / "pairs").iterdir()}


def ingest(store: Store, *paths: Path) -> list[str]:
    """Fingerprints of the ingested logs."""
    return [ingest_file(store, path).fingerprint for path in paths]


def test_distinct_pairs_come_in_order_of_first_appearance(store: Store, log: Log) -> None:
    """Turns that share a pair make one, over all inputs; the last shard may be smaller."""
    names = ingest(store, log("b.jsonl", rows(5, 3, 5, 4)), log("a.jsonl", rows(3, 1, 2)))
    shards = plan_shards(store, names, 2)
    assert contents(store, shards) == [["r5", "r3"], ["r4", "r1"], ["r2"]]
    assert [shard.units for shard in shards] == [2, 2, 1]
    table = read_table(store.table_path("pairs", shards[0].key), PAIRS, shards[0].key)
    assert table.column("knowledge").to_pylist() == [["k5", "k"], ["k3", "k"]]
    assert shards[0].key == shard_key(table.column("pair_id").to_pylist())


def test_a_long_log_is_planned_in_parts(
    store: Store, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards are filled across the parts, in the order of the log, also behind lines that are none."""
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 2)
    numbered = [*rows(7, 8), {"response": 5}, *rows(7, 9, 10, 8, 11)]
    shards = plan_shards(store, ingest(store, log("a.jsonl", numbered)), 3)
    assert contents(store, shards) == [["r7", "r8", "r9"], ["r10", "r11"]]


def test_memory_that_does_not_suffice_changes_no_shard(
    store: Store, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planning that runs out of memory after its first shards begins again with more, and finds them."""
    write, tried = module.write_table, []

    def fail_once(path: Path, *content: Any) -> Any:
        tried.append(path.stem)
        if len(tried) == 2:
            raise duckdb.OutOfMemoryException("The second shard was too much.")
        return write(path, *content)

    monkeypatch.setattr(module, "write_table", fail_once)
    shards = plan_shards(store, ingest(store, log("a.jsonl", rows(1, 2, 3, 4, 5))), 2)
    assert contents(store, shards) == [["r1", "r2"], ["r3", "r4"], ["r5"]]
    first, second, third = (shard.key for shard in shards)
    assert tried == [first, second, second, third]


def test_turns_with_nothing_to_score_make_no_pair(store: Store, log: Log) -> None:
    """Empty responses and missing knowledge are left out; no pair at all gives no shard."""
    names = ingest(store, log("a.jsonl", [{"response": ""}, {"response": "x"}, *rows(1)]))
    assert contents(store, plan_shards(store, names, 5)) == [["r1"]]
    empty = ingest(store, log("b.jsonl", [{"response": ""}]), log("c.jsonl", b""))
    assert plan_shards(store, empty, 5) == []
    assert plan_shards(store, [], 5) == []


def test_planning_twice_makes_nothing_new(store: Store, log: Log) -> None:
    """The same inputs give the same shards, whatever shard size is asked for later."""
    names = ingest(store, log("a.jsonl", rows(*range(10))))
    first = plan_shards(store, names, 4)
    before = files(store)
    assert plan_shards(store, names, 4) == first
    assert plan_shards(store, names, 3) == first
    assert files(store) == before


def test_only_what_is_new_makes_shards(store: Store, log: Log) -> None:
    """A log that shares 90 % with an older one adds its 10 % only."""
    old = ingest(store, log("a.jsonl", rows(*range(100))))
    first = plan_shards(store, old, 20)
    new = ingest(store, log("b.jsonl", rows(*range(10, 110))))
    both = plan_shards(store, new, 20)
    assert both[:-1] == first
    assert contents(store, both[-1:]) == [[f"r{n}" for n in range(100, 110)]]


def test_shards_come_in_the_order_of_the_inputs_asked_for(store: Store, log: Log) -> None:
    """The order is that of these inputs, and shards of other inputs stay out."""
    one, two, other = ingest(
        store, log("a.jsonl", rows(1)), log("b.jsonl", rows(2)), log("c.jsonl", rows(3))
    )
    plan_shards(store, [one, two, other], 1)
    assert contents(store, plan_shards(store, [two, one], 1)) == [["r2"], ["r1"]]


def test_a_limit_counts_turns_over_all_inputs(store: Store, log: Log) -> None:
    """Only pairs of the first turns are wanted, turns without a pair counted."""
    names = ingest(
        store, log("a.jsonl", [*rows(1, 2), {"response": ""}]), log("b.jsonl", rows(3, 4))
    )
    assert contents(store, plan_shards(store, names, 10, limit=4)) == [["r1", "r2", "r3"]]
    assert contents(store, plan_shards(store, names, 10, limit=1)) == [["r1", "r2", "r3"]]
    assert contents(store, plan_shards(store, names, 10)) == [["r1", "r2", "r3"], ["r4"]]
    assert plan_shards(store, names, 10, limit=0) == []


def test_a_copy_takes_none_of_the_limit(store: Store, log: Log) -> None:
    """An input named again brings nothing new, so the turns after it are planned."""
    one, two = ingest(store, log("a.jsonl", rows(1, 2)), log("b.jsonl", rows(3, 4)))
    shards = plan_shards(store, [one, one, two], 10, limit=3)
    assert contents(store, shards) == [["r1", "r2", "r3"]]


def test_an_interrupted_plan_ends_with_the_same_shards(
    store: Store, log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between two shards and run again, planning gives what one run gives."""
    paths = (log("a.jsonl", rows(*range(7))), log("b.jsonl", rows(*range(3, 12))))
    calm = Store.open(tmp_path / "calm", create=True)
    expected = plan_shards(calm, ingest(calm, *paths), 3)
    names = ingest(store, *paths)
    written = []

    def dying(*arguments: Any) -> Any:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(arguments)
        return write(*arguments)

    write = module.write_table
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_table", dying)
        with pytest.raises(KeyboardInterrupt):
            plan_shards(store, names, 3)
    assert len(files(store)) == 2
    assert plan_shards(store, names, 3) == expected
    assert files(store) == files(calm)


@pytest.mark.parametrize("damage", ["flip", "delete", "swap", "empty"])
def test_a_damaged_shard_is_made_again(store: Store, log: Log, damage: str) -> None:
    """Pairs of a damaged shard come from the turns again, under the same key."""
    names = ingest(store, log("a.jsonl", rows(*range(9))))
    shards = plan_shards(store, names, 3)
    before = files(store)
    path = store.table_path("pairs", shards[1].key)
    data = path.read_bytes()
    if damage == "flip":
        path.write_bytes(data[:60] + bytes([data[60] ^ 1]) + data[61:])
    elif damage == "delete":
        path.unlink()
    elif damage == "swap":
        path.write_bytes(store.table_path("pairs", shards[0].key).read_bytes())
    else:
        path.write_bytes(b"")
    assert plan_shards(store, names, 3) == shards
    assert files(store) == before
    assert (store.root / "quarantine").exists() == (damage != "delete")


def test_damaged_turns_are_an_error_with_a_way_out(store: Store, log: Log) -> None:
    """Turns that cannot be trusted are never planned from; the hint names the log."""
    path = log("a.jsonl", rows(1))
    names = ingest(store, path)
    store.table_path("turns", names[0]).write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="damaged") as caught:
        plan_shards(store, names, 3)
    assert str(path) in caught.value.hint
    with pytest.raises(StoreError, match="missing"):
        plan_shards(store, ["ab" * 16], 3)


def test_a_shard_has_at_least_one_pair(store: Store) -> None:
    """A size below one is a usage error."""
    with pytest.raises(UsageError):
        plan_shards(store, [], 0)


def test_a_store_may_lie_at_a_path_with_pattern_characters(tmp_path: Path, log: Log) -> None:
    """Brackets, stars, quotes and spaces in the store's path mean themselves."""
    store = Store.open(tmp_path / "it's [a] *store?", create=True)
    names = ingest(store, log("a.jsonl", rows(1, 2)))
    assert contents(store, plan_shards(store, names, 5)) == [["r1", "r2"]]
    assert contents(store, plan_shards(store, names, 5)) == [["r1", "r2"]]


def _plan(root: Path, names: list[str]) -> None:
    plan_shards(Store.open(root), names, 5)


@pytest.mark.slow
def test_two_processes_never_put_a_pair_into_two_shards(store: Store, log: Log) -> None:
    """Plans made at the same time share their pairs out."""
    names = ingest(store, log("a.jsonl", rows(*range(40))), log("b.jsonl", rows(*range(20, 60))))
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_plan, args=(store.root, given)) for given in (names, names[::-1])
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    found = [
        pair
        for path in sorted((store.root / "pairs").iterdir())
        for pair in read_table(path, PAIRS, path.stem).column("pair_id").to_pylist()
    ]
    assert len(found) == len(set(found)) == 60
    for path in (store.root / "pairs").iterdir():
        check_table(path, PAIRS, path.stem)
