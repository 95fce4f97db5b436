"""Tests of the result of `qsquared.score`, of opened stores, and of the example notebook."""

import ast
import json
import shutil

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import qsquared
from qsquared.errors import UsageError
from tests.calling import files_of
from tests.conftest import ROOT

REPLIES = ["It may weigh up to 28 kilograms.", "It may weigh up to 23 kilograms.", "", "I see."]
KNOWLEDGE = ["A checked bag may weigh up to 23 kilograms."] * 4


@pytest.fixture(scope="module")
def scores():
    """Four replies, two of which have a score."""
    return qsquared.score(REPLIES, KNOWLEDGE, metric=["q2", "begin", "overlap"])


def test_the_package_shows_what_there_is():
    """`dir` lists the interface before anything heavy is imported, and each name is there."""
    assert {"score", "explain", "open", "Scores", "Explanation"} <= set(dir(qsquared))
    assert all(hasattr(qsquared, name) for name in dir(qsquared))


@pytest.mark.slow
def test_a_result_counts_its_replies(scores):
    """Rate and interval are over the replies that have a score."""
    assert len(scores) == 4
    assert scores.scored == 2
    assert scores.inconsistent == sum(value <= 0.5 for value in scores["support"].drop_nulls())
    low, high = scores.interval
    assert low <= scores.rate <= high
    assert f"of {scores.scored} scored replies" in str(scores)
    assert str(scores) in scores._repr_html_()


def test_several_metrics_stand_beside_each_other(scores):
    """Each with the columns of its table, one row for each reply."""
    assert scores.frame.columns[:2] == ["q2", "q2_without_nli"]
    assert {"label", "begin_entailment", "overlap_f1"} <= set(scores.frame.columns)
    assert scores["status"].to_list() == ["scored", "scored", "empty_response", "no_claim"]
    assert scores["overlap_f1"].is_null().to_list()[2]


def test_a_result_explains_without_asking_again(scores, monkeypatch):
    """The explanation is that of `explain`, made of the tables that are there."""
    expected = [qsquared.explain(*pair) for pair in zip(REPLIES, KNOWLEDGE, strict=True)]
    monkeypatch.setattr("qsquared.notebooks.scoring.run_stages", None)
    assert [scores.explain(n).q2 for n in range(4)] == [one.q2 for one in expected]
    assert "not scored" in str(scores.explain(2))


@pytest.mark.parametrize("number", [4, -5])
def test_a_reply_that_is_not_there_is_a_sentence(scores, number):
    """It says how many there are."""
    with pytest.raises(UsageError, match=rf"no reply {number}: 4 were given"):
        scores.explain(number)


def test_a_result_is_an_arrow_stream(scores):
    """DuckDB, polars and Arrow read it as it is."""
    assert duckdb.sql("SELECT count(q2) FROM scores").fetchall() == [(2,)]
    assert pl.DataFrame(scores).equals(scores.frame)
    assert pa.table(scores).num_rows == 4


def test_a_metric_alone_has_a_status():
    """Without Q² the columns are those of the metric, and a missing reply says why."""
    found = qsquared.score(["a b", ""], ["a b", "k"], metric="overlap")
    assert found.frame.columns == ["overlap_f1", "status", "reason"]
    assert found["status"].to_list() == ["scored", "empty_response"]
    assert (found.rate, found.interval) == (None, None)
    assert "none with a Q²" in str(found)


def test_a_bar_counts_the_replies(capsys):
    """It is shown if it is asked for; a program that is not watched prints nothing."""
    qsquared.score(["a b"], ["a b"], metric="overlap", progress=True)
    assert "1/1" in capsys.readouterr().err
    qsquared.score(["a b", "c"], ["a b", "c"], metric="overlap")
    assert capsys.readouterr().err == ""


def test_a_store_gives_relations(scored):
    """The same rows to DuckDB, polars and Arrow, by the name of a table or by a query."""
    with qsquared.open(scored.store) as store:
        assert {"turns", "outcomes", "passages"} <= set(store)
        expected = store["outcomes"].aggregate("count(*), count(q2)").fetchall()
        assert expected == [(163, 143)]
        frame = (
            store["outcomes"]
            .pl(lazy=True)
            .filter(pl.col("q2").is_not_null())
            .select("id")
            .collect()
        )
        assert frame.height == 143
        assert store.sql("SELECT id FROM outcomes").to_arrow_reader().read_all().num_rows == 163
        assert "outcomes" in repr(store)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("COPY (SELECT 1) TO '{store}/x.csv'", "read-only"),
        ("CREATE TABLE x (i INT)", "read-only"),
        ("FROM read_csv('/etc/passwd')", "refused"),
        ("SELECT nothing FROM turns", "refused"),
        ("", "no statement"),
    ],
)
def test_an_opened_store_is_only_read(scored, query, told):
    """A query that would write or leave the store is a sentence, and no file appears."""
    before = set(files_of(scored.store))
    with qsquared.open(scored.store) as store, pytest.raises(UsageError, match=told):
        store.sql(query.format(store=scored.store)).fetchall()
    assert set(files_of(scored.store)) == before


@pytest.mark.parametrize("megabytes", [-5, 0, 1])
def test_a_store_is_opened_with_enough_memory_only(scored, megabytes):
    """Less than a query can do with is a sentence."""
    with pytest.raises(UsageError, match="No query can do with") as caught:
        qsquared.open(scored.store, memory_megabytes=megabytes)
    assert "64 MB" in caught.value.hint


@pytest.mark.slow
def test_each_cell_of_the_example_notebook_runs(desk, tmp_path, monkeypatch):
    """From the folder of the examples, with the store that its first lines ask for."""
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples" / "desk", folder / "desk")
    (tmp_path / "desk-scores").symlink_to(desk)
    monkeypatch.chdir(folder)
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    names = {}
    for cell in cells:
        *before, last = ast.parse(cell).body
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            assert shown is None or str(shown)
        else:
            exec(compile(ast.Module([last], []), "cell", "exec"), names)
