"""Tests that logs are read into turns and rejects once."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsquared.errors import InputError
from qsquared.storage.files.parquet import check_table, read_table
from qsquared.storage.records.inputs.ingest import find_input, ingest_file
from qsquared.storage.records.inputs.manifests import current_manifests, read_manifest
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, TURNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from qsquared.storage.records.inputs.manifests import InputManifest

    Log = Callable[..., Path]

ROWS = [{"id": str(i), "response": f"r{i}", "knowledge": f"k{i}"} for i in range(10)]


def turns(store: Store, manifest: InputManifest) -> list[dict[str, Any]]:
    """Rows of the turns table."""
    name = manifest.fingerprint
    return list(read_table(store.table_path("turns", name), TURNS, name).to_pylist())


def rejects(store: Store, manifest: InputManifest) -> list[dict[str, Any]]:
    """Rows of the rejects table."""
    name = manifest.fingerprint
    return list(read_table(store.table_path("rejects", name), REJECTS, name).to_pylist())


def test_a_log_becomes_turns_rejects_and_a_manifest(store: Store, log: Log) -> None:
    """The manifest counts both tables and can be read again."""
    path = log("a.jsonl", json.dumps(ROWS[0]).encode() + b'\n{"broken\n{"response": 1}\n')
    seen: list[int] = []
    manifest = ingest_file(store, path, on_progress=seen.append)
    assert (manifest.rows, manifest.turns, manifest.rejects, manifest.limit) == (3, 1, 2, None)
    assert manifest.paths == (str(path),)
    assert manifest.size == path.stat().st_size
    assert [turn["response"] for turn in turns(store, manifest)] == ["r0"]
    assert [(r["line"], r["raw"]) for r in rejects(store, manifest)] == [
        (2, '{"broken'),
        (3, '{"response": 1}'),
    ]
    assert read_manifest(store, manifest.fingerprint) == manifest
    assert seen == [3]


def test_the_same_log_is_read_once(store: Store, log: Log) -> None:
    """A second ingest touches no table, and says that it reused the first."""
    path = log("a.jsonl", ROWS)
    first = ingest_file(store, path)
    before = store.table_path("turns", first.fingerprint).stat().st_mtime_ns
    second = ingest_file(store, path)
    assert (first.reused, second.reused) == (False, True)
    assert second.ingested_at == first.ingested_at
    assert store.table_path("turns", first.fingerprint).stat().st_mtime_ns == before


def paths(store: Store) -> list[str]:
    """Names of the files whose turns the store counts."""
    found = [path for manifest in current_manifests(store) for path in manifest.paths]
    return sorted(Path(path).name for path in found)


def test_a_copy_of_a_log_is_counted_once(
    store: Store, log: Log, caplog: pytest.LogCaptureFixture
) -> None:
    """The manifest names both paths, the store keeps one, and a warning tells how to count both."""
    ingest_file(store, log("a.jsonl", ROWS))
    copy = log("b.jsonl", ROWS)
    manifest = ingest_file(store, copy)
    assert [Path(path).name for path in manifest.paths] == ["a.jsonl", "b.jsonl"]
    assert manifest.reused
    assert paths(store) == ["a.jsonl"]
    assert "--as-another-log" in caplog.text
    found = find_input(store, copy)
    assert found is not None
    assert found.paths == manifest.paths


def test_a_copy_is_another_log_for_who_says_so(store: Store, log: Log) -> None:
    """Both paths are counted then, and stay so."""
    ingest_file(store, log("a.jsonl", ROWS))
    copy = log("b.jsonl", ROWS)
    ingest_file(store, copy, as_another_log=True)
    ingest_file(store, copy)
    assert paths(store) == ["a.jsonl", "b.jsonl"]


def test_a_moved_log_takes_its_new_path(store: Store, log: Log) -> None:
    """The path that is gone is counted no more."""
    path = log("a.jsonl", ROWS)
    first = ingest_file(store, path)
    moved = path.rename(path.with_name("moved.jsonl"))
    assert find_input(store, moved) is None
    assert ingest_file(store, moved).fingerprint == first.fingerprint
    assert paths(store) == ["moved.jsonl"]


def test_a_moved_log_that_is_read_in_another_way_is_counted_once(store: Store, log: Log) -> None:
    """As after an upgrade that reads the same bytes into other turns."""
    path = log("a.jsonl", ROWS)
    ingest_file(store, path)
    ingest_file(store, path.rename(path.with_name("moved.jsonl")), {"id": "conversation_id"})
    assert paths(store) == ["moved.jsonl"]


def test_a_log_that_shrinks_or_ends_early_is_doubtful(store: Store, log: Log) -> None:
    """The manifest says why, and a log that has grown is none."""
    assert not ingest_file(store, log("a.jsonl", ROWS[:5])).doubt
    assert not ingest_file(store, log("a.jsonl", ROWS)).doubt
    shorter = ingest_file(store, log("a.jsonl", ROWS[:4]))
    assert shorter.doubt == "a.jsonl had 10 turns when it was read before, and has 4 now."
    whole = gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in ROWS * 50))
    cut = ingest_file(store, log("b.jsonl.gz", whole[: len(whole) // 2]))
    assert cut.doubt.startswith("b.jsonl.gz: The file ends early: the gzip data is cut short")
    assert read_manifest(store, cut.fingerprint).doubt == cut.doubt
    text = b"response,knowledge,said\n" + b"It leaves at 7.,It leaves at 8.,me\n" * 9
    for name, content in (
        ("c.jsonl", json.dumps(ROWS[0]).encode() + b'\n{"resp'),
        ("d.csv", text[:-7]),
    ):
        assert ingest_file(store, log(name, content)).doubt.endswith("its last row is not whole.")


def test_new_content_takes_the_place_of_the_old(store: Store, log: Log) -> None:
    """A path has only its latest content, also when an older content comes back."""
    old = ingest_file(store, log("a.jsonl", ROWS[:5]))
    new = ingest_file(store, log("a.jsonl", ROWS))
    assert [m.fingerprint for m in current_manifests(store)] == [new.fingerprint]
    assert read_manifest(store, old.fingerprint).paths == ()
    ingest_file(store, log("a.jsonl", ROWS[:5]))
    assert [m.fingerprint for m in current_manifests(store)] == [old.fingerprint]


def test_another_mapping_is_another_input(store: Store, log: Log) -> None:
    """The mapping is part of the fingerprint."""
    path = log("a.jsonl", [{"answer": "x", "response": "y", "knowledge": "k"}])
    plain = ingest_file(store, path)
    mapped = ingest_file(store, path, {"answer": "response"})
    assert plain.fingerprint != mapped.fingerprint
    assert turns(store, mapped)[0]["response"] == "x"
    assert [m.fingerprint for m in current_manifests(store)] == [mapped.fingerprint]


def test_a_limit_counts_turns(store: Store, log: Log) -> None:
    """Reading stops after so many turns; rejects before them are kept and do not count."""
    path = log("a.jsonl", b"{\n" + b"".join(json.dumps(row).encode() + b"\n" for row in ROWS))
    manifest = ingest_file(store, path, limit=4)
    assert (manifest.limit, manifest.turns, manifest.rejects) == (4, 4, 1)


def test_a_larger_limit_reads_again_and_a_smaller_reuses(store: Store, log: Log) -> None:
    """The store keeps the longest reading of a log."""
    path = log("a.jsonl", ROWS)
    assert ingest_file(store, path, limit=4).turns == 4
    small = ingest_file(store, path, limit=2)
    assert (small.turns, small.reused) == (4, True)
    large = ingest_file(store, path, limit=6)
    assert (large.turns, large.limit, large.reused) == (6, 6, False)
    whole = ingest_file(store, path)
    assert (whole.turns, whole.limit, whole.paths) == (10, None, (str(path),))
    assert ingest_file(store, path, limit=3).reused


def test_a_limit_that_is_not_met_reads_the_whole_log(store: Store, log: Log) -> None:
    """A log with no more turns than the limit counts as read whole."""
    path = log("a.jsonl", ROWS)
    for limit in (10, 11):
        assert ingest_file(store, path, limit=limit).limit is None
    assert ingest_file(store, path).reused


@pytest.mark.parametrize("kind", ["turns", "rejects"])
@pytest.mark.parametrize("damage", ["flip", "delete"])
def test_a_damaged_table_is_made_again(store: Store, log: Log, kind: str, damage: str) -> None:
    """Damaged tables are put aside and read from the log anew, byte for byte."""
    path = log("a.jsonl", ROWS)
    name = ingest_file(store, path).fingerprint
    table = (
        store.table_path("turns", name) if kind == "turns" else store.table_path("rejects", name)
    )
    content = table.read_bytes()
    if damage == "flip":
        table.write_bytes(content[:100] + b"?" + content[101:])
    else:
        table.unlink()
    assert not ingest_file(store, path).reused
    assert table.read_bytes() == content
    assert (store.root / "quarantine").exists()


def test_a_table_that_the_manifest_does_not_know_is_made_again(store: Store, log: Log) -> None:
    """A whole table left by an interrupted ingest of another length is not trusted."""
    path = log("a.jsonl", ROWS)
    short = ingest_file(store, path, limit=3)
    stale = store.table_path("turns", short.fingerprint).read_bytes()
    ingest_file(store, path)
    store.table_path("turns", short.fingerprint).write_bytes(stale)
    manifest = ingest_file(store, path)
    assert (manifest.reused, manifest.turns) == (False, 10)
    check_table(store.table_path("turns", short.fingerprint), TURNS, short.fingerprint)


def test_a_broken_manifest_is_put_aside(store: Store, log: Log) -> None:
    """A log whose manifest cannot be read is ingested again."""
    path = log("a.jsonl", ROWS)
    name = ingest_file(store, path).fingerprint
    store.manifest_path(name).write_text("{")
    assert ingest_file(store, path).turns == 10
    assert read_manifest(store, name).turns == 10


def test_a_file_that_cannot_be_read_leaves_no_trace(store: Store, log: Log) -> None:
    """An unreadable log makes neither tables nor a manifest."""
    with pytest.raises(InputError):
        ingest_file(store, log("a.csv", b"answer\nx\n"))
    assert not list(store.root.rglob("*.parquet"))
    assert current_manifests(store) == []


def test_an_empty_log_is_an_input_without_rows(store: Store, log: Log) -> None:
    """An empty file has a manifest and two empty tables."""
    manifest = ingest_file(store, log("a.csv", b""))
    assert (manifest.rows, turns(store, manifest), rejects(store, manifest)) == (0, [], [])


def test_an_input_is_found_only_if_ingest_would_do_nothing(store: Store, log: Log) -> None:
    """A log that is new, changed or read too short is not found."""
    path = log("a.jsonl", ROWS)
    assert find_input(store, path) is None
    ingest_file(store, path, limit=3)
    assert find_input(store, path) is None
    made = ingest_file(store, path)
    found = find_input(store, path)
    assert found is not None
    assert found.fingerprint == made.fingerprint
    assert find_input(store, log("a.jsonl", ROWS[:2])) is None


def test_duplicate_ids_stay(store: Store, log: Log) -> None:
    """Two rows with one id are two turns."""
    manifest = ingest_file(store, log("a.jsonl", [ROWS[0], ROWS[0]]))
    assert [turn["id"] for turn in turns(store, manifest)] == ["0", "0"]


LINES = st.one_of(
    st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")),
    st.fixed_dictionaries(
        {},
        optional={
            "response": st.text(max_size=5) | st.none() | st.integers(),
            "knowledge": st.text(max_size=5)
            | st.lists(st.text(max_size=3), max_size=2)
            | st.none(),
            "turn": st.integers() | st.text(max_size=2),
            "timestamp": st.integers() | st.floats() | st.text(max_size=4),
            "extra": st.floats() | st.text(max_size=3),
        },
    ).map(lambda row: json.dumps(row).encode()),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_every_row_is_a_turn_or_a_reject(lines: list[bytes]) -> None:
    """Rows in are turns and rejects out, each position exactly once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        # A readable first block, since a file of nothing but garbage is an error of its own.
        head = json.dumps({"response": "r" * 300, "knowledge": "k"}).encode()
        path.write_bytes(b"\n".join([head, *lines]))
        store = Store.open(Path(folder) / "store", create=True)
        manifest = ingest_file(store, path)
        out = [*turns(store, manifest), *rejects(store, manifest)]
        rows = 1 + sum(bool(line.strip()) for line in lines)
        assert sorted(row["position"] for row in out) == list(range(rows))
        assert manifest.rows == manifest.turns + manifest.rejects == rows
