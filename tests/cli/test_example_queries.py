"""Tests of the queries in ``examples/queries``."""

import json

import pytest

from tests.calling import q2
from tests.conftest import ROOT

QUERIES = sorted((ROOT / "examples" / "queries").glob("*.sql"))


@pytest.fixture
def sql(scored):
    """Ask the store of the example log."""
    return lambda *arguments, **more: q2("sql", *arguments, "--store", scored.store, **more)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_each_example_query_gives_rows_with_sane_columns(sql, path):
    """Counts are whole and not negative, shares and means lie in 0 to 1, and no name comes twice."""
    done = sql("--json", stdin=path.read_text(encoding="utf-8"))
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert rows
    assert {row["profile"] for row in rows} == {"compact"}
    shares = {
        "mean_q2",
        "median_q2",
        "mean_q2_without_nli",
        "coverage",
        "share",
        "nli_contradiction",
    }
    numbers = {"turns", "scored", "below_half", "by_fallback", "unanswered", "questions",
               "with_contradiction"}  # fmt: skip
    seen = set()
    for row in rows:
        for name in shares & row.keys():
            assert row[name] is None or 0 <= row[name] <= 1
        for name in numbers & row.keys():
            assert type(row[name]) is int
            assert row[name] >= 0
        seen |= (shares | numbers) & row.keys()
    assert seen


@pytest.mark.parametrize(
    "name", ["agreement_with_labels", "q2_by_bot_version", "q2_by_day", "status_of_every_turn"]
)
def test_queries_over_turns_count_each_turn_once(sql, name):
    """Their counts add up to the log, whatever share of it was scored."""
    path = ROOT / "examples" / "queries" / f"{name}.sql"
    done = sql("--json", stdin=path.read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert sum(row["turns"] for row in rows) == 163
    assert sum(row.get("scored", 0) for row in rows) in {0, 143}


def test_each_example_query_is_reported_of():
    """The table of examples/README.md lists the queries that are there."""
    told = (ROOT / "examples" / "README.md").read_text()
    assert QUERIES
    assert all(f"`{path.name}`" in told for path in QUERIES)
