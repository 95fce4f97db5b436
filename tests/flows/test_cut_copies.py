"""Tests of a cut copy of a log that lay beside the right one for a minute."""

from datetime import date

import pytest

from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.score_date import DatedJob, score_date
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.small_store import make_small, words_for_models

DAY = date(2026, 11, 16)


@pytest.fixture(scope="module", autouse=True)
def _words():
    """No model is loaded here."""
    with words_for_models():
        yield


@pytest.fixture
def scored(tmp_path):
    """The lines of a small log, and a function that scores the date by the logs beside it."""
    lines = make_small(tmp_path).logs[0].read_text().splitlines(keepends=True)
    store = str(tmp_path / "dated")

    def score(logs, known):
        workbench.open_job.cache_clear()
        options = ScoreOptions(logs=logs, known=known, store=store)
        return score_logs(options, Steps(options))

    job = ScoreOptions(logs=[], store=store).job
    dated = DatedJob(job, (str(tmp_path / "night-{date}*.jsonl"),))
    return lines, lambda: score_date(dated, DAY, score, anew=False)[0]


def test_a_cut_copy_counts_in_its_date_no_more(tmp_path, scored):
    """Once the right log is there the date has its turns alone, and an erasure finds the copy by its path."""
    lines, score = scored
    right, cut = tmp_path / f"night-{DAY}.jsonl", tmp_path / f"night-{DAY}-cut.jsonl"
    cut.write_text("".join(lines[:3]))
    assert score().turns == 3
    right.write_text("".join(lines))
    assert score().turns == 5
    cut.unlink()
    right.write_text("".join([*lines, lines[0].replace('"t0"', '"t99"')]))
    record = score()
    assert record.turns == 6
    assert {file.path for file in record.files} == {str(right)}
    assert len(list(Store.open(tmp_path / "dated").root.glob("inputs/*.json"))) == 3


def test_a_log_that_went_counts_in_a_longer_one_of_another_name(tmp_path, scored):
    """The longer one comes in its place, so its turns count once."""
    lines, score = scored
    first, longer = tmp_path / f"night-{DAY}.jsonl", tmp_path / f"night-{DAY}-full.jsonl"
    first.write_text("".join(lines[:3]))
    assert score().turns == 3
    first.unlink()
    longer.write_text("".join(lines))
    record = score()
    assert record.turns == 5
    assert {file.path for file in record.files} == {str(longer)}
