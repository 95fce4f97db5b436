"""A query reads only the files and row groups that can hold what it asks for."""

import re

import pytest

from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.upkeep.verify import verify
from tests.storage.sql.synthetic_store import QUESTIONS_A_PAIR, SHARD_PAIRS, make_store

SHARDS, NIGHTS = 4, 3


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory):
    """A store of four shards, the first of them with another profile too, and three nights."""
    folder = tmp_path_factory.mktemp("synthetic") / "store"
    return make_store(folder, SHARDS * SHARD_PAIRS, NIGHTS)


def groups(store, sql):
    """Count the row groups that a query read."""
    with connect(store, sql) as connection:
        plan = connection.execute(f"EXPLAIN (ANALYZE, FORMAT json) {sql}").fetchall()[0][1]
    return int(re.search(r'"total_row_groups_scanned": (\d+)', plan)[1])


def test_a_profile_is_a_folder_of_its_own(synthetic):
    """The files of another profile are not opened."""
    sql = "SELECT verdict, count(*) FROM comparisons WHERE profile = '{}' GROUP BY 1"
    assert groups(synthetic, sql.format("synthetic")) == SHARDS
    assert groups(synthetic, sql.format("synthetic-other")) == 1
    with connect(synthetic) as connection:
        counted = query(connection, "SELECT count(*) FROM comparisons").item()
    assert counted == (SHARDS + 1) * SHARD_PAIRS * QUESTIONS_A_PAIR


def test_a_pair_is_found_without_reading_the_others(synthetic):
    """The Bloom filters leave one file of the four, and one night of the three."""
    with connect(synthetic) as connection:
        pair, turn = query(connection, "SELECT pair_id, id FROM turns ORDER BY id LIMIT 1").row(0)
        sql = f"SELECT * FROM comparisons WHERE profile = 'synthetic' AND pair_id = '{pair}'"
        assert query(connection, sql).height == QUESTIONS_A_PAIR
    assert groups(synthetic, sql) == 1
    of_all = groups(synthetic, "SELECT max(response) FROM turns")
    of_one = groups(synthetic, f"SELECT max(response) FROM turns WHERE id = '{turn}'")
    assert of_all - of_one == NIGHTS - 1


def test_a_day_is_found_by_its_times(synthetic):
    """Statistics of the times leave the night that was asked for."""
    day = "timestamp >= '2026-01-02' AND timestamp < '2026-01-03'"
    of_all = groups(synthetic, "SELECT max(response) FROM turns")
    of_day = groups(synthetic, f"SELECT max(response) FROM turns WHERE {day}")
    assert of_all - of_day == NIGHTS - 1


def test_where_nothing_failed_nothing_is_read(synthetic):
    """Statistics say that no row has an error."""
    sql = "SELECT pair_id FROM comparisons WHERE error IS NOT NULL"
    assert groups(synthetic, sql) == 0


def test_the_synthetic_store_is_a_store(synthetic):
    """Every hash, name and key of the synthetic store is valid, as in a real one."""
    found = [f for f in verify(synthetic).findings if f.wrong and "answers" not in f.problem]
    assert found == []
