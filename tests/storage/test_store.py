"""The layout of a store and its small files."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from qsquared.errors import StoreError, UsageError
from qsquared.storage.files.atomic import remove_stale_temporaries, temporary_path
from qsquared.storage.store import Store

if TYPE_CHECKING:
    from pathlib import Path

KEY = "0f" * 16


def test_a_store_is_made_only_when_asked(tmp_path: Path) -> None:
    """Opening a missing store is an error unless it may be made; then it opens again."""
    with pytest.raises(StoreError, match="no store"):
        Store.open(tmp_path / "s")
    assert Store.open(tmp_path / "s", create=True) == Store.open(tmp_path / "s")


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    """The error names both versions and says what to do."""
    (tmp_path / "store.json").write_text('{"schema_version": 99}')
    with pytest.raises(StoreError, match="99") as caught:
        Store.open(tmp_path, create=True)
    assert "new store" in caught.value.hint


def test_a_store_that_lost_its_version_is_refused(store: Store) -> None:
    """A folder with tables but no store.json is not taken for a new store."""
    store.write_json(store.manifest_path(KEY), {})
    (store.root / "store.json").unlink()
    with pytest.raises(StoreError, match=r"store\.json"):
        Store.open(store.root, create=True)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null"])
def test_a_broken_manifest_is_named(store: Store, content: bytes) -> None:
    """JSON that cannot be read is an error that names the file."""
    path = store.small_file("runs", "r1")
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"r1\.json"):
        store.read_json(path)


def test_json_comes_back(store: Store) -> None:
    """JSON that is written atomically is read back, and no other file is left."""
    path = store.small_file("configurations", "q2+compact")
    store.write_json(path, {"spans": "é"})
    assert store.read_json(path) == {"spans": "é"}
    assert list(path.parent.iterdir()) == [path]


def test_json_that_fails_leaves_the_old(store: Store) -> None:
    """A value that is no JSON leaves the file as it was."""
    path = store.small_file("runs", "r")
    store.write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="JSON"):
        store.write_json(path, {"a": float("nan")})
    assert store.read_json(path) == {"a": 1}
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("key", ["../../etc", "", "ABCDEF0123", "xyz", "0f/0f0f0f0f", "0f0f0f0f\n"])
def test_only_keys_make_paths(store: Store, key: str) -> None:
    """Nothing but a hex key may become a part of a path."""
    with pytest.raises(StoreError):
        store.table_path("pairs", key)
    with pytest.raises(StoreError):
        store.stage_path("spans", KEY, key)
    with pytest.raises(StoreError):
        store.small_file("runs", "../" + key)


def test_quarantine_keeps_the_file(store: Store) -> None:
    """A damaged file moves away under a new name; one that is gone gives None."""
    path = store.table_path("pairs", KEY)
    path.parent.mkdir()
    path.write_bytes(b"broken")
    moved = store.quarantine(path)
    assert moved is not None
    assert moved.read_bytes() == b"broken"
    assert moved.parent == store.root / "quarantine"
    assert not path.exists()
    assert store.quarantine(path) is None


def test_temporaries_of_dead_processes_go(tmp_path: Path) -> None:
    """Half-written files go when their writer is dead; living writers keep theirs."""
    code = (
        "import pathlib, sys; from qsquared.storage.files.atomic import temporary_path;"
        "temporary_path(pathlib.Path(sys.argv[1])).touch()"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x.parquet")], check=True)
    mine = temporary_path(tmp_path / "x.parquet")
    mine.touch()
    other = tmp_path / f".x.otherhost-{os.getpid()}-00000000.tmp"
    other.touch()
    (tmp_path / ".foreign.tmp").touch()
    assert remove_stale_temporaries(tmp_path) == 1
    assert {p.name for p in tmp_path.iterdir()} == {mine.name, other.name, ".foreign.tmp"}
    os.utime(other, (0, 0))
    assert remove_stale_temporaries(tmp_path) == 1


@pytest.mark.parametrize("name", ["2026-11-16.jsonl", "logs"])
def test_no_store_is_made_among_other_things(tmp_path: Path, name: str) -> None:
    """A folder of logs that was named as the store by mistake stays as it is."""
    (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match=f"other things, such as {name}"):
        Store.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]
