"""Tests of leftovers of killed processes: half-written files, runs without an end, begun stages."""

import os

import pytest

from qsquared.flows.running.run import _note_killed
from qsquared.storage.files.atomic import remove_stale_temporaries, temporary_path
from qsquared.storage.files.shard_claims import Claim
from qsquared.storage.records.runs import recorded, recorded_as
from qsquared.storage.store import Store
from tests.faults.compare import read_executions, repeated


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store.open(tmp_path / "store", create=True)


def test_half_written_files_of_an_earlier_process_of_our_number_are_removed(tmp_path):
    """Each start of a container gives its process the same number; our own files stay."""
    own = temporary_path(tmp_path / "x.parquet")
    number = f"-{os.getpid()}-"
    head, _, rest = own.name.rpartition(number)
    other = "0000" if rest[:4] != "0000" else "1111"
    earlier = own.with_name(head + number + other + rest[4:])
    own.touch()
    earlier.touch()
    assert remove_stale_temporaries(tmp_path) == 1
    assert own.exists()


def test_a_killed_run_is_distinguished_from_a_living_one(store):
    """The next run notes which of the earlier ones can no longer say how they ended."""
    for run, status in (("dead", "running"), ("alive", "running"), ("old", "completed")):
        store.write_json(store.small_file("runs", run), {"run_id": run, "status": status})
    alive = Claim(store.root, "run-alive")
    assert alive.take()
    _note_killed(store)
    alive.release()
    found = {
        run: store.read_json(store.small_file("runs", run))["status"]
        for run in ("dead", "alive", "old")
    }
    assert found == {"dead": "killed", "alive": "running", "old": "completed"}


def test_a_run_that_ends_well_meanwhile_keeps_its_record(store, monkeypatch):
    """Between a look at its record and the end of its claim a run may have completed."""
    path = store.small_file("runs", "run")
    store.write_json(path, {"status": "running"})
    take = Claim.take

    def completed_meanwhile(claim):
        store.write_json(path, {"status": "completed", "mean_q2": 0.5})
        return take(claim)

    monkeypatch.setattr(Claim, "take", completed_meanwhile)
    _note_killed(store)
    assert store.read_json(path) == {"status": "completed", "mean_q2": 0.5}


def test_the_record_separates_begun_from_finished_stages(store):
    """A stage that began twice counts as repeated; a line that was cut short is skipped."""
    with recorded_as("one"), recorded(store, "spans", "s1", "k1"):
        pass

    def lose():
        with recorded_as("one"), recorded(store, "spans", "s2", "k2"):
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it has no words
        lose()
    with recorded_as("two"), recorded(store, "spans", "s2", "k2"):
        pass
    with (store.root / "executions" / "two.jsonl").open("a") as record:
        record.write('{"event": "beg')
    lines = read_executions(store)
    assert [(line.run_id, line.event, line.shard) for line in lines] == [
        ("one", "begin", "s1"),
        ("one", "end", "s1"),
        ("one", "begin", "s2"),
        ("two", "begin", "s2"),
        ("two", "end", "s2"),
    ]
    assert repeated(lines) == {("spans", "s2"): 1}
