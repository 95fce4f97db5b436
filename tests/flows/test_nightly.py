"""Tests of nights, which are scored once, caught up, corrected by late logs, and failed by gates."""

import threading
import time
from datetime import UTC, date, datetime

import pytest

from qsquared.flows.nightly import backfill, nightly, yesterday
from qsquared.flows.score_date import alone_with
from qsquared.storage.records.date_records import read_date
from qsquared.storage.store import Store
from tests.faults.stubbed import WordModels
from tests.flows.nights import KNOWLEDGE, RIGHT, WRONG, executions, put_log, records, run
from tests.webhooks import receiving


@pytest.mark.slow
def test_a_night_is_scored_once_and_missed_and_late_ones_are_made_up_for(place):
    """A second run does nothing; one after three days catches up, and a late file changes its date."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])
    state = run("2026-11-16")
    assert state.is_completed(), state.message
    first = records(place)["2026-11-16"]
    assert (first.status, first.turns, first.mean_q2, first.notes) == (
        "complete",
        1,
        pytest.approx(0.74995),
        (),
    )
    begun = executions(place)

    state = run("2026-11-16")
    assert state.is_completed()
    assert state.result()["dates"] == {"2026-11-16": False}
    assert (records(place)["2026-11-16"], executions(place)) == (first, begun)

    # Three days without a run, of which one had no log, and a file that came late.
    put_log(place, "2026-11-17", "a.jsonl", [WRONG])
    put_log(place, "2026-11-19", "a.jsonl", [RIGHT, WRONG])
    put_log(place, "2026-11-16", "late.jsonl", [WRONG])
    (place / "logs" / "2026-11-16" / "a.jsonl").unlink()
    state = run("2026-11-19")
    assert state.result()["dates"] == dict.fromkeys(
        ["2026-11-16", "2026-11-17", "2026-11-19"], True
    )
    found = records(place)
    assert {day: record.turns for day, record in found.items()} == {
        "2026-11-16": 2, "2026-11-17": 1, "2026-11-19": 2,
    }  # fmt: skip
    # The log that was moved away keeps its turns.
    assert found["2026-11-16"].mean_q2 < first.mean_q2
    (note,) = found["2026-11-16"].notes
    assert datetime.fromisoformat(note.split(": ")[0]).tzinfo == UTC
    assert "late.jsonl arrived after the date was scored: 2 turns instead of 1" in note
    # Both replies were scored before or now, each once.
    assert executions(place) == 2 * begun

    put_log(place, "2026-11-17", "a.jsonl", [RIGHT])
    run("2026-11-19")
    (note,) = records(place)["2026-11-17"].notes
    changed = "a.jsonl changed after the date was scored: 1 turn as before, mean Q² 0.750 instead"
    assert changed in note


GATES = """
threshold = 0.75
[[gate]]
kind = "inconsistency"
group = "bot_version"
limit = 0.3
minimum = 2

[[gate]]
kind = "freshness"
by = "06:00"

[webhook]
url = "{url}"
format = "chat"
"""


@pytest.mark.slow
def test_a_broken_gate_fails_the_run_notifies_people_once_and_stays_broken(place):
    """A run that finds nothing to score comes to the same verdict from the scores."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT, RIGHT])
    put_log(place, "2026-11-17", "a.jsonl", [RIGHT, RIGHT])
    put_log(place, "2026-11-17", "b.jsonl", [RIGHT, WRONG], bot="1.5 <b>")
    with receiving() as receiver:
        (place / "gates.toml").write_text(GATES.format(url=receiver.url))
        assert run("2026-11-16", gates="gates.toml").is_completed()
        receiver.codes[:] = [500]
        report = {"report": "out/{date}.html", "report_address": "https://q2.example/{date}"}
        states = [run("2026-11-17", gates="gates.toml", **report) for _ in range(2)]
        for state in states:
            assert state.is_failed()
            assert "'inconsistency by bot_version' is broken. bot_version 1.5 <b>: 1 of 2" in (
                state.message
            )
        assert states[0].message == states[1].message
        (body,) = receiver.bodies
        assert "bot_version 1.5 &lt;b&gt;: 1 of 2 scored turns" in body["text"]
        assert body["text"].endswith("\nReport: https://q2.example/2026-11-17")

        put_log(place, "2026-11-17", "c.jsonl", [RIGHT, RIGHT, RIGHT], bot="1.5 <b>")
        assert run("2026-11-17", gates="gates.toml").is_completed()
        record = records(place)["2026-11-17"]
        assert (record.verdict["outcome"], record.told) == ("passed", ())
        assert "verdict is passed instead of broken" in record.notes[-1]

        # A date without a log, after its time.
        state = run("2026-11-18", gates="gates.toml")
        assert "There is no turn of 2026-11-18 in any log" in state.message
        assert len(receiver.bodies) == 2
        assert records(place)["2026-11-18"].status == "no log"


@pytest.mark.slow
def test_a_log_that_cannot_be_read_fails_its_date_and_no_other(place):
    """The state names the log; the other dates are scored, and a good log mends it."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])
    (place / "logs" / "2026-11-16" / "b.doc").write_bytes(b"no log")
    put_log(place, "2026-11-17", "a.jsonl", [RIGHT])
    template = ["logs/{date}/*"]
    state = backfill(template, "2026-11-16", "2026-11-17", return_state=True)
    assert state.is_failed()
    assert "b.doc" in state.message
    found = records(place)
    assert [record.status for record in found.values()] == ["incomplete", "complete"]
    assert "b.doc" in found["2026-11-16"].reason
    # The nights after it are not failed for it again.
    assert nightly(template, date="2026-11-17", return_state=True).is_completed()
    (place / "logs" / "2026-11-16" / "b.doc").unlink()
    assert nightly(template, date="2026-11-16", return_state=True).is_completed()
    assert records(place)["2026-11-16"].status == "complete"


@pytest.mark.slow
def test_the_state_of_a_night_says_what_no_gate_could_judge(place):
    """A night that nobody could judge is completed, and its message says why; its report is there."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT, RIGHT], bot="1.5 | <i>x</i>")
    rules = GATES.split("[webhook]", maxsplit=1)[0]
    (place / "gates.toml").write_text(rules)
    state = run("2026-11-16", gates="gates.toml", report="out/{date}.html")
    assert state.is_completed(), state.message
    assert "could be judged" not in (state.message or "")
    assert records(place)["2026-11-16"].verdict["outcome"] == "passed"
    assert "Replies of 2026-11-16" in (place / "out" / "2026-11-16.html").read_text()
    (place / "gates.toml").write_text(rules.replace("minimum = 2", "minimum = 9"))
    state = run("2026-11-16", gates="gates.toml")
    assert state.is_completed(), state.message
    assert "2026-11-16: no gate on the scores could be judged." in state.message


@pytest.mark.slow
def test_a_date_that_takes_too_long_is_ended_and_goes_on_later(place, monkeypatch):
    """The state says how long it was given; the next run finishes it."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])

    def slow_load(_self, _role):
        for _ in range(2000):
            time.sleep(0.01)

    with monkeypatch.context() as patch:
        patch.setattr(WordModels, "load", slow_load)
        state = run("2026-11-16", timeout_hours=1 / 3600)
    assert state.is_failed()
    assert "It took longer than 0.0002" in state.message
    assert records(place)["2026-11-16"].status == "failed"
    assert run("2026-11-16").is_completed()
    assert records(place)["2026-11-16"].turns == 1


def test_a_date_has_one_worker_at_a_time(place):
    """A second worker waits until the first is done with the date."""
    store = Store.open(place / "store", create=True)
    order = []
    entered, leave = threading.Event(), threading.Event()

    def second():
        entered.wait()
        order.append("asks")
        leave.set()
        with alone_with(store, date(2026, 11, 16)):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with alone_with(store, date(2026, 11, 16)):
        entered.set()
        leave.wait()
        order.append("first")
    thread.join()
    assert order == ["asks", "first", "second"]


def test_yesterday_is_that_of_the_time_zone():
    """At 23:30 UTC it is tomorrow already in Oslo, and still today in New York."""
    now = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    assert yesterday("UTC", now) == date(2026, 11, 19)
    assert yesterday("Europe/Oslo", now) == date(2026, 11, 20)
    assert yesterday("America/New_York", now) == date(2026, 11, 19)


@pytest.mark.slow
def test_a_damaged_record_of_a_date_costs_a_look_and_no_score(place):
    """A damaged record is quarantined, and the date is summed up again from the finished stages."""
    put_log(place, "2026-11-16", "a.jsonl", [RIGHT])
    run("2026-11-16")
    begun = executions(place)
    path = place / "q2-store" / "dates" / "2026-11-16.json"
    path.write_text(path.read_text().replace('"turns": 1', '"turns": 7'))
    assert run("2026-11-16").is_completed()
    assert read_date(Store.open(place / "q2-store"), date(2026, 11, 16)).turns == 1
    assert executions(place) == begun


@pytest.mark.slow
def test_a_night_reads_its_logs_as_the_forms_say(place):
    """A mapping file and a format with options; a second run finds the night done."""
    folder = place / "logs" / "2026-11-16"
    folder.mkdir(parents=True)
    text = f"frage;antwort;quelle\nWo?;{RIGHT};{KNOWLEDGE}\n"
    (folder / "a.csv").write_text(text, encoding="utf-8")
    (place / "fields.toml").write_text('[fields]\nantwort = "response"\nquelle = "knowledge"\n')
    options = {"map_file": "fields.toml", "file_format": 'csv {"separator": ";"}'}
    for worked in (True, False):
        state = nightly(["logs/{date}/*.csv"], date="2026-11-16", **options, return_state=True)
        assert state.is_completed(), state.message
        assert state.result()["dates"] == {"2026-11-16": worked}
    found = records(place)["2026-11-16"]
    assert (found.turns, found.mean_q2, found.file_format) == (
        1,
        pytest.approx(0.74995),
        options["file_format"],
    )
    assert found.mapping == {"antwort": "response", "quelle": "knowledge"}
