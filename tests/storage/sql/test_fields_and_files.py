"""Regular fields of the log as columns, and files of one's own beside the store."""

import json

import pytest

from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from tests.calling import q2

ROWS = [
    {"tier": "gold", "cost": 2, "odd": 1, "same": 1, "Same": 2, "user": {"age": 3, "name": "Ann"}},
    {"tier": None, "cost": 0.5, "odd": "x", "none": None, "user": {"age": 4}, "tags": ["a"]},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of two turns with further fields, not scored."""
    folder = tmp_path_factory.mktemp("fields")
    log = folder / "log.jsonl"
    told = {"response": "It is five.", "knowledge": "It is four."}
    rows = [{"id": f"t{i}", **told, **row} for i, row in enumerate(ROWS)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest_file(Store.open(folder / "store", create=True), log)
    return folder / "store"


def ask(store, sql, *more):
    """Return what a query says: rows as JSON, or the error."""
    done = q2("sql", sql, "--json", "--store", store, *more)
    return done.err if done.code else [json.loads(line) for line in done.out.splitlines()]


def test_fields_of_one_type_are_columns_of_a_struct(store):
    """A field of two types, one without values, and one whose name comes again are left out."""
    # A store without scores has no outcomes, but the type of the column is that of the log.
    (row,) = ask(store, "SELECT column_type FROM (DESCRIBE outcomes) WHERE column_name = 'fields'")
    assert row["column_type"] == (
        'STRUCT(tier VARCHAR, "cost" DOUBLE, same BIGINT, "user" STRUCT(age BIGINT, "name" VARCHAR), '
        "tags VARCHAR[])"
    )


def test_a_field_of_the_log_is_a_column_of_a_scored_store(desk):
    """Lists of objects, such as the knowledge's titles, are regular too."""
    rows = ask(
        desk,
        "SELECT fields.latency_ms AS ms, fields.knowledge_sources[1].title AS title FROM outcomes "
        "WHERE id = '1119-01'",
    )
    assert rows == [{"ms": 420, "title": "Opening hours"}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.csv", "id,tier\nt0,gold\n"),
        ("users.tsv", "id\ttier\nt0\tgold\n"),
        ("users.jsonl", '{"id": "t0", "tier": "gold"}\n'),
        ("users[1].csv", "id,tier\nt0,gold\n"),
    ],
)
def test_a_file_is_a_table_beside_the_store(store, tmp_path, name, text):
    """By the file's name or by another, joined with the turns of the store."""
    path = tmp_path / name
    path.write_text(text)
    expected = [{"id": "t0", "tier": "gold"}]
    for given in (f"people={path}", *([path] if "[" not in name else [])):
        table = "people" if "=" in str(given) else "users"
        sql = f"SELECT id, tier FROM {table} JOIN turns USING (id)"
        assert ask(store, sql, "--attach", given) == expected


@pytest.mark.parametrize(("name", "table"), [("day=1/users.csv", "users"), ("t=1=2.csv", "t_1_2")])
def test_a_path_may_hold_the_sign_of_a_name(store, tmp_path, monkeypatch, name, table):
    """With a name before it or without, from its folder or from elsewhere."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("id,tier\nt0,gold\n")
    monkeypatch.chdir(tmp_path)
    for given, named in ((name, table), (path, table), (f"people={name}", "people")):
        assert ask(store, f"SELECT tier FROM {named}", "--attach", given) == [{"tier": "gold"}]


def test_an_attached_file_opens_no_other(store, tmp_path):
    """The walls stand around the store and the files that were named, and nothing is written."""
    named, beside = tmp_path / "users.csv", tmp_path / "secret.csv"
    named.write_text("a\n1\n")
    beside.write_text("a\nSECRET\n")
    for sql in (
        f"FROM read_csv('{beside}')",
        f"FROM read_csv('{tmp_path}/*.csv')",
        f"COPY (SELECT 2) TO '{named}'",
        "WITH x AS (INSERT INTO users VALUES (2) RETURNING *) FROM x",
    ):
        found = ask(store, sql, "--attach", named)
        assert isinstance(found, str), sql
        assert "refused" in found
    assert named.read_text() == "a\n1\n"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("none.csv", "There is no file none.csv to attach."),
        ("turns={csv}", "There is a table turns already."),
        ("1st={csv}", "'1st' is no name of a table."),
        ("{odd}", "is no table that can be attached."),
        ("broken={broken}", "cannot be read as a table"),
    ],
)
def test_what_cannot_be_attached_is_a_sentence(store, tmp_path, given, sentence):
    """Exit code 2, with what to do instead."""
    files = {name: tmp_path / f"x.{name}" for name in ("csv", "odd")}
    files["broken"] = tmp_path / "b.parquet"
    for path in files.values():
        path.write_text("a\n1\n")
    assert sentence in ask(store, "SELECT 1", "--attach", given.format(**files))


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("SELECT nothing FROM turns", 'q2 sql "DESCRIBE turns"'),
        ("FROM outcome", 'q2 sql "DESCRIBE outcomes"'),
        ("FROM read_csv('users.csv')", "q2 sql --attach users.csv"),
        ("SELEC 1", 'q2 sql "SHOW TABLES"'),
    ],
)
def test_a_hint_names_the_table_that_was_asked(store, sql, hint):
    """Or one of a similar name, or the way to a file of one's own."""
    assert hint in ask(store, sql)
