"""Tests that damage to one night stops neither the status nor the gates and report of another night."""

import json
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

from qsquared.flows.loop import Steps, score_logs
from qsquared.gates.counts import count_date
from qsquared.gates.rules import GateRules
from qsquared.report.page import gather
from qsquared.report.scope import ReportOptions
from qsquared.storage.records.date_records import DateRecord, write_date
from qsquared.storage.records.dated_logs import log_file
from qsquared.storage.records.indexes.store_index import open_index
from qsquared.storage.sql import views
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.faults.small_store import PROFILES, WORDS, words_for_models
from tests.faults.test_corruption import STAGES, flip

DAYS = [date(2026, 11, 11) + timedelta(days=number) for number in range(3)]
GATES = """
[[gate]]
kind = "inconsistency"
limit = 1.0
minimum = 1

[[gate]]
kind = "rejects"
limit = 1.0
"""
RISE = """
[[gate]]
kind = "rise"
days = 1
"""


def rows(night):
    """Five replies of a night, and, on the last one, a reply of the night before."""
    numbers = [*range(night * 5, night * 5 + 5), *([7] if night == 2 else [])]
    for place, number in enumerate(numbers):
        text = f"the {number} trains go to {{}} and back"
        yield {
            "id": f"{night}-{place}",
            "timestamp": f"{DAYS[night]}T0{place}:00:00Z",
            "bot": f"1.{number % 2}",
            "knowledge": text.format(WORDS[number % 5]),
            "response": text.format(WORDS[number * 2 % 5]),
        }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with a store of three nights, each scored by a run of its own, to be copied."""
    root = tmp_path_factory.mktemp("nights")
    (root / "profiles.toml").write_text(PROFILES, encoding="utf-8")
    with words_for_models():
        for night, day in enumerate(DAYS):
            log = root / f"{day}.jsonl"
            log.write_text("".join(json.dumps(row) + "\n" for row in rows(night)) + "no json\n")
            workbench.open_job.cache_clear()
            options = ScoreOptions(
                logs=[str(log)],
                store=str(root / "store"),
                profile="small",
                profiles=str(root / "profiles.toml"),
            )
            score_logs(options, Steps(options))
    return root


@pytest.fixture
def nights(whole, tmp_path):
    """A copy of the store."""
    shutil.copytree(whole / "store", tmp_path / "store")
    return Store.open(tmp_path / "store")


@pytest.fixture
def asked(nights, tmp_path):
    """A function that gives the exit codes of the status, the last run's report and the last night's gates."""

    def ask(gates=GATES):
        rules, page = tmp_path / "gates.toml", tmp_path / "report.html"
        rules.write_text(gates)
        commands = {
            "status": ("status",),
            "report": ("report", "--run", "latest", "--out", page),
            "gate": ("gate", "--rules", rules, "--date", str(DAYS[2])),
        }
        return {
            name: q2(*command, "--store", nights.root).code for name, command in commands.items()
        }

    return ask


def input_of(store, night):
    """The fingerprint of a night's log."""
    return next(
        one.fingerprint
        for one in open_index(store).inputs
        if Path(one.paths[0]).stem == str(DAYS[night])
    )


def tables_of(store, night):
    """The files of a night by their tables; a repeated reply is in the shard of the night before."""
    runs = sorted(open_index(store).runs, key=lambda run: run["started_at"])
    earlier = {shard for run in runs[:night] for shard in run["shard_keys"]}
    (shard,) = set(runs[night]["shard_keys"]) - earlier
    found = {"pairs": store.table_path("pairs", shard)}
    for stage in STAGES:
        (found[stage],) = store.root.glob(f"stages/{stage}/*/{shard}.parquet")
    name = input_of(store, night)
    return found | {
        "rejects": store.table_path("rejects", name),
        "turns": store.table_path("turns", name),
    }


def give_dates(store, whole):
    """Write the records that the nightly flow would have written."""
    for night, day in enumerate(DAYS):
        file = log_file(whole / f"{day}.jsonl", input_of(store, night))
        write_date(store, DateRecord(day, "complete", "", (), {}, files=(file,)))


def test_damage_to_a_night_stops_no_other_night(nights, asked):
    """Every table of the first night but its turns is damaged; whoever reads all still refuses."""
    for name, path in tables_of(nights, 0).items():
        if name != "turns":
            flip(path)
    assert asked() == {"status": 0, "report": 0, "gate": 0}
    for command in (("sql", "FROM scores"), ("report", "--out", nights.root.parent / "all.html")):
        assert q2(*command, "--store", nights.root).code == 65


def test_damaged_turns_stop_the_gates_only_where_no_date_is_on_record(nights, asked, whole):
    """The days of a log that was scored without a date are in its turns and nowhere else."""
    flip(tables_of(nights, 0)["turns"])
    assert asked() == {"status": 0, "report": 0, "gate": 65}
    give_dates(nights, whole)
    assert asked() == {"status": 0, "report": 0, "gate": 0}


def test_lost_tables_are_told_to_whoever_reads_their_night(nights, tmp_path):
    """A lost shard of the first night is no concern of the last run's report, but of the whole one."""
    tables = tables_of(nights, 0)
    tables["pairs"].unlink()
    told = {}
    for name, asked in {"run": ("--run", "latest"), "all": ()}.items():
        done = q2("report", "--out", tmp_path / "r.html", "--store", nights.root, *asked)
        assert done.code == 0, done.err
        told[name] = "5 distinct pairs of the turns are in no shard any more" in done.said
    assert told == {"run": False, "all": True}


@pytest.mark.parametrize("name", ["turns", "rejects", "scores"])
def test_damage_to_the_night_itself_is_refused(nights, asked, name):
    """Its tables are checked before they are read."""
    flip(tables_of(nights, 2)[name])
    assert asked() == {"status": 0, "report": 65, "gate": 65}


def test_a_repeated_reply_is_read_where_it_was_scored(nights, asked):
    """The shard of the night before holds one reply of the last night."""
    flip(tables_of(nights, 1)["scores"])
    assert asked() == {"status": 0, "report": 65, "gate": 65}


def test_a_gate_that_compares_reads_the_days_that_it_compares_with(nights, asked):
    """A rise against one day looks back over four."""
    flip(tables_of(nights, 0)["scores"])
    assert asked()["gate"] == 0
    assert asked(GATES + RISE)["gate"] == 65


def seeing_all(monkeypatch):
    """Let the views be of the whole store."""

    def see_all(index, _):
        index.check({TURNS.name})
        return index

    monkeypatch.setattr(views, "narrowed", see_all)


@pytest.mark.parametrize("dated", [False, True], ids=["by times", "by dates"])
def test_the_counts_of_a_night_are_those_of_the_whole_store(nights, whole, monkeypatch, dated):
    """Of each date, also of one without a turn, with groups and with days before."""
    if dated:
        give_dates(nights, whole)
    gates = [
        {"kind": "inconsistency", "limit": 0.5, "group": "bot"},
        {"kind": "rise", "days": 1},
        {"kind": "rejects", "limit": 0.5},
    ]
    for rules in (GateRules(gate=gates), GateRules(gate=gates[::2])):
        dates = [*DAYS, DAYS[2] + timedelta(days=9)]
        found = [count_date(nights, rules, day, "q2", "small") for day in dates]
        with monkeypatch.context() as patch:
            seeing_all(patch)
            assert found == [count_date(nights, rules, day, "q2", "small") for day in dates]
        assert [one.rows for one in found] == [6, 6, 7, 0]
        assert found[2].of_date("")[0].turns == 6


def rounded(figures):
    """Figures without the last digits of their means."""
    if isinstance(figures, dict):
        return {name: rounded(value) for name, value in figures.items()}
    if isinstance(figures, list | tuple):
        return [rounded(value) for value in figures]
    return round(figures, 9) if isinstance(figures, float) else figures


@pytest.mark.parametrize("baseline", [None, "first run", "small"])
def test_the_figures_of_a_run_are_those_of_the_whole_store(nights, monkeypatch, baseline):
    """Alone, against another run, and against a profile."""
    runs = sorted(open_index(nights).runs, key=lambda run: run["started_at"])
    baseline = runs[0]["run_id"] if baseline == "first run" else baseline
    options = ReportOptions(run="latest", baseline=baseline)

    def figures():
        found = gather(nights, open_index(nights), options)
        del found["made"]
        return found

    found = figures()
    seeing_all(monkeypatch)
    # DuckDB adds in another order each time.
    assert rounded(found) == rounded(figures())
    assert (found["total"]["turns"], found["rejects"]["rows"]) == (6, 1)


def test_days_to_report_are_those_of_the_run(nights, tmp_path):
    """A run has no turn of the night before, whatever the store has."""
    asked = ("--run", "latest", "--to", str(DAYS[1]), "--out", tmp_path / "none.html")
    done = q2("report", "--store", nights.root, *asked)
    assert done.code == 2
    assert f"those of the run are of {DAYS[2]} to {DAYS[2]} (UTC)." in done.said


def test_a_field_that_only_other_nights_have_is_known(nights):
    """A misspelt group is refused, and one that tonight's log lacks is judged as one group."""
    gate = {"kind": "inconsistency", "limit": 0.5, "group": "bot"}
    found = count_date(nights, GateRules(gate=[gate]), DAYS[2] + timedelta(days=9), "q2", "small")
    assert found.of_date("bot") == []
