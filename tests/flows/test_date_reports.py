"""Tests of the reports of dates, which are written anew for each date that a run works on."""

import re

import duckdb
import pytest

from qsquared.errors import UsageError
from qsquared.flows import score_date as reporting
from qsquared.flows.nightly import backfill
from qsquared.flows.rescore import rescore
from qsquared.storage.store import Store
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.stubbed import WordModels
from tests.flows.nights import RIGHT, WRONG, put_log, records, run

REPORT = "out/{date}.html"
DAYS = ("2026-11-16", "2026-11-17", "2026-11-18")


def replies_in(place, day):
    """Return the number of turns that the report of a date is about; None without a report."""
    path = place / "out" / f"{day}.html"
    if not path.exists():
        return None
    text = re.sub(r"<[^>]+>", " ", path.read_text())
    return int(re.search(r"of\s+([\d,]+)\s+scored turn", text)[1])


@pytest.mark.slow
def test_each_date_that_a_night_works_on_gets_its_report(place):
    """A date that was caught up has one, and a late log changes that of its date."""
    put_log(place, DAYS[0], "a.jsonl", [RIGHT, WRONG])
    run(DAYS[0], report=REPORT)
    assert [replies_in(place, day) for day in DAYS] == [2, None, None]

    put_log(place, DAYS[1], "a.jsonl", [RIGHT, WRONG, WRONG])
    put_log(place, DAYS[2], "a.jsonl", [WRONG])
    put_log(place, DAYS[0], "late.jsonl", [WRONG, WRONG])
    state = run(DAYS[2], report=REPORT)
    assert state.is_completed(), state.message
    found = records(place)
    assert [replies_in(place, day) for day in DAYS] == [4, 3, 1]
    assert [found[day].scored_turns for day in DAYS] == [4, 3, 1]
    for day in DAYS:
        assert found[day].run in (place / "out" / f"{day}.html").read_text()


@pytest.mark.slow
def test_a_backfill_and_a_rescoring_write_reports_if_asked(place, monkeypatch):
    """Without a place none is written; the scores of other models change the report of their date."""
    put_log(place, DAYS[0], "a.jsonl", [RIGHT, WRONG])
    logs = ["logs/{date}/*.jsonl"]
    assert backfill(logs, DAYS[0], DAYS[0], return_state=True).is_completed()
    assert replies_in(place, DAYS[0]) is None
    state = backfill(logs, DAYS[0], DAYS[0], report=REPORT, return_state=True)
    assert state.is_completed(), state.message
    assert replies_in(place, DAYS[0]) == 2
    before = records(place)[DAYS[0]].run
    monkeypatch.setattr(
        WordModels, "identities", lambda _self, roles: dict.fromkeys(roles, "new words")
    )
    workbench.open_job.cache_clear()
    rescore(report=REPORT)
    after = records(place)[DAYS[0]].run
    assert after != before
    assert after in (place / "out" / f"{DAYS[0]}.html").read_text()


def test_a_place_that_names_something_else_is_refused_at_once(place):
    """The sentence comes before any log is scored."""
    put_log(place, DAYS[0], "a.jsonl", [RIGHT])
    state = run(DAYS[0], report="out/{day}.html")
    assert state.is_failed()
    with pytest.raises(UsageError, match="something else in braces"):
        state.result()
    assert not (place / "q2-store").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "error", [duckdb.ConversionException("Conversion Error: no list\nLINE 1"), OSError("no room")]
)
def test_a_night_does_not_fail_by_its_report(place, monkeypatch, error):
    """A sentence says that there is none, and why; the scores are there."""

    def fail(*_):
        raise error

    monkeypatch.setattr(reporting, "write_report", fail)
    put_log(place, DAYS[0], "a.jsonl", [RIGHT])
    state = run(DAYS[0], report=REPORT)
    assert state.is_completed(), state.message
    assert f"{DAYS[0]}: there is no report." in state.message
    assert records(place)[DAYS[0]].scored_turns == 1
    reports = reporting.Reports(Store.open(place / "q2-store"), REPORT)
    reports.write(records(place)[DAYS[0]])
    reason = str(error).partition("\n")[0]
    assert reports.remarks == [f"{DAYS[0]}: there is no report. {reason}"]
