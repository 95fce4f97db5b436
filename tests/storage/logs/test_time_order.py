"""Tests of times whose form the whole column decides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.store import Store
from tests.calling import q2

if TYPE_CHECKING:
    from pathlib import Path


def log(folder: Path, *times: object, rows: int = 1) -> Path:
    """Write a log with a turn for each time, and return its path."""
    path = folder / "log.jsonl"
    turns = [
        {
            "id": f"t{i}",
            "timestamp": time,
            "knowledge": "Lima lies in Peru.",
            "response": "In Peru.",
        }
        for i, time in enumerate(times * rows)
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    return path


def days(folder: Path) -> list[str]:
    """Return the days of all turns of the store, `none` for a turn without one."""
    sql = "SELECT coalesce(strftime(timestamp, '%m-%d'), 'none') AS d FROM turns ORDER BY position"
    done = q2("sql", sql, "--csv", "--store", folder / "store")
    assert done.code == 0, done.err
    return done.out.split()[1:]


@pytest.mark.parametrize(
    ("times", "found"),
    [
        (["11/05/2026 10:00"] * 1200 + ["11/24/2026 10:00"], ["11-05", "11-24"]),
        (["11/05/2026", "24/11/2026", "12-05-2026 9:30 AM"], ["05-11", "11-24", "05-12"]),
        (["05/05/2026", "05/05/2026"], ["05-05"]),
        (
            ["2026-11-05", "11/05/2026", "11/24/2026", "one noon"],
            ["11-05", "11-05", "11-24", "none"],
        ),
    ],
)
def test_one_date_decides_the_whole_log(tmp_path: Path, times: list[str], found: list[str]) -> None:
    """A date that has only one reading gives all others the same order, also rows before it."""
    done = q2("ingest", log(tmp_path, *times), "--store", tmp_path / "store")
    assert done.code == 0, done.err
    assert list(dict.fromkeys(days(tmp_path))) == list(dict.fromkeys(found))
    assert ("whose time could not be read" in done.out) == ("none" in found)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (
            ["11/05/2026 10:00", "11/06/2026"],
            "'11/05/2026 10:00' is 5 November 2026 or 11 May 2026",
        ),
        (["11/24/2026", "24/11/2026"], "'11/24/2026' has the month first and '24/11/2026' the day"),
    ],
)
def test_a_log_that_can_be_read_in_two_ways_is_refused(
    tmp_path: Path, times: list[str], said: str
) -> None:
    """Both readings are shown, and a person decides by an option."""
    path = log(tmp_path, *times)
    done = q2("ingest", path, "--store", tmp_path / "store")
    assert done.code == 65
    assert said in " ".join(done.err.split())
    assert q2("ingest", path, "--preview").code == 65
    done = q2("ingest", path, "--time-format", "month-first", "--store", tmp_path / "store")
    assert done.code == 0, done.err
    assert days(tmp_path)[0].startswith("11-")


def test_a_form_that_reads_nothing_changes_nothing(tmp_path: Path) -> None:
    """A wrong --time-format ends with exit code 65, and turns that were read well keep their times."""
    path = log(tmp_path, "2026-11-05 10:00", rows=40)
    assert q2("ingest", path, "--store", tmp_path / "store").code == 0
    store = Store.open(tmp_path / "store")
    before = {file: file.read_bytes() for file in store.root.rglob("*") if file.is_file()}
    for command in ("ingest", "score"):
        done = q2(command, path, "--time-format", "%d/%m/%Y", "--store", store.root)
        assert done.code == 65
        assert "--time-format %d/%m/%Y reads none of the first 40 times" in done.err
    assert {file: file.read_bytes() for file in store.root.rglob("*") if file.is_file()} == before


def test_a_text_with_many_blanks_is_looked_at_once():
    """Whether it is a time takes no longer than in proportion to its length."""
    assert moment_of(f"Read this:{' ' * 300_000}and that.") is None
