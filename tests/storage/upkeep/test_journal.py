"""Tests of ``q2 verify`` on the journal of answers of servers."""

import json

import pytest

from qsquared.storage.records.request_journal import RequestJournal, read_requests
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import DAMAGED, LEFTOVER, repair, verify


@pytest.fixture
def kept(tmp_path):
    """A store with three answers, and their file."""
    store = Store.open(tmp_path / "store", create=True)
    journal = RequestJournal(store)
    for number in range(3):
        journal.add({"key": str(number), "sound": True, "answer": f"{number}", "shard": "s"})
    (path,) = (store.root / "requests").iterdir()
    return store, path


def test_a_journal_is_a_part_of_the_store(kept):
    """Nothing is found in a journal as it was written."""
    assert verify(kept[0]).findings == []


def test_a_torn_last_line_is_told_and_leaves_the_store_sound(kept):
    """A line that a kill tears was never used, so nothing has to be done."""
    store, path = kept
    path.write_bytes(path.read_bytes() + b'{"key": "3", "so')
    report = verify(store)
    assert report.sound
    assert [(found.kind, found.path) for found in report.findings] == [
        (LEFTOVER, f"requests/{path.name}")
    ]


def test_changed_answers_are_found_and_the_others_stay(kept):
    """A repair moves the file to quarantine and writes the lines anew that nobody changed."""
    store, path = kept
    lines = path.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | {"answer": "another"})
    path.write_text("\n".join(lines) + "\n")
    report = verify(store)
    (found,) = report.findings
    assert (found.kind, report.sound) == (DAMAGED, False)
    assert "1 of its lines" in found.problem
    repair(store, report)
    assert [line["key"] for line in read_requests(store)] == ["0", "2"]
    assert verify(store).sound
    assert RequestJournal(store).find("1") is None
