"""Tests of ``q2 status`` and ``q2 models``."""

import re
from datetime import date

import pytest

from qsquared.profiles.profile import ROLES
from qsquared.storage.records.date_records import DateRecord, write_date
from qsquared.storage.store import Store
from qsquared.tasks.metrics import Q2
from tests.calling import files_of, q2
from tests.conftest import ROOT


def test_status_shows_inputs_stages_and_runs(scored):
    """The status lists the logs with their turns, the stages with done and missing shards, and the last runs."""
    done = q2("status", "--store", scored.store)
    assert done.code == 0
    for name, turns, rejects in (
        ("2026-11-16.jsonl", 50, 2), ("2026-11-17.jsonl", 52, 2), ("2026-11-18.csv", 61, 1),
    ):  # fmt: skip
        assert re.search(rf"logs/{re.escape(name)} +{turns} +{rejects} ", done.out)
    assert "1 shard of distinct pairs" in done.out
    for stage in Q2.stages:
        assert re.search(rf"q2 +compact +[0-9a-f]{{8}} +{stage.name} +1 +0\b", done.out)
    assert re.search(r"completed +compact +163 +0\.\d{3} +\d+\.\d", done.out)


def test_the_id_of_a_run_stays_in_one_line_of_a_narrow_terminal(scored):
    """It is copied into other commands."""
    done = q2("status", "--store", scored.store, columns=60)
    assert re.search(r"^\d{8}T\d{6}-[0-9a-f]{6} ", done.out, re.MULTILINE)


def test_status_leaves_out_the_damaged_record_of_a_run(scored, tmp_path):
    """All else is shown, with a warning that names the file and what to do with it."""
    import shutil

    shutil.copytree(scored.store, tmp_path / "store")
    record = next((tmp_path / "store" / "runs").glob("*.json"))
    record.write_text("{")
    done = q2("status", "--store", tmp_path / "store")
    assert done.code == 0
    assert record.name in done.err
    assert "q2 verify --quarantine" in done.err
    assert "1 shard of distinct pairs" in done.out


def test_status_counts_what_is_missing(scored, tmp_path):
    """A stage without its file on a shard is shown as missing."""
    import shutil

    shutil.copytree(scored.store, tmp_path / "store")
    for path in (tmp_path / "store" / "stages" / "comparisons").rglob("*.parquet"):
        path.unlink()
    done = q2("status", "--store", tmp_path / "store")
    assert re.search(r"comparisons +0 +1\b", done.out)
    assert re.search(r"answers +1 +0\b", done.out)


def test_a_run_that_was_killed_is_not_called_running(tmp_path):
    """Its record could not be written any more, and no process holds its claim."""
    store = Store.open(tmp_path, create=True)
    record = {
        "run_id": "20261116T063000-abcdef", "status": "running", "profile": "compact",
        "metric": "q2", "started_at": "", "configuration": "", "seconds": 0.0,
    }  # fmt: skip
    store.write_json(store.small_file("runs", record["run_id"]), record)
    done = q2("status", "--store", tmp_path)
    assert re.search(r"abcdef +killed +compact", done.out)
    assert not (tmp_path / "locks").exists()


def test_status_of_an_empty_store(tmp_path):
    """Nothing there is nothing shown, without an error."""
    Store.open(tmp_path, create=True)
    done = q2("status", "--store", tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "0 shards of distinct pairs" in done.out


def test_status_changes_nothing(scored):
    """Looking does not write."""
    before = files_of(scored.store)
    q2("status", "--store", scored.store)
    assert files_of(scored.store) == before


def test_models_list_has_every_role_of_every_profile(profiles):
    """Shipped models are here with their size; one's own profiles are listed too."""
    done = q2("models", "list", "--profiles", profiles)
    assert done.code == 0
    for name in ("compact", "paper", "paper-small", "base", "strong", "small-shards", "other-nli"):
        assert re.search(rf"^{name} +parser ", done.out, re.MULTILINE)
    assert sum(role in line.split() for line in done.out.splitlines() for role in ROLES) == 60
    assert re.search(r"question_answering +bundled:compact-qa +yes +\d+", done.out)
    assert re.search(r" question_answering\.second +bundled:base-qa ", done.out)


def test_models_verify_finds_the_shipped_models_sound():
    """Every file of the compact profile is the recorded one."""
    done = q2("models", "verify")
    assert done.code == 0
    told = {f"bundled:compact-{name}: sound" for name in ("qa", "nli", "begin", "glue")}
    assert told <= set(done.out.splitlines())


def test_models_pull_needs_nothing_for_the_compact_profile():
    """Models that come with the package are not fetched."""
    done = q2("models", "pull", "compact")
    assert (done.code, done.err) == (0, "")
    assert "needs nothing from the hub" in done.out


@pytest.mark.parametrize("command", ["pull", "verify"])
def test_an_unknown_profile_is_a_sentence(command):
    """The profiles that there are, are named."""
    done = q2("models", command, "compacct")
    assert done.code == 2
    assert "There is no profile 'compacct'." in done.err
    assert "compact, paper" in done.err


def test_a_profile_of_a_folder_that_is_gone_names_it(tmp_path, profiles):
    """A missing local checkpoint is an error before anything is scored."""
    text = profiles.read_text().replace(str(profiles.parent / "nli"), str(tmp_path / "gone"))
    mine = tmp_path / "mine.toml"
    mine.write_text(text)
    done = q2(
        "score", ROOT / "examples" / "logs", "--store", tmp_path / "store",
        "--profile", "other-nli", "--profiles", mine,
    )  # fmt: skip
    assert done.code == 1
    assert str(tmp_path / "gone") in done.err
    assert "Traceback" not in done.err


def test_status_names_every_broken_gate_and_each_detail_on_a_line_of_its_own(tmp_path):
    """The date stands in its column only, and nothing is hidden behind a number."""
    store = Store.open(tmp_path, create=True)
    broken = [("too many", "bot 1.4"), ("too many", "bot 1.5"), ("coverage", "")]
    findings = [
        {"gate": gate, "group": group, "outcome": "broken", "sentence": "It is so."}
        for gate, group in broken
    ]
    verdict = {"outcome": "broken", "sentence": "2026-11-21: the gates are broken.", "findings": findings}  # fmt: skip
    notes = ("2026-11-22T16:45:12+00:00: scored with other models",)
    day = DateRecord(date(2026, 11, 21), "complete", "", (), {}, verdict=verdict, notes=notes)
    write_date(store, day)
    shown = q2("status", "--store", tmp_path).out
    assert re.search(
        r"2026-11-21 +complete .* broken +broken: too many \(bot 1.4, bot 1.5\)", shown
    )
    assert re.search(r"^ +broken: coverage *$", shown, re.MULTILINE)
    assert re.search(r"^ +2026-11-22 16:45: scored with other models *$", shown, re.MULTILINE)
    assert shown.count("2026-11-21") == 1
