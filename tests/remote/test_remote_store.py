"""Tests that a store at a URL equals one in a folder and detects damage alike."""

import os
from dataclasses import replace
from unittest import mock

import pytest

from qsquared.errors import UnreachableError, UsageError
from qsquared.storage.files.remote_paths import place
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from tests.calling import q2
from tests.faults.small_store import make_small, score_plainly, words_for_models
from tests.remote.conftest import BUCKET, objects

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _words():
    """No model is loaded in this module."""
    with words_for_models():
        yield


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A scored store in a folder."""
    return make_small(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def remote(local, s3):
    """The same logs scored into a store at a URL."""
    small = replace(local, store=f"s3://{BUCKET}/stores/shared")
    assert not score_plainly(small)
    return small


def test_both_stores_hold_the_same_tables_byte_for_byte(local, remote):
    """The place of a store changes none of its bytes."""
    assert objects(remote.store) == local.files()
    assert len(local.files("stages")) == 18


def test_a_store_at_a_url_leaves_nothing_half_written(remote):
    """No lock and no temporary object is left, neither there nor on this machine."""
    names = [str(path.relative_to(place(remote.store))) for path in place(remote.store).rglob("*")]
    assert not [name for name in names if "lock/" in name or ".tmp" in name]
    left = [name for _, _, files in os.walk(os.environ["Q2_WORK"]) for name in files]
    assert not [name for name in left if name.endswith(".tmp")]


def test_queries_give_the_same_of_both_stores(local, remote):
    """DuckDB reads a store at a URL without any extension."""
    sql = (
        "SELECT t.id, s.q2, e.question FROM turns t JOIN scores s USING (pair_id) "
        "LEFT JOIN evidence e USING (pair_id) ORDER BY ALL"
    )
    there, here = (small.q2("sql", sql, "--csv") for small in (remote, local))
    assert (there.code, there.err) == (0, "")
    assert there.out == here.out
    assert len(there.out.splitlines()) > 10


def test_a_query_reaches_nothing_but_its_store(remote, tmp_path):
    """Neither another object of the bucket nor a file of this machine can be read."""
    other = place(f"{remote.store}-and-more/pairs/x.parquet")
    other.write_bytes((place(remote.store) / next(iter(objects(remote.store)))).read_bytes())
    (tmp_path / "x.csv").write_text("a\n1\n")
    connection = connect(Store.open(place(remote.store)))
    for file in (other, place(remote.store) / ".." / "shared-and-more/pairs/x.parquet"):
        with pytest.raises(UsageError, match="refused"):
            query(connection, f"SELECT * FROM read_parquet('{file}')")
    with pytest.raises(UsageError, match="refused"):
        query(connection, f"SELECT * FROM read_csv('{tmp_path}/x.csv')")
    with pytest.raises(UsageError, match="refused"):
        query(connection, f"COPY (SELECT 1) TO '{remote.store}/x.parquet'")


def test_a_sound_store_at_a_url_passes_the_check(remote):
    """Every table and small file is read and checked."""
    told = remote.q2("verify")
    assert (told.code, told.err) == (0, "")
    assert "25 tables" in told.out
    assert remote.q2("status").code == 0


def test_a_damaged_object_is_named_put_aside_and_made_again(local, s3, root):
    """A changed byte is found, and the next run mends it."""
    small = replace(local, store=root, logs=local.logs[:1])
    score_plainly(small)
    before = objects(root)
    name = next(name for name in before if "/answers/" in name)
    path = place(f"{root}/{name}")
    path.write_bytes(before[name][:200] + bytes([before[name][200] ^ 1]) + before[name][201:])
    refused = small.q2("sql", "FROM answers")
    assert refused.code == 65
    assert path.name in refused.said
    assert path.name in score_plainly(small)
    assert objects(root) == before
    (aside,) = (place(root) / "quarantine").iterdir()
    assert path.name in aside.name


def test_failed_requests_are_tried_again_and_change_nothing(local, s3, root):
    """A server that fails one request of twenty gives the same tables."""
    small = replace(local, store=root, logs=local.logs[:1])
    with mock.patch.object(s3.failing, "share", 0.05):
        before = s3.failing.failed
        assert not score_plainly(small)
        assert s3.failing.failed - before > 2
    assert objects(root).items() < local.files().items()
    assert len(objects(root, "stages")) == 9


def test_a_store_that_refuses_is_no_damaged_store(local, s3, root):
    """A refusal by the server is reported as such, and nothing is quarantined."""
    small = replace(local, store=root, logs=local.logs[:1])
    score_plainly(small)
    before = objects(root)
    refusing = mock.patch.multiple(s3.failing, share=1.0, refusing=True)
    with refusing, pytest.raises(UnreachableError, match="cannot be reached"):
        score_plainly(small)
    store = Store.open(place(root))
    table = next(place(root).glob("stages/scores/*/*.parquet"))
    with mock.patch.multiple(s3.failing, share=1.0, refusing=True):
        with pytest.raises(UnreachableError, match=table.name):
            Checks(store).tables([store.table_path("pairs", table.stem)])
        told = small.q2("sql", "FROM scores")
    assert (told.code, told.out) == (69, "")
    assert "cannot be reached" in told.said
    assert "AWS_ENDPOINT_URL" in told.said
    assert not list((place(root) / "quarantine").glob("*"))
    assert objects(root) == before


def test_a_bucket_that_is_not_there_is_reported(local, s3):
    """A store cannot be made in it, and the sentence names the URL."""
    small = replace(local, store="s3://no-such-bucket/store")
    told = q2(*small.command[:3], "--store", small.store, *small.command[5:])
    assert told.code == 1
    assert "s3://no-such-bucket/store" in told.said


@pytest.mark.parametrize(
    ("url", "said"),
    [("teapot://bucket/store", "cannot name a store"), ("gs://bucket/store", "'.[gcs]'")],
)
def test_a_url_that_cannot_be_used_is_reported(url, said):
    """An unknown kind of URL, or one whose library is not installed, gives a sentence."""
    told = q2("status", "--store", url)
    assert told.code == 2
    assert said in told.said


def test_the_same_layer_serves_other_filesystems(local):
    """Nothing but fsspec's own calls is made: a filesystem in memory holds the same tables."""
    small = replace(local, store="memory://store")
    assert not score_plainly(small)
    assert objects("memory://store") == local.files()
