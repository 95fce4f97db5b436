"""Tests of ``q2 sql``: output forms, examples, and refusal of writes."""

import csv
import io
import json
import re

import polars as pl
import pytest

from qsquared.storage.store import Store
from tests.calling import files_of, q2


@pytest.fixture
def sql(scored):
    """Ask the store of the example log."""
    return lambda *arguments, **more: q2("sql", *arguments, "--store", scored.store, **more)


def test_a_table_is_shown_with_nulls_named(sql):
    """The default is a table for people, which distinguishes NULL from empty text."""
    done = sql("SELECT 1 AS one, NULL AS nothing, 0.123456::DOUBLE AS part, 'x' AS text")
    assert done.code == 0
    header, row = done.out.splitlines()
    assert header.split() == ["one", "nothing", "part", "text"]
    assert row.split() == ["1", "NULL", "0.1235", "x"]


def test_rows_too_wide_for_the_terminal_are_lists_of_their_fields(sql):
    """No column is broken into pieces of four letters."""
    shown = sql("FROM turns ORDER BY id LIMIT 2").out.splitlines()
    assert [line for line in shown if line.startswith("row ")] == ["row 1", "row 2"]
    assert any(re.fullmatch(r"id +1116-001 *", line) for line in shown)
    assert sum(line.startswith("response ") for line in shown) == 2


def test_a_long_result_says_how_many_rows_it_has(sql):
    """The table is cut at --rows and says so; CSV and JSON are whole."""
    query = "SELECT id FROM turns"
    cut = sql(query, "--rows", 3).out.splitlines()
    assert len(cut) == 1 + 3 + 1
    assert cut[-1].startswith("163 rows, the first 3 shown")
    assert len(sql(query, "--rows", 3, "--csv").out.splitlines()) == 164
    assert len(sql(query, "--rows", 3, "--json").out.splitlines()) == 163


def test_csv_holds_lists_as_json(sql):
    """Lists, which CSV has no type for, can be read back as JSON."""
    done = sql("SELECT id, history FROM turns ORDER BY id, line", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 163
    assert json.loads(rows[0]["history"]) == ["When is the museum open?"]


def test_bytes_in_lists_and_objects_are_texts(sql):
    """JSON has no bytes, and what is no text in UTF-8 has a mark in its place."""
    query = "SELECT ['ab'::BLOB, NULL] AS listed, {'raw': '\\xFF'::BLOB} AS held"
    assert json.loads(sql("--json", query).out) == {
        "listed": ["ab", None],
        "held": {"raw": "\ufffd"},
    }
    (row,) = csv.DictReader(io.StringIO(sql("--csv", query).out))
    assert row == {"listed": '["ab",null]', "held": '{"raw":"\ufffd"}'}


def test_json_is_one_object_a_row_with_numbers_as_numbers(sql):
    """NULL is null, and a sum of integers is no text."""
    done = sql(
        "SELECT count(*) AS n, sum(questions) AS s, max(error) AS e FROM scores, spans", "--json"
    )
    row = json.loads(done.out)
    assert type(row["n"]) is int
    assert type(row["s"]) is int
    assert row["e"] is None


def test_parquet_holds_the_whole_result_with_its_types(sql, tmp_path):
    """Lists stay lists and times stay times; a file that cannot be written is a sentence."""
    path = tmp_path / "turns.parquet"
    query = "SELECT id, history, timestamp, 1 AS n FROM turns ORDER BY timestamp"
    done = sql(query, "--parquet", path)
    assert done.code == 0
    assert done.out.startswith("163 rows written to")
    frame = pl.read_parquet(path)
    assert frame.schema == {
        "id": pl.String, "history": pl.List(pl.String), "timestamp": pl.Datetime("us", "UTC"),
        "n": pl.Int32,
    }  # fmt: skip
    assert frame["id"].to_list() == [
        json.loads(row)["id"] for row in sql(query, "--json").out.splitlines()
    ]
    refused = sql(query, "--parquet", path / "folder.parquet")
    assert refused.code == 2
    assert "cannot be written" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["turns.parquet"]


def test_a_query_comes_from_stdin(sql):
    """Without a query and with - it is read as an argument would be."""
    for asked in ((), ("-",)):
        assert sql(*asked, "--csv", stdin="SELECT 42 AS answer").out == "answer\n42\n"


def test_a_result_has_one_form(sql, tmp_path):
    """Nothing that was given is ignored: two forms are refused."""
    for forms in (["--csv", "--parquet", tmp_path / "x.parquet"], ["--csv", "--json"]):
        done = sql("SELECT 1", *forms)
        assert done.code == 2
        assert "Choose one of --csv, --json and --parquet FILE." in done.said
    assert not list(tmp_path.iterdir())


def test_an_empty_query_is_a_sentence(sql):
    """Exit code 2 without a traceback."""
    for done in (sql(""), sql("-", stdin=" \n"), sql("-- x;")):
        assert done.code == 2
        assert "Traceback" not in done.err
    assert "There is no query." in sql("-", stdin=" \n").err


@pytest.mark.parametrize(
    "query", ["SELEC 1", "SELECT nothing FROM scores", "FROM nothing", "SELECT 1 +"]
)
def test_wrong_sql_is_a_sentence_with_the_views_to_use(sql, query):
    """DuckDB's own words and where the columns are listed, with exit code 2."""
    done = sql(query)
    assert done.code == 2
    assert done.err.startswith("q2: DuckDB refused the query: ")
    assert "SHOW TABLES" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO '{store}/x.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{store}/x.csv'",
        "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{store}/x.csv'",
        "explain /* so */ analyze COPY (SELECT 1) TO '{store}/x.csv'",
        "/* so */ EXPLAIN ANALYZE COPY (SELECT 1) TO '{store}/x.csv'",
        "SELECT 1; COPY (SELECT 1) TO '{store}/x.csv'",
        "INSERT INTO inputs VALUES ('x', 'x', 1, 1, 1, now())",
        "UPDATE runs SET turns = 1",
        "DELETE FROM runs",
        "CREATE TABLE x (i INT)",
        "CREATE OR REPLACE VIEW scores AS SELECT 1",
        "DROP VIEW scores",
        "ATTACH '{store}/x.db'",
        "EXPORT DATABASE '{store}/x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 1",
        "RESET lock_configuration",
        "PRAGMA enable_profiling",
        "CALL pragma_version()",
        "BEGIN",
    ],
)  # fmt: skip
def test_what_could_write_is_refused(sql, scored, query):
    """Nothing runs and no file appears, in the store or elsewhere."""
    before = set(files_of(scored.store))
    done = sql(query.format(store=scored.store))
    assert done.code == 2
    assert "refused" in done.err
    assert set(files_of(scored.store)) == before


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('/etc/passwd')",
        "read_text('/etc/passwd')",
        "read_blob('/etc/passwd')",
        "glob('/etc/*')",
        "'/etc/passwd'",
        "read_text('{store}/../scores.csv')",
        "read_csv('{table}')",
        "read_parquet('https://127.0.0.1:9/x.parquet')",
        "sniff_csv('/etc/passwd')",
    ],
)
def test_nothing_outside_the_store_can_be_read(sql, scored, source):
    """Files elsewhere and the network are closed to SQL."""
    done = sql(f"SELECT * FROM {source.format(store=scored.store, table=scored.table)}")
    assert done.code == 2
    assert "refused" in done.err
    assert done.out == ""


@pytest.mark.slow
def test_reading_statements_all_work(sql):
    """SHOW, DESCRIBE, SUMMARIZE, EXPLAIN, FROM-first and several statements are welcome."""
    for query in (
        "SHOW TABLES", "DESCRIBE scores", "SUMMARIZE scores", "EXPLAIN FROM scores",
        "EXPLAIN ANALYZE SELECT count(*) FROM scores", "FROM scores LIMIT 1",
        "SELECT 1; SELECT 2", "WITH x AS (SELECT 1) FROM x", "/* why */ EXPLAIN SELECT 1",
    ):  # fmt: skip
        done = sql(query)
        assert (done.code, done.err) == (0, "")
    assert sql("SELECT 1 AS a; SELECT 2 AS b", "--csv").out == "b\n2\n"


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]], ids=["table", "csv", "json"])
def test_columns_of_equal_name_and_odd_types_are_no_defect(sql, form):
    """A join that has a column twice, a difference of times, bytes: all can be shown."""
    twice = sql("SELECT * FROM spans s JOIN questions q ON s.pair_id = q.pair_id LIMIT 1", *form)
    assert twice.code == 0
    assert "pair_id_1" in twice.out
    odd = sql(
        "SELECT max(timestamp) - min(timestamp) AS long, 'x'::BLOB AS bytes, 2::HUGEINT ** 70 AS h "
        "FROM turns",
        *form,
    )
    assert odd.code == 0
    assert "2 days" in odd.out


def test_the_order_of_a_query_is_kept(sql):
    """ORDER BY holds to the last row."""
    rows = sql("SELECT question FROM questions ORDER BY question DESC", "--json").out.splitlines()
    questions = [json.loads(row)["question"] for row in rows]
    assert len(questions) > 163
    assert questions == sorted(questions, reverse=True)


def test_an_empty_store_can_be_asked(tmp_path):
    """Every view is there, without rows, before anything was scored."""
    Store.open(tmp_path, create=True)
    for view in ("turns", "rejects", "pairs", "scores", "evidence", "inputs", "runs", "spans"):
        done = q2("sql", f"SELECT count(*) AS n FROM {view}", "--csv", "--store", tmp_path)
        assert (done.code, done.out) == (0, "n\n0\n")


def test_a_table_in_a_pipe_takes_the_width_that_is_asked_for(sql):
    """`COLUMNS` counts where no terminal tells its width."""
    text = "SELECT repeat('word ', 40) AS words"
    assert max(map(len, sql(text, columns=80).out.splitlines())) <= 80
    assert max(map(len, sql(text, columns=300).out.splitlines())) > 190


def test_a_query_may_come_through_a_pipe_and_of_several_each_is_shown(sql):
    """`echo "…" | q2 sql` needs no dash; CSV holds the last result alone."""
    done = sql(stdin="SELECT 1 AS one; SELECT 2 AS two")
    assert done.code == 0, done.err
    assert done.out.split() == ["one", "1", "two", "2"]
    assert sql("SELECT 1 AS one; SELECT 2 AS two", "--csv").out.split() == ["two", "2"]


def test_a_pivot_may_look_for_its_columns_itself(sql):
    """DuckDB makes several statements of it, all of which only read."""
    done = sql("PIVOT outcomes ON status USING count(*) GROUP BY profile")
    assert done.code == 0, done.err
    assert "no_claim" in done.out


def test_a_field_of_the_log_that_is_taken_for_a_column_is_found(sql):
    """The hint is a query that runs."""
    done = sql("SELECT bot_version FROM outcomes")
    assert done.code == 2
    (hint,) = re.findall(r'q2 sql "(SELECT fields.bot_version.*)"', done.err)
    assert sql(hint).code == 0


def test_a_column_of_another_view_is_found_there(sql):
    """It is no field of the log."""
    done = sql("SELECT token_f1 FROM scores")
    assert "token_f1 is a column of comparisons" in done.err
    assert "field of the log" not in done.err


@pytest.mark.parametrize("inner", ["FROM turns", "PIVOT turns ON status USING count(*)"])
def test_who_would_copy_is_told_how_to_write_a_file(sql, inner):
    """Also where DuckDB makes several statements of the COPY."""
    done = sql(f"COPY ({inner}) TO 'out.csv'")
    assert done.code == 2
    assert "so COPY is refused" in done.err
    assert "--parquet FILE" in done.err
