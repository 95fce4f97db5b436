"""Tests that logs at a URL are read as those of this machine: each turn once, whatever becomes of the object."""

import gzip
import itertools
import json

import pytest

from qsquared.storage.files.remote_paths import place
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.faults.small_store import words_for_models
from tests.remote.conftest import BUCKET

pytestmark = pytest.mark.slow

_NUMBERS = itertools.count()
LINES = [
    json.dumps(
        {"id": f"t{i}", "knowledge": f"Train {i} goes to Rome", "response": f"Train {i} goes"}
    )
    + "\n"
    for i in range(12)
]


@pytest.fixture(scope="module", autouse=True)
def _words():
    """No model is loaded in this module."""
    with words_for_models():
        yield


@pytest.fixture
def logs(s3):
    """The URL of a folder for logs that is not there yet."""
    return place(f"s3://{BUCKET}/logs/{next(_NUMBERS)}")


def put(path, lines):
    """Write lines to an object, packed if its name says so."""
    data = "".join(lines).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def score(store, *named):
    """Score logs; return what was said and the ids of all turns that count."""
    workbench.open_job.cache_clear()
    done = q2("score", *named, "--store", store)
    told = q2(
        "sql", "SELECT id FROM outcomes WHERE q2 IS NOT NULL ORDER BY id", "--csv", "--store", store
    )
    return done, told.out.split()[1:]


def test_a_folder_at_a_url_is_read_whole(logs, tmp_path):
    """Logs below it count, also packed ones and tables; other objects, hidden ones and stores do not."""
    put(logs / "a.jsonl", LINES[:4])
    put(logs / "deep" / "b.jsonl.gz", LINES[4:8])
    put(logs / "notes.md", ["none"])
    put(logs / ".hidden" / "c.jsonl", LINES[8:])
    put(logs / "store" / "store.json", ["{}"])
    put(logs / "store" / "turns.jsonl", LINES[8:])
    done, found = score(tmp_path / "store", logs)
    assert done.code == 0, done.err
    assert len(found) == 8
    assert f"{logs}/deep/b.jsonl.gz" in q2("status", "--store", tmp_path / "store").said
    again, _ = score(tmp_path / "store", f"{logs}/*.jsonl")
    assert "4 turns" in again.said
    missing, _ = score(tmp_path / "store", f"{logs}/none-*.jsonl")
    assert "There is no log at" in missing.err
    assert verify(Store.open(tmp_path / "store")).sound


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_moved_copied_grown_or_cut_object_counts_each_turn_once(logs, tmp_path, packed):
    """A copy is told, a moved object takes its new address, a cut one loses nothing."""
    one, two = logs / f"a.jsonl{packed}", logs / "archive" / f"a.jsonl{packed}"
    put(one, LINES[:8])
    assert len(score(tmp_path / "store", one)[1]) == 8
    put(two, LINES[:8])
    copied, found = score(tmp_path / "store", two)
    assert "has the same content as" in copied.said
    assert len(found) == 8
    one.unlink()
    assert len(score(tmp_path / "store", two)[1]) == 8
    assert str(two) in q2("status", "--store", tmp_path / "store").said
    put(two, LINES)
    assert len(score(tmp_path / "store", two)[1]) == 12
    put(one, LINES[:5])
    cut, found = score(tmp_path / "store", one)
    assert "is the beginning of" in cut.said
    assert len(found) == 12
    assert q2("erase", "--log", one, "--yes", "--store", tmp_path / "store").code == 0
    assert len(score(tmp_path / "store", two)[1]) == 12


def test_a_server_that_does_not_answer_is_no_lost_log(logs, s3, tmp_path):
    """The command ends with the exit code of an unreachable server and changes nothing."""
    put(logs / "a.jsonl", LINES)
    s3.failing.share, s3.failing.refusing = 1.0, True
    try:
        done, _ = score(tmp_path / "store", logs / "a.jsonl")
    finally:
        s3.failing.share, s3.failing.refusing = 0.0, False
    assert done.code == 69
    assert "cannot be reached" in done.said
