"""Tests of stores that older versions wrote, three nights each, after a night of this version.

The stores were made by the commits or releases that they are named after, and are never made again.
"""

import csv
import json
import shutil
import tarfile
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from qsquared.flows.loop import Steps, score_logs
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.conftest import without_prefect
from tests.faults.small_store import words_for_models

HERE = Path(__file__).parent
NIGHT = date(2026, 11, 19)
RULES = """
[[gate]]
kind = "rise"
days = 28
least_days = 3
minimum = 5
"""


def new_night(folder):
    """Write the log of the next night and return its path."""
    path = folder / f"{NIGHT}.jsonl"
    rows = [
        {
            "id": f"1119-{i:03d}",
            "timestamp": f"{NIGHT}T0{i}:00:00Z",
            "knowledge": f"Ferry {i} leaves Skarholm at {i + 7}:30 and takes two cars.",
            "response": f"Ferry {i} leaves at {i + 7}:30.",
        }
        for i in range(8)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def score(store, *logs):
    """Score logs into a store by this version, with models that read words."""
    workbench.open_job.cache_clear()
    options = ScoreOptions(logs=list(map(str, logs)), store=str(store))
    score_logs(options, Steps(options))


@pytest.fixture(scope="module", params=["9be9a69", "ce61b6c", "0.2.0"])
def upgraded(request, tmp_path_factory):
    """A store of an older version with one night of this one; to be read only."""
    folder = tmp_path_factory.mktemp(request.param)
    with tarfile.open(HERE / f"{request.param}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    with words_for_models():
        score(folder / "store", new_night(folder))
    return folder / "store"


def rows(store, sql):
    """Return the rows of a query as dictionaries of texts."""
    done = q2("sql", sql, "--csv", "--store", store)
    assert done.code == 0, done.err
    return list(csv.DictReader(done.out.splitlines()))


def test_earlier_nights_keep_their_scores_and_are_marked(upgraded):
    """No rate is NULL where there is a score, and days of the older version count it as outdated."""
    days = rows(upgraded, "FROM daily ORDER BY day")
    assert [(day["scored"], day["outdated"]) for day in days] == [("12", "12")] * 3 + [("8", "0")]
    assert all(day["rate"] for day in days)


def test_each_question_of_an_older_version_is_shown_once(upgraded):
    """All tables of a shard come from the version that scored it."""
    found = rows(
        upgraded,
        "SELECT count(*) AS n, count(DISTINCT (pair_id, span_index, rank)) AS d, "
        "count(DISTINCT s.configuration) AS versions FROM evidence JOIN scores s USING (pair_id)",
    )
    assert found[0]["n"] == found[0]["d"]
    assert found[0]["versions"] == "2"


def test_the_status_names_the_turns_of_the_older_version(upgraded):
    """It says how many turns and days there are, and what to run."""
    said = q2("status", "--store", upgraded).said
    assert "36 turns of 3 days have scores of an older version only (q2, compact)" in said
    assert "q2 rescore --store" in said


def test_a_rise_is_not_judged_across_versions(upgraded, tmp_path):
    """The verdict says why, and the exit code that the gate could not judge."""
    (tmp_path / "gates.toml").write_text(RULES)
    done = q2("gate", "--rules", tmp_path / "gates.toml", "--store", upgraded)
    assert done.code == 4
    assert "36 turns of these days have scores of another version only" in done.said
    assert "q2 rescore --since 2026-11-16" in done.said


def test_the_report_names_and_shows_the_older_scores(upgraded, tmp_path):
    """The page says how many turns are of the older version, and its trend shows their days apart."""
    out = tmp_path / "report.html"
    assert q2("report", "--out", out, "--store", upgraded).code == 0
    page = " ".join(out.read_text().split())
    assert "36 turns have scores of an older version" in page
    assert page.count('class="dot older"') == 3
    assert page.count('class="line"') == 1
    assert "Hollow points (2026-11-16 to 2026-11-18) are of an older version" in page


def test_an_upgraded_store_is_sound(upgraded):
    """Nothing is wrong with it."""
    assert verify(Store.open(upgraded)).sound


def test_erasing_keeps_scores_and_columns_of_the_older_version(upgraded, tmp_path):
    """The other turns of a shard keep what the older version made of them, as it wrote it."""
    store = tmp_path / "store"
    shutil.copytree(upgraded, store)

    def columns():
        found = store.glob("stages/*/*/*.parquet")
        names = {path: set(pq.read_schema(path).names) - {"refusal_answerable"} for path in found}
        return sorted((path.parent.name, *sorted(each)) for path, each in names.items())

    before = columns()
    assert q2("erase", "--id", "1116-002", "--yes", "--store", store).code == 0
    assert columns() == before
    days = rows(store, "FROM daily ORDER BY day")
    assert [(day["scored"], day["outdated"]) for day in days][:2] == [("11", "11"), ("12", "12")]
    assert int(rows(store, "SELECT count(*) AS n FROM evidence")[0]["n"]) > 0
    assert verify(Store.open(store)).sound


@pytest.mark.slow
def test_rescoring_needs_no_log_and_leaves_nothing_outdated(upgraded, tmp_path):
    """All turns have scores of this version then, and a rise is judged."""
    shutil.copytree(upgraded, tmp_path / "store")
    with words_for_models(), without_prefect():
        workbench.open_job.cache_clear()
        done = q2("rescore", "--since", "2026-11-17", "--store", tmp_path / "store")
    assert done.code == 0, done.err
    days = rows(tmp_path / "store", "FROM daily ORDER BY day")
    assert {day["outdated"] for day in days} == {"0"}
    assert [day["scored"] for day in days] == ["12", "12", "12", "8"]
    (tmp_path / "gates.toml").write_text(RULES)
    done = q2("gate", "--rules", tmp_path / "gates.toml", "--store", tmp_path / "store")
    assert done.code in {0, 3}
    assert "another version" not in done.said
