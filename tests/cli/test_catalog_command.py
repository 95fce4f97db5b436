"""``q2 catalog`` writes a file of views that any DuckDB opens."""

import duckdb
import pytest

from qsquared.storage.sql.catalogue_file import STORAGE_VERSION
from qsquared.storage.sql.views.registry import SMALL_TABLES, VIEWS
from qsquared.storage.tables.registry import TABLES
from tests.calling import files_of, q2


@pytest.fixture(scope="module")
def catalogue(scored, tmp_path_factory):
    """The file for the example store, in a folder elsewhere."""
    path = tmp_path_factory.mktemp("elsewhere") / "new" / "answers.duckdb"
    done = q2("catalog", "--store", scored.store, "--out", path)
    assert done.code == 0, done.err
    assert f"{len([*TABLES, *SMALL_TABLES, *VIEWS])} views" in done.out
    return path


@pytest.mark.parametrize("told", [*TABLES, *SMALL_TABLES, *VIEWS], ids=lambda told: told.name)
def test_a_client_of_its_own_sees_what_q2_sql_sees(catalogue, scored, told):
    """The same number of rows in each view, under any name, with its meaning as a comment."""
    counted = q2("sql", f"SELECT count(*) AS n FROM {told.name}", "--csv", "--store", scored.store)
    with duckdb.connect() as client:
        client.execute(f"ATTACH '{catalogue}' AS mine (READ_ONLY)")
        (rows,) = client.execute(f"SELECT count(*) FROM mine.{told.name}").fetchone()
        comments = client.execute(
            "SELECT comment FROM duckdb_views() WHERE view_name = $1 "
            "UNION ALL SELECT comment FROM duckdb_tables() WHERE table_name = $1",
            [told.name],
        ).fetchall()
    assert counted.out.split() == ["n", str(rows)]
    assert comments == [(told.meaning,)]


def test_it_is_swapped_while_somebody_reads_the_old_one(catalogue, scored):
    """A client keeps what it has open; no half-written file is left, and the next one sees the new."""
    with duckdb.connect(str(catalogue), read_only=True) as client:
        before = catalogue.stat().st_ino
        assert q2("catalog", "--store", scored.store, "--out", catalogue).code == 0
        assert client.execute("SELECT count(*) FROM turns").fetchone() == (163,)
    assert catalogue.stat().st_ino != before
    assert [path.name for path in catalogue.parent.iterdir()] == [catalogue.name]


def test_older_clients_can_open_it(catalogue):
    """The file has the form that DuckDB has read since 1.0."""
    with duckdb.connect() as client:
        client.execute(f"ATTACH '{catalogue}' AS mine (READ_ONLY)")
        tags = client.execute(
            "SELECT tags::TEXT FROM duckdb_databases() WHERE database_name = 'mine'"
        ).fetchone()
    assert STORAGE_VERSION.rsplit(".", 1)[0] in tags[0]


def test_a_place_that_cannot_be_written_is_a_sentence(scored):
    """Exit code 2, and nothing changes in the store."""
    before = set(files_of(scored.store))
    done = q2("catalog", "--store", scored.store, "--out", "/proc/none/x.duckdb")
    assert done.code == 2
    assert "cannot be written" in done.err
    assert set(files_of(scored.store)) == before
