"""Tables are laid out so that a reader skips the row groups that it does not need."""

import hashlib

import duckdb
import pyarrow.parquet as pq
import pytest

from qsquared.storage.files.parquet_writer import GROUP_ROWS, write_table
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.tables import COMPARISONS, PAIRS, TURNS

KEY = "ab" * 16


def name(number):
    """An id of no order, as a pair's."""
    return hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()


@pytest.fixture(scope="module")
def comparisons(tmp_path_factory):
    """A table of three row groups, of which the second alone has a failed row."""
    path = tmp_path_factory.mktemp("layout") / "c.parquet"
    rows = [
        {"pair_id": name(i // 4), "span_index": i % 4, "rank": 1, "score": 1.0, "verdict": "supported"}
        for i in range(2 * GROUP_ROWS + 100)
    ]  # fmt: skip
    rows[GROUP_ROWS + 1] |= {"error": "The model failed.", "score": None, "verdict": None}
    write_table(path, rows, COMPARISONS, KEY)
    return path


def test_a_bloom_filter_tells_where_a_pair_is_not(comparisons):
    """The groups without the pair are excluded, the one with it never."""
    with duckdb.connect() as connection:
        for pair, row in ((name(5), 20), (name(GROUP_ROWS // 4 + 9), GROUP_ROWS + 36)):
            found = connection.execute(
                "SELECT row_group_id, bloom_filter_excludes FROM "
                f"parquet_bloom_probe('{comparisons}', 'pair_id', '{pair}')"
            ).fetchall()
            excluded = dict(found)
            assert len(excluded) == 3
            assert not excluded[row // GROUP_ROWS]
            assert sum(excluded.values()) == 2
        absent = connection.execute(
            f"SELECT bool_and(bloom_filter_excludes) FROM parquet_bloom_probe('{comparisons}', 'pair_id', 'x')"
        ).fetchone()
    assert absent == (True,)


def test_statistics_tell_where_no_row_failed(comparisons):
    """A reader of `error IS NOT NULL` needs one group of the three."""
    file = pq.ParquetFile(comparisons).metadata
    at = COMPARISONS.schema.names.index("error")
    rows = [file.row_group(i).num_rows for i in range(file.num_row_groups)]
    missing = [file.row_group(i).column(at).statistics.null_count for i in range(len(rows))]
    assert [n - empty for n, empty in zip(rows, missing, strict=True)] == [0, 1, 0]


def test_times_have_statistics_and_long_texts_have_none(tmp_path):
    """A query for a day passes over the other days' groups; texts would only swell the footer."""
    path = tmp_path / "t.parquet"
    row = {
        "input": KEY, "position": 0, "line": 1, "id": "a", "history": [], "knowledge": ["k" * 9000],
        "response": "r" * 9000, "metadata": "{}", "timestamp": moment_of("2026-11-18T09:00:00Z"),
    }  # fmt: skip
    write_table(path, [row], TURNS, KEY)
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert columns["timestamp"].statistics.has_min_max
    assert columns["timestamp"].statistics.min == row["timestamp"]
    assert not columns["response"].is_stats_set
    assert not any(c.is_stats_set for name, c in columns.items() if name.startswith("knowledge"))


def test_a_filter_is_no_larger_than_its_table_needs(tmp_path):
    """Few pairs have small filters, so small shards stay small files."""
    sizes = []
    for number in (16, 4096):
        path = tmp_path / f"{number}.parquet"
        rows = [{"pair_id": name(i), "response": "r", "knowledge": ["k"]} for i in range(number)]
        write_table(path, rows, PAIRS, KEY)
        with duckdb.connect() as connection:
            (size,) = connection.execute(
                f"SELECT max(bloom_filter_length) FROM parquet_metadata('{path}')"
            ).fetchone()
        sizes.append(size)
    assert sizes[0] < 100 < sizes[1] < 4096 * 4
