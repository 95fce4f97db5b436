"""Tests of the states of dates, by their records, logs and workers."""

import os
import subprocess
import sys
from datetime import date, timedelta

import pytest

from qsquared.errors import UsageError
from qsquared.storage.files.shard_claims import Claim
from qsquared.storage.records.date_records import DateRecord, write_date
from qsquared.storage.records.dated_logs import (
    absolute_templates,
    date_states,
    doubts,
    log_file,
    logs_of,
)
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store

FIRST = date(2026, 11, 16)
ROW = '{"knowledge": "Lima lies in Peru.", "response": "Lima lies in Peru."}\n'


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store.open(tmp_path / "store", create=True)


@pytest.fixture
def put(tmp_path, store):
    """A function that puts a log of a date, and with a status its record."""
    templates = (str(tmp_path / "logs" / "{date}" / "*.jsonl"),)

    def put_log(day, status="", text=ROW, **more):
        path = tmp_path / "logs" / str(day) / "a.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if status:
            file = log_file(path, ingest_file(store, path).fingerprint)
            write_date(store, DateRecord(day, status, "", templates, {}, files=(file,), **more))
        return path

    return put_log


def states(store, today):
    """State of each date, by its day of the month."""
    return {found.date.day: found.state for found in date_states(store, today)}


def test_each_date_up_to_yesterday_has_a_state(store, put):
    """Complete, changed since, missed, without a log, failed, at work."""
    put(FIRST, "complete")
    put(FIRST + timedelta(days=1), "complete").write_text(ROW * 2)
    put(FIRST + timedelta(days=2))
    put(FIRST + timedelta(days=4), "failed")
    put(FIRST + timedelta(days=5))
    claim = Claim(store.root, f"night-{FIRST + timedelta(days=5)}")
    assert claim.take()
    assert states(store, FIRST + timedelta(days=6)) == {
        16: "complete", 17: "late", 18: "missed", 19: "no log", 20: "failed", 21: "running",
    }  # fmt: skip
    claim.release()
    assert states(store, FIRST + timedelta(days=6))[21] == "missed"


def kill_at_work(store, day):
    """Leave the claim of a process that died at work on a date."""
    path = store.root / "locks" / f"night-{day}.lock"
    claim = Claim(store.root, path.stem)
    assert claim.take()
    left = path.read_bytes()
    claim.release()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    path.write_bytes(left.replace(str(os.getpid()).encode(), str(gone.pid).encode()))


def test_a_date_whose_run_was_killed_says_so(store, put):
    """The claim of a dead process is the only trace of it, until the next run takes it over."""
    put(FIRST, "complete")
    put(FIRST + timedelta(days=1))
    kill_at_work(store, FIRST + timedelta(days=1))
    found = list(date_states(store, FIRST + timedelta(days=2)))[-1]
    assert found.state == "failed"
    assert found.details == ("its run was killed; the next run goes on",)


def test_a_corrected_date_whose_run_was_killed_has_failed(store, put):
    """It is not only late; a date that has all its turns stays complete."""
    put(FIRST, "complete").write_text(ROW * 2)
    put(FIRST + timedelta(days=1), "complete")
    for day in (FIRST, FIRST + timedelta(days=1)):
        kill_at_work(store, day)
    corrected, whole = date_states(store, FIRST + timedelta(days=2))
    assert corrected.state == "failed"
    assert corrected.details == ("a.jsonl changed; its run was killed; the next run goes on",)
    assert whole.state == "complete"


def test_a_log_that_was_only_copied_is_not_late(store, put):
    """Its content decides, not the time of its change."""
    path = put(FIRST, "complete")
    path.unlink()
    path.write_text(ROW)
    assert states(store, FIRST) == {16: "complete"}


def test_a_log_that_arrived_is_named(store, put):
    """The status names the file that the next run will score."""
    path = put(FIRST, "complete")
    (path.parent / "b.jsonl").write_text(ROW)
    (found,) = date_states(store, FIRST)
    assert (found.state, found.details) == ("late", ("b.jsonl arrived; the next run scores it",))


def test_a_store_without_dates_has_no_states(store):
    """A store without nights has no states of dates."""
    assert states(store, FIRST) == {}


def test_dates_can_stand_in_the_path_in_parts(tmp_path):
    """Folders for year and month, and several templates; a file that both give comes once."""
    folder = tmp_path / "2026" / "11"
    folder.mkdir(parents=True)
    for name in ("16-a.jsonl", "16-b.jsonl", "17-a.jsonl"):
        (folder / name).write_text(ROW)
    template = str(tmp_path / "{date:%Y}" / "{date:%m}" / "{date:%d}-*.jsonl")
    again = str(tmp_path / "{date:%Y}" / "*" / "{date:%d}-a.jsonl")
    found = logs_of(absolute_templates([template, again]), FIRST)
    assert [path.name for path in found] == ["16-a.jsonl", "16-b.jsonl"]


@pytest.mark.parametrize(
    ("templates", "told"),
    [
        ([], "No logs are named"),
        (["logs/*.jsonl"], "the same for every date"),
        (["logs/{day}.jsonl"], "something else in braces"),
        (["logs/{date.yesterday}.jsonl"], "something else in braces"),
        (["logs/{0}.jsonl"], "something else in braces"),
    ],
)
def test_a_path_that_names_no_date_is_refused(templates, told):
    """Else every night would score the same logs."""
    with pytest.raises(UsageError, match=told):
        absolute_templates(templates)


def test_a_date_with_a_tenth_of_the_usual_turns_is_doubtful(store, put):
    """The median of the dates of four weeks decides, from seven dates on."""
    last = FIRST + timedelta(days=8)
    for number in range(6):
        put(FIRST + timedelta(days=number), "complete", turns=90 + number)
    assert doubts(store, last, [], 9) == []
    put(FIRST + timedelta(days=6), "complete", turns=1000)
    assert doubts(store, last, [], 10) == []
    (doubt,) = doubts(store, last, [], 9)
    assert doubt.startswith("It has 9 turns, and the dates of the four weeks before had 93")


def test_a_log_that_ends_early_makes_its_date_doubtful(store, put):
    """The doubt of its manifest is the date's."""
    path = put(FIRST, "", text=ROW * 2)
    ingest_file(store, path)
    path.write_text(ROW)
    file = log_file(path, ingest_file(store, path).fingerprint)
    (doubt,) = doubts(store, FIRST, [file], 1)
    assert doubt == "a.jsonl had 2 turns when it was read before, and has 1 now."
