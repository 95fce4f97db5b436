"""Tests that the store decides, even if Prefect's cache and history are stale, broken or forged."""

import base64
import json
import os
import pickle
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from tests.faults.small_store import make_small, words_for_models


def stale(record, _mark):
    """The receipt of other bytes."""
    told = json.loads(record["result"]) | {"sha256": "0" * 64}
    return json.dumps(record | {"result": json.dumps(told)})


def no_receipt(record, _mark):
    """A result that is JSON, but no receipt."""
    return json.dumps(record | {"result": '{"x": 1}'})


def no_json(record, _mark):
    """Bytes that Prefect did not write."""
    return "\x00 garbage"


class _Touches:
    """An object whose unpickling creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def forged(record, mark):
    """A result to be read as a pickle, which then runs code."""
    data = base64.encodebytes(pickle.dumps(_Touches(mark))).decode()
    metadata = record["metadata"] | {"serializer": {"type": "pickle"}}
    return json.dumps(record | {"metadata": metadata, "result": data})


@pytest.fixture(scope="module")
def small(tmp_path_factory, prefect_api):
    """A store that was scored with Prefect."""
    with words_for_models():
        small = make_small(tmp_path_factory.mktemp("cache"))
        for path in (small.store / "stages").rglob("*.parquet"):
            path.unlink()
        done = small.score()
        assert done.code == 0, done.err
        yield small


@pytest.mark.slow
@pytest.mark.parametrize("harm", [stale, no_receipt, no_json, forged], ids=lambda h: h.__name__)
def test_a_record_of_prefect_that_does_not_hold_is_never_believed(small, tmp_path, harm):
    """The stages whose files are gone run again, and nothing in the record is run."""
    before = small.files()
    mark = tmp_path / "mark"
    folder = Path(os.environ["PREFECT_HOME"]) / "storage"
    keys = set()
    for path in (small.store / "stages" / "answers").rglob("*.parquet"):
        keys.add(pq.read_metadata(path).metadata[b"q2.key"].decode())
        path.unlink()
    for key in keys:
        record = json.loads((folder / key).read_text())
        (folder / key).write_text(harm(record, mark))
    done = small.score()
    assert not mark.exists()
    assert done.code == 0, done.err
    assert ("is no receipt of a stage" in done.err) == (harm is not stale)
    assert f"{len(keys)} stages run" in done.said
    assert small.files() == before
    assert verify(Store(small.store)).sound
