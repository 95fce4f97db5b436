"""Databases of SQLite, in which chat programs keep their conversations."""

import json
import sqlite3

import pytest

from qsquared.errors import InputError
from qsquared.storage.logs.file_types.databases import iterate_sqlite
from qsquared.storage.logs.surveys.proposals import propose
from qsquared.storage.logs.surveys.survey import survey_log
from tests.storage.logs.test_proposals import FACTS


def database(path):
    """Make a database of chats, whose answers are objects with their sources."""
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE chats (id INTEGER PRIMARY KEY, prompt TEXT, response TEXT)")
    base.execute("CREATE TABLE settings (name TEXT, value BLOB)")
    base.execute("CREATE VIEW everything AS SELECT * FROM chats")
    base.execute("INSERT INTO settings VALUES ('key', X'00FF')")
    for number, (question, reply, fact) in enumerate(FACTS):
        head = "<document_metadata>\nsourceDocument: a.md\n</document_metadata>\n\n"
        answer = {"text": reply, "sources": [{"title": "a.md", "text": head + fact}]}
        base.execute("INSERT INTO chats VALUES (?, ?, ?)", (number, question, json.dumps(answer)))
    base.commit()
    base.close()


def test_a_database_of_sqlite_is_read_as_its_tables(tmp_path):
    """The element that a program writes above a text is no part of the passage."""
    database(tmp_path / "chats.db")
    proposed, _ = propose(survey_log(tmp_path / "chats.db", {}))
    turns = [(t["history"][-1], t["response"], *t["knowledge"]) for t in proposed.turns]
    assert turns == list(FACTS)
    assert list(tmp_path.iterdir()) == [tmp_path / "chats.db"]


def test_only_tables_of_a_database_are_read(tmp_path):
    """A view of its schema is not run, and bytes are no text."""
    path = tmp_path / "chats.db"
    database(path)
    ((_, tables, _),) = iterate_sqlite(path, path, ())
    assert list(tables) == ["chats", "settings"]
    assert tables["settings"] == [{"name": "key", "value": "\x00\ufffd"}]


def test_a_damaged_database_is_refused_with_a_sentence(tmp_path):
    """The message says what to do."""
    path = tmp_path / "chats.db"
    database(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(InputError, match=r"cannot be read.*\n?.*"):
        list(iterate_sqlite(path, path, ()))


def test_nothing_of_a_hostile_schema_is_run(tmp_path):
    """A table may be called as a function of SQLite is, a column be computed, and a view have no end."""
    path = tmp_path / "chats.db"
    database(path)
    base = sqlite3.connect(path)
    base.execute("CREATE VIEW pragma_table_list AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i FROM n) "
                 "SELECT i AS name FROM n")  # fmt: skip
    base.execute("CREATE TABLE blobs (a INT, b BLOB GENERATED ALWAYS AS (zeroblob(1000000000)))")
    base.execute("INSERT INTO blobs (a) VALUES (1)")
    base.commit()
    base.close()
    ((_, tables, _),) = iterate_sqlite(path, path, ())
    assert tables["blobs"] == [{"a": 1}]
    assert list(tables) == ["blobs", "chats", "settings"]


def test_a_database_whose_tables_hold_more_than_a_row_may_is_a_reject(tmp_path, monkeypatch):
    """Its size on disk tells nothing of what a damaged tree repeats."""
    path = tmp_path / "chats.db"
    database(path)
    base = sqlite3.connect(path)
    base.executemany("INSERT INTO settings VALUES (?, ?)", [("", b"")] * 40_000)
    base.commit()
    base.close()
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    ((_, reason, _),) = iterate_sqlite(path, path, ())
    assert reason == "The database is longer than 1 MB (Q2_MAX_ROW_MB sets the bound)."


def test_json_in_a_json_text_is_the_json(tmp_path):
    """A column of JSON writes a text in quotes, which programs give it that encode what they store themselves."""
    path = tmp_path / "events.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE events (attributes JSON, note TEXT)")
    encoded = json.dumps(json.dumps({"question": "Is it open?"}))
    base.execute("INSERT INTO events VALUES (?, ?)", [encoded, '"Open" is its name.'])
    base.commit()
    base.close()
    ((_, tables, _),) = iterate_sqlite(path, path, ())
    assert tables["events"] == [
        {"attributes": '{"question": "Is it open?"}', "note": '"Open" is its name.'}
    ]
