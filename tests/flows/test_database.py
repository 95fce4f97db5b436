"""Tests of Prefect's empty database, which the first store of a machine caches for the next ones."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from qsquared.flows.prefect_api.database import begin_from_empty, is_current, keep_empty

_RUN = """
import sys
from pathlib import Path
from qsquared.flows.prefect_api.embedded import embedded_prefect

with embedded_prefect(Path(sys.argv[1])):
    from prefect import flow

    @flow
    def nothing() -> int:
        return 7

    print(nothing())
"""
_THREADS = """
import atexit, threading
atexit.register(lambda: print([t.name for t in threading.enumerate() if "Loop" in t.name]))
"""
"""Begins a script that tells, last of all, which of Prefect's loops are left."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the user's."""
    monkeypatch.delenv("Q2_WORK", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "qsquared"


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    """The home of an API that has made its tables, and one where none was yet."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with closing(sqlite3.connect(first / "prefect.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE flow_run (id)")
        connection.commit()
    return first, second


def tables(home: Path) -> list[str]:
    """The names of the tables in a home's database."""
    with closing(sqlite3.connect(home / "prefect.db")) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]


def test_a_second_store_begins_with_the_tables_of_the_first(
    cache: Path, homes: tuple[Path, Path]
) -> None:
    """Without a cache there is nothing to begin with; the cache is one file, for its user alone."""
    first, second = homes
    assert not begin_from_empty(second)
    assert list(second.iterdir()) == []
    keep_empty(first)
    assert len(list(cache.iterdir())) == 1
    assert cache.stat().st_mode & 0o77 == 0
    assert begin_from_empty(second)
    assert tables(second) == ["flow_run"]


def test_a_history_is_never_replaced(cache: Path, homes: tuple[Path, Path]) -> None:
    """A home that has a database keeps it, whatever the cache holds."""
    first, second = homes
    keep_empty(first)
    with closing(sqlite3.connect(second / "prefect.db")) as connection:
        connection.execute("CREATE TABLE mine (a)")
    assert begin_from_empty(second)
    assert tables(second) == ["mine"]


def test_a_damaged_cache_is_thrown_away(cache: Path, homes: tuple[Path, Path]) -> None:
    """Prefect then makes its tables itself, and the next copy is sound."""
    first, second = homes
    keep_empty(first)
    (kept,) = cache.iterdir()
    kept.write_bytes(b"no database" * 1000)
    assert not begin_from_empty(second)
    assert (list(second.iterdir()), list(cache.iterdir())) == ([], [])
    keep_empty(first)
    assert begin_from_empty(second)


@pytest.mark.usefixtures("cache")
def test_a_cache_that_cannot_be_written_stops_nothing(
    tmp_path: Path, homes: tuple[Path, Path]
) -> None:
    """A file in the place of the cache's folder means no cache and no error."""
    first, second = homes
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    keep_empty(first)
    assert not begin_from_empty(second)


def test_a_database_elsewhere_leaves_no_empty_one_behind(cache: Path, tmp_path: Path) -> None:
    """With another database in the environment, the home's absent database is not cached."""
    keep_empty(tmp_path)
    assert not cache.exists()


@pytest.mark.slow
def test_a_real_api_runs_a_flow_on_the_empty_database(cache: Path, tmp_path: Path) -> None:
    """The first store leaves tables without a run, and a flow of the second runs on them.

    At the end no thread of Prefect's is left that would keep objects alive.
    """
    environment = {
        k: v for k, v in os.environ.items() if k not in {"PREFECT_API_URL", "PREFECT_HOME"}
    }
    for store in ("first", "second"):
        done = subprocess.run(
            [sys.executable, "-c", _THREADS + _RUN, str(tmp_path / store)],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stdout.split() == ["7", "[]"], done.stderr
        (kept,) = cache.iterdir()
        with closing(sqlite3.connect(kept)) as connection:
            assert connection.execute("SELECT count(*) FROM flow_run").fetchone() == (0,)
        with closing(sqlite3.connect(tmp_path / store / "prefect" / "prefect.db")) as connection:
            assert connection.execute("SELECT count(*) FROM flow_run").fetchone() == (1,)


def with_version(home: Path, version: str) -> None:
    """Note a version of the tables in a home's database."""
    with closing(sqlite3.connect(home / "prefect.db")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
        connection.execute("INSERT INTO alembic_version VALUES (?)", (version,))
        connection.commit()


def test_tables_of_this_version_are_not_looked_for_again(
    cache: Path, homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A database like the empty one is current; one of another version, or none, is not."""
    monkeypatch.chdir(tmp_path)
    first, second = homes
    with_version(first, "b")
    assert not is_current(first)
    keep_empty(first)
    assert is_current(first)
    with_version(second, "a")
    assert not is_current(second)
    assert cache.exists()


@pytest.mark.parametrize("where", ["environment", "file"])
@pytest.mark.usefixtures("cache")
def test_tables_elsewhere_are_looked_for(
    homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    """The user may have named another database than the one in Prefect's home."""
    monkeypatch.chdir(tmp_path)
    first, _ = homes
    with_version(first, "b")
    keep_empty(first)
    if where == "environment":
        monkeypatch.setenv("PREFECT_SERVER_DATABASE_CONNECTION_URL", "sqlite+aiosqlite:///x.db")
    else:
        (tmp_path / "prefect.toml").write_text("[server.database]\nname = 'x'\n")
    assert not is_current(first)
