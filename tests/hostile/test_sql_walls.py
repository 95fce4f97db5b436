"""Tests that ``q2 sql`` cannot write, leave the store, change its settings, or exceed its limits."""

import subprocess
import sys

import pytest

from qsquared.storage.store import Store
from tests.calling import files_of, q2

PROGRAM = "from qsquared.cli.main import main; main()"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty store, in a folder with a secret beside it, which is the current one."""
    (tmp_path / "secret.csv").write_text("a\nSECRET\n")
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp" / "secret.csv").write_text("a\nSECRET\n")
    Store.open(tmp_path / "store", create=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("Q2_SECRET", "SECRET")
    return tmp_path / "store"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "query",
    [
        "FROM read_csv('{beside}/secret.csv')",
        "FROM read_csv('secret.csv')",
        "FROM read_csv('.tmp/secret.csv')",
        "FROM read_csv('{store}/../secret.csv')",
        "FROM read_csv('{store}/./../secret.csv')",
        "FROM read_csv('{store}-x/../secret.csv')",
        "FROM read_csv(['{store}/store.json', '{beside}/secret.csv'])",
        "FROM '{beside}/secret.csv'",
        "FROM read_text('{beside}/*')",
        "FROM read_blob('file://{beside}/secret.csv')",
        "FROM read_json('{beside}/secret.csv')",
        "FROM read_parquet('{beside}/secret.csv')",
        "FROM parquet_metadata('{beside}/secret.csv')",
        "FROM read_duckdb('{beside}/secret.csv')",
        "FROM sniff_csv('{beside}/secret.csv')",
        "FROM glob('{beside}/*')",
        "FROM glob('/etc/*')",
        "FROM read_text('/etc/passwd')",
        "FROM read_blob('/proc/self/environ')",
        "FROM read_csv('/dev/stdin')",
        "FROM query('FROM read_csv(''{beside}/secret.csv'')')",
        "FROM query_table('{beside}/secret.csv')",
        "FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''/etc/passwd'')'))",
        "FROM read_csv('https://127.0.0.1:1/x.csv')",
        "FROM read_parquet('s3://bucket/x.parquet')",
        "FROM duckdb_secrets()",
        "SELECT getenv('Q2_SECRET')",
        "FROM statements",
        "COPY (SELECT 1) TO '{beside}/out.csv'",
        "COPY (SELECT 1) TO '{store}/out.csv'",
        "COPY (PIVOT turns ON status USING count(*)) TO '{store}/out.csv'",
        "CREATE TABLE mine AS PIVOT turns ON status USING count(*)",
        "ATTACH '{store}/x.db'",
        "ATTACH '{beside}/x.db' (READ_ONLY)",
        "EXPORT DATABASE '{store}/x'",
        "INSTALL httpfs",
        "INSTALL spatial FROM community",
        "LOAD httpfs",
        "LOAD '{store}/x.duckdb_extension'",
        "WITH x AS (INSERT INTO inputs VALUES ('x', 'x', 1, 1, NULL, now()) RETURNING *) FROM x",
        "WITH x AS (DELETE FROM inputs RETURNING *) FROM x",
        "WITH x AS (UPDATE runs SET turns = 1 RETURNING *) FROM x",
        "CREATE TEMP TABLE x AS SELECT 1",
        "CREATE MACRO x() AS 1",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET allowed_directories",
        "PRAGMA enable_profiling",
        "SELECT 1; SET memory_limit = '1TB'",
        "FROM enable_logging(storage = 'file', storage_path = '{beside}/log')",
        "BEGIN; COMMIT",
        "COMMIT",
        "ROLLBACK; WITH x AS (INSERT INTO inputs VALUES ('x', 'x', 1, 1, NULL, now()) RETURNING *) FROM x",
    ],
)  # fmt: skip
def test_a_way_out_of_the_store_is_refused(store, tmp_path, query):
    """Nothing is read, written, attached, fetched or set; one sentence, exit code 2."""
    before = files_of(tmp_path)
    done = q2("sql", query.format(store=store, beside=tmp_path), "--store", store)
    assert done.code == 2, done.out
    assert "refused" in done.err
    assert "SECRET" not in done.out + done.err.replace("Q2_SECRET", "")
    assert files_of(tmp_path) == before


def test_the_settings_say_what_is_closed(store):
    """The settings that close the connection are set and locked."""
    names = {
        "enable_external_access": "false",
        "lock_configuration": "true",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
    }
    shown = ", ".join(f"current_setting('{name}')::TEXT AS {name}" for name in names)
    done = q2("sql", f"SELECT {shown}", "--csv", "--store", store)
    assert done.out.splitlines()[1].split(",") == list(names.values())


@pytest.mark.slow
def test_two_queries_never_spill_into_one_folder(store):
    """Each connection has a folder of its own inside the store, which is not there afterwards."""
    asked = [
        q2("sql", "SELECT current_setting('temp_directory') AS t", "--csv", "--store", store).out
        for _ in range(2)
    ]
    assert asked[0] != asked[1]
    assert all(str(store) in place for place in asked)
    heavy = (
        "SELECT count(*) FROM (SELECT i FROM range(9000000) t(i) ORDER BY random() LIMIT 8999999)"
    )
    assert q2("sql", heavy, "--memory", 64, "--store", store).code in {0, 124}
    assert [path.name for path in store.iterdir() if path.name.startswith(".spill")] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM range(100000000000) a, range(1000000000) b",
        "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r",
        "FROM range(100000000000)",
        "SELECT count(*) FROM range(100000000000) a, range(1000000000) b; SELECT 1",
    ],
)
@pytest.mark.parametrize("form", [[], ["--csv"]], ids=["table", "csv"])
def test_a_query_without_an_end_is_ended(store, query, form, monkeypatch):
    """A sentence with the limit and how to raise it, and an exit code of its own."""
    monkeypatch.setattr("qsquared.cli.terminal.query_results._write", lambda text: None)
    done = q2("sql", query, "--timeout", 0.3, *form, "--store", store)
    assert done.code == 124
    assert "The query took longer than 0.3 s and was ended." in done.err
    assert "--timeout" in done.err


@pytest.mark.parametrize(
    "query",
    [
        "SELECT list(range) FROM range(1000000000)",
        "SELECT string_agg(repeat('x', 1000), '') FROM range(10000000)",
        "SELECT length(repeat('x', 3000000000))",
        "SELECT repeat('x', 100000000) FROM range(1000)",
    ],
)
def test_a_query_beyond_its_memory_is_ended(store, query):
    """Buffers, aggregates, and one text of gigabytes that a function makes: a sentence, code 124."""
    done = q2("sql", query, "--memory", 100, "--csv", "--store", store)
    assert done.code == 124, done.out[:200]
    assert "The query needs more than its 100 MB of memory" in done.err
    assert "--memory" in done.err


def test_the_memory_bound_ends_with_the_query(store):
    """After a query the kernel's limit of memory is as it was before."""
    if sys.platform != "linux":
        pytest.skip("only Linux has the limit")
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    for query in ("SELECT 1", "SELECT length(repeat('x', 3000000000))", "FROM nothing"):
        q2("sql", query, "--memory", 100, "--store", store)
        assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_a_result_larger_than_memory_is_written_as_it_comes(store, monkeypatch):
    """Rows are written in portions; a result is never whole in memory."""
    portions = []
    monkeypatch.setattr(
        "qsquared.cli.terminal.query_results._write", lambda text: portions.append(len(text))
    )
    query = "SELECT range AS i, repeat('x', 1000) AS t FROM range(100000)"
    assert q2("sql", query, "--csv", "--memory", 100, "--store", store).code == 0
    assert sum(portions) > 100_000_000
    assert max(portions) < 10_000_000


@pytest.mark.slow
def test_a_function_that_hears_no_interrupt_ends_the_program(store):
    """One value that takes hours within a single function: the process ends with the sentence."""
    query = "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "sql", query, "--timeout", "1", "--store", str(store)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 124
    assert "The query took longer than 1 s and was ended." in done.stderr
    assert "Traceback" not in done.stderr
