"""Tests of ``q2 glue fit`` and of scoring with the fitted range."""

import json

import pytest

from tests.calling import q2
from tests.faults.small_store import words_for_models

WORDS = ("the", "sea", "is", "deep", "and", "blue", "wide")


@pytest.fixture
def logs(tmp_path):
    """Thirty turns with history and with stars."""
    rows = [
        {
            "id": f"t{i}",
            "knowledge": "the sea is deep and blue",
            "history": [f"is it {WORDS[i % 5]} sea number {i}"],
            "response": " ".join(WORDS[j] for j in range(7) if (i + 1) >> j & 1),
            "stars": i % 7,
        }
        for i in range(30)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_range_is_fitted_stored_and_applied(tmp_path, logs):
    """Indicators first, then ranges and weights from the turns' stars, then the combination."""
    store, file, table = tmp_path / "store", tmp_path / "range.json", tmp_path / "out.jsonl"
    score = ("score", logs, "--store", store, "--metric", "glue")
    with words_for_models():
        first = q2(*score)
        assert first.code == 0, first.err
        made = q2("glue", "fit", "--store", store, "--rating", "stars", "--out", file)
        assert made.code == 0, made.err
        assert "30 of them rated" in made.out
        done = q2(*score, "--glue-range", file, "--out", table)
        assert done.code == 0, done.err
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["about"]["turns"] == 30
    assert set(told["regression"]["coefficients"]) <= set(told["bounds"])
    rows = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    assert all(row["glue"] is not None for row in rows)
    profiles = q2("sql", "--store", store, "SELECT DISTINCT profile FROM glue ORDER BY 1", "--csv")
    assert "compact+glue_range=" in profiles.out
    told["regression"]["intercept"] = 9.0
    file.write_text(json.dumps(told), encoding="utf-8")
    refused = q2(*score, "--glue-range", file)
    assert refused.code == 2
    assert "checksum" in refused.err


def test_a_store_without_indicators_says_what_to_do(tmp_path, logs):
    """The command that makes them, and no traceback."""
    assert q2("ingest", logs, "--store", tmp_path / "store").code == 0
    done = q2("glue", "fit", "--store", tmp_path / "store", "--out", tmp_path / "range.json")
    assert done.code != 0
    assert "q2 score LOGS --metric glue" in done.err
