"""Connections of DuckDB: bounded memory, a spill folder in the store, literals of SQL."""

from pathlib import Path

import duckdb
import pytest

from qsquared.storage.records.indexes.lost_tables import gaps
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from tests.faults.small_store import copy_small, make_small, words_for_models

DUCKDB_DEFAULT = duckdb.connect().execute("SELECT current_setting('memory_limit')").fetchone()[0]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A scored store, to be copied."""
    with words_for_models():
        yield make_small(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def store(whole, tmp_path):
    """A copy of the scored store."""
    return Store.open(copy_small(whole, tmp_path).store)


class WatchedConnection:
    """A connection that notes its memory limit and spill folder at each statement."""

    def __init__(self, connection, seen):
        self.connection = connection
        self.seen = seen

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def execute(self, sql, *values):
        """Note the settings that hold for a statement over files, and run it."""
        if "read_parquet" in sql or "ATTACH" in sql:
            settings = "current_setting('memory_limit'), current_setting('temp_directory')"
            self.seen.append(self.connection.execute(f"SELECT {settings}").fetchone())
        return self.connection.execute(sql, *values)


@pytest.fixture
def settings_seen(monkeypatch):
    """The settings of every statement over files, on any connection."""
    seen = []
    connect = duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda *given, **more: WatchedConnection(connect(*given, **more), seen)
    )
    return seen


def find_pairs_without_shard(store):
    """Look for pairs of the turns after a shard is lost, so that DuckDB has to count them."""
    next((store.root / "pairs").glob("*.parquet")).unlink()
    assert "in no shard any more" in " ".join(gap.problem for gap in gaps(open_index(store)))


@pytest.mark.parametrize(
    "work",
    [
        verify,
        find_pairs_without_shard,
    ],
    ids=["row checks", "missing tables"],
)
def test_a_connection_has_a_memory_limit_and_spills_into_the_store(store, settings_seen, work):
    """A connection neither takes all memory nor writes into the working folder."""
    work(store)
    assert settings_seen
    for memory_limit, spill_folder in settings_seen:
        assert memory_limit != DUCKDB_DEFAULT
        assert Path(spill_folder).parent == store.root
