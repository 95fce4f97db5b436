"""YAML and XML are read as rows of plain values, and nothing in them is obeyed."""

import pytest

from qsquared.storage.logs.envelopes import unwrapped
from qsquared.storage.logs.file_types.detect import detect_file_type, iterate_rows
from qsquared.storage.logs.reading import detect_reading
from qsquared.storage.logs.rows import RawRow
from tests.calling import q2
from tests.cli.stored import turns_of
from tests.cli.test_unknown_logs import FACT, REPLY


def rows_of(path):
    """The fields of the rows of a file, or the reason of a reject."""
    return [row.fields if isinstance(row, RawRow) else row.reason for row in iterate_rows(path)]


@pytest.mark.parametrize("text", ["- {id: 1}\n- {id: 2}\n", "id: 1\n---\nid: 2\n"])
def test_the_items_of_a_list_and_the_documents_of_a_file_are_rows(tmp_path, text):
    """Both forms are written by programs."""
    file = tmp_path / "log.yaml"
    file.write_text(text)
    assert rows_of(file) == [{"id": 1}, {"id": 2}]


def test_times_stay_texts_and_tags_of_classes_are_passed_over(tmp_path):
    """A time is read by the rules of all logs, and an object of Ruby is an object."""
    file = tmp_path / "log.yml"
    file.write_text("--- !ruby/object:Message\nat: 2026-03-01 10:00:00 Z\nsaid: !ruby/sym hello\n")
    assert rows_of(file) == [{"at": "2026-03-01 10:00:00 Z", "said": "hello"}]


def test_names_that_are_numbers_are_names(tmp_path):
    """Columns of a table by the numbers of its rows are rows, as in JSON."""
    file = tmp_path / "log.yaml"
    file.write_text("said: {0: Hi, 1: Sure}\nby: {0: user, 1: bot}\n")
    rows = [row.fields for row in detect_reading(file, {}).rows(file)]
    assert rows == [{"said": "Hi", "by": "user"}, {"said": "Sure", "by": "bot"}]


def test_no_code_of_a_yaml_file_runs(tmp_path):
    """A tag that would call a function is passed over."""
    file, made = tmp_path / "log.yaml", tmp_path / "made"
    file.write_text(f'said: !!python/object/apply:os.mkdir ["{made}"]\n')
    assert rows_of(file) == [{"said": [str(made)]}]
    assert not made.exists()


LAUGHS = "a0: &a0 [ha, ha]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
"""A few lines that stand for gigabytes."""


def test_what_an_alias_repeats_is_read(tmp_path):
    """Recorded conversations name what they have alike."""
    file = tmp_path / "log.yaml"
    file.write_text("- &hi {user: hi}\n- *hi\n- system: &s be brief\n  again: *s\n")
    assert rows_of(file) == [
        {"user": "hi"}, {"user": "hi"}, {"system": "be brief", "again": "be brief"}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [1, *a]\n", "aliases"),
        (LAUGHS, "aliases"),
        (f"a: &a [{', '.join(['[]'] * 9_000)}]\nb: [{', '.join(['*a'] * 9_000)}]\n", "aliases"),
        ("a: [1\nb: 2\n", "line 2"),
        ("only a text\n", "a single value"),
        ("[" * 90_000 + "]" * 90_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_a_reject_with_its_reason(tmp_path, text, told):
    """Also aliases, since a few lines of them may stand for gigabytes."""
    file = tmp_path / "log.yaml"
    file.write_text(text)
    (reason,) = rows_of(file)
    assert told in reason


def test_xml_is_one_row_whose_elements_are_fields(tmp_path):
    """Prefixes of namespaces are left out, and repeated elements are a list."""
    file = tmp_path / "log.xml"
    file.write_text(
        '<?xml version="1.0"?><n:log xmlns:n="urn:x"><turn no="1"><said>Hi</said><by>u</by></turn>'
        '<turn no="2"/></n:log>'
    )
    assert rows_of(file) == [{"log": {"turn": [{"no": "1", "said": "Hi", "by": "u"}, {"no": "2"}]}}]
    assert detect_file_type(file.rename(tmp_path / "export")) == "xml"


def test_elements_between_those_of_another_name_are_a_list_in_their_order(tmp_path):
    """A search stands between the messages that it serves; turns of like parts have no such list."""
    file = tmp_path / "log.xml"
    file.write_text(
        '<chat><msg by="u">When?</msg><find><hit>At ten.</hit></find><msg by="b">At ten.</msg></chat>'
    )
    asked, found, said = (
        {"by": "u", "text": "When?"},
        {"hit": ["At ten."]},
        {"by": "b", "text": "At ten."},
    )
    (row,) = rows_of(file)
    assert row["chat"]["in order"] == [
        {"element": "msg", **asked},
        {"element": "find", **found},
        {"element": "msg", **said},
    ]
    assert (row["chat"]["msg"], row["chat"]["find"]) == ([asked, said], found)


def test_xml_with_a_document_type_of_its_own_is_a_reject(tmp_path):
    """Its entities might expand without end, or read files."""
    file = tmp_path / "log.xml"
    file.write_text('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a><c>&b;</c></a>')
    (reason,) = rows_of(file)
    assert "document type" in reason


@pytest.mark.parametrize("name", ["log.yaml", "log.xml"])
def test_a_file_longer_than_a_row_may_be_is_a_reject(tmp_path, monkeypatch, name):
    """Such a file is read as a whole."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    file = tmp_path / name
    file.write_text("a: " + "b" * (1 << 20))
    (reason,) = rows_of(file)
    assert "longer than 1 MB" in reason


@pytest.mark.parametrize(
    ("name", "text"), [("x.yaml", b"a: \xff\n"), ("x.xml", b"<a><b>\xff</b></a>")]
)
def test_bytes_that_are_no_text_are_a_reject(tmp_path, name, text):
    """They are not replaced in silence."""
    file = tmp_path / name
    file.write_bytes(text)
    (reason,) = rows_of(file)
    assert "not valid UTF-8" in reason


def test_a_log_in_yaml_is_ingested(tmp_path):
    """Its fields are mapped as those of any row."""
    file = tmp_path / "log.yaml"
    file.write_text(f"- response: {REPLY}\n  knowledge: ['{FACT}']\n")
    assert q2("ingest", file, "--store", tmp_path / "store").code == 0
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]


DUMP = r"""--
-- PostgreSQL database dump
--
CREATE TABLE public.passage (id bigint NOT NULL, body text);
COPY public.passage (id, body) FROM stdin;
1	Parcels may be returned\nwithin 30 days.
2	\N
\.

COPY public."Reply" (id, passage_id, "said") FROM stdin;
7	1	A tab\tand a \\ stay.
\.
"""


def test_the_tables_of_a_dump_are_the_lists_of_one_row(tmp_path):
    """Escapes are read as PostgreSQL writes them, and NULL is no text."""
    file = tmp_path / "chat.sql"
    file.write_text(DUMP)
    passages = [
        {"id": "1", "body": "Parcels may be returned\nwithin 30 days."},
        {"id": "2", "body": None},
    ]
    reply = {"id": "7", "passage_id": "1", "said": "A tab\tand a \\ stay."}
    assert rows_of(file) == [{"passage": passages, "Reply": [reply]}]


def test_a_dump_that_is_cut_keeps_its_rows_and_says_so(tmp_path):
    """Its last table has no end."""
    file = tmp_path / "chat.sql"
    file.write_text(DUMP[: DUMP.rindex("\\.")])
    first, second = rows_of(file)
    assert first["Reply"][0]["id"] == "7"
    assert second.startswith("The file ends early")


SQLITE = r"""PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE reply (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT, at TEXT);
INSERT INTO reply VALUES(1,replace('It''s open.\nUntil ten.','\n',char(10)),NULL);
INSERT INTO reply VALUES(2,X'C3A4','2026-11-16');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('reply',2);
CREATE INDEX by_time ON reply(at);
CREATE TRIGGER changed AFTER INSERT ON reply BEGIN DELETE FROM reply; END;
CREATE VIEW latest AS SELECT * FROM reply;
COMMIT;
"""


def test_a_dump_of_sqlite_is_one_row_of_its_tables(tmp_path):
    """Texts of several lines are whole; triggers and views are passed over."""
    file = tmp_path / "chat.sql"
    file.write_text(SQLITE)
    (row,) = iterate_rows(file)
    first = {"id": 1, "body": "It's open.\nUntil ten.", "at": None}
    assert row.fields == {"reply": [first, {"id": 2, "body": "ä", "at": "2026-11-16"}]}


@pytest.mark.parametrize(
    "value",
    [
        "hex(zeroblob(900000000))",
        "replace('aa','a','bb')",
        "(SELECT 1)",
        "replace('a','\\n',char(99))",
    ],
)
def test_a_row_of_a_dump_with_more_than_literals_is_a_reject(tmp_path, value):
    """Nothing is computed, and other rows are read."""
    file = tmp_path / "chat.sql"
    file.write_text(SQLITE.replace("2,X'C3A4','2026-11-16'", f"3,{value},NULL"))
    row, reject = iterate_rows(file)
    assert [one["id"] for one in row.fields["reply"]] == [1]
    assert reject.line == 5
    assert reject.reason.startswith("The row holds more than literal values")


def test_statements_of_several_rows_and_named_columns_are_read(tmp_path):
    """Constraints are no columns, and a text may hold what looks like another statement."""
    file = tmp_path / "chat.sql"
    file.write_text(
        'CREATE TABLE IF NOT EXISTS `reply` ("id" INTEGER CHECK (id > 0), body TEXT, score REAL, '
        "PRIMARY KEY (id), CONSTRAINT one UNIQUE (body));\n"
        "INSERT INTO reply VALUES (1,'It''s;\nINSERT INTO reply VALUES(9);',-.5e1) , (2,NULL,3);\n"
        "INSERT INTO public.reply (body, id) VALUES ('ja', 7);\n"
    )
    (row,) = iterate_rows(file)
    assert row.fields["reply"] == [
        {"id": 1, "body": "It's;\nINSERT INTO reply VALUES(9);", "score": -5.0},
        {"id": 2, "body": None, "score": 3},
        {"body": "ja", "id": 7},
    ]


MYSQL = r"""-- MySQL dump 10.13
DROP TABLE IF EXISTS `reply`;
CREATE TABLE `reply` (
  `id` int NOT NULL AUTO_INCREMENT,
  `key` varchar(9) DEFAULT NULL COMMENT 'a word, (any)',
  `body` text,
  PRIMARY KEY (`id`),
  UNIQUE KEY `one` (`key`),
  KEY `two` (`body`(9),`id`),
  FULLTEXT KEY `three` (`body`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `reply` WRITE;
INSERT INTO `reply` VALUES (1,'a','It\'s \"open\".\nUntil \\ ten; that''s it.'),(2,NULL,'\\');
UNLOCK TABLES;
"""


def test_dumps_of_mysql_are_read(tmp_path):
    """Keys are no columns, and a backslash escapes quotes and the ends of lines."""
    file = tmp_path / "chat.sql"
    file.write_text(MYSQL)
    (row,) = iterate_rows(file)
    assert row.fields["reply"] == [
        {"id": 1, "key": "a", "body": "It's \"open\".\nUntil \\ ten; that's it."},
        {"id": 2, "key": None, "body": "\\"},
    ]


def test_binary_and_hexadecimal_values_of_mysql_are_read(tmp_path):
    """The head of a dump is enough, and rows that may exist already are rows."""
    file = tmp_path / "chat.sql"
    file.write_text(
        "-- MySQL dump 10.13\n"
        "INSERT IGNORE  INTO `reply` (`id`, `key`, `body`) VALUES "
        r"(1,_binary 'a\'b',0x4869),(b'10',_utf8mb4'c','It\'s\nok');"
        "\nREPLACE INTO `reply` (`id`) VALUES (3);\n"
    )
    (row,) = iterate_rows(file)
    assert row.fields["reply"] == [
        {"id": 1, "key": "a'b", "body": "Hi"},
        {"id": 2, "key": "c", "body": "It's\nok"},
        {"id": 3},
    ]


def test_a_text_that_quotes_mysql_does_not_make_a_dump_one_of_mysql(tmp_path):
    """In a dump of SQLite a backslash is a character, and a column may be called key."""
    file = tmp_path / "chat.sql"
    file.write_text(
        "PRAGMA foreign_keys=OFF;\nCREATE TABLE reply(key TEXT);\n"
        "INSERT INTO reply VALUES('CREATE TABLE x (\n) ENGINE=InnoDB;\n\\n');\n"
    )
    (row,) = iterate_rows(file)
    assert row.fields["reply"] == [{"key": "CREATE TABLE x (\n) ENGINE=InnoDB;\n\\n"}]


def test_sql_without_data_is_a_reject(tmp_path):
    """Statements that make no table are no data."""
    file = tmp_path / "chat.sql"
    file.write_text("INSERT INTO reply VALUES (1, 'x');\n")
    reasons = rows_of(file)
    assert reasons[0].startswith("The file holds no data in the form of pg_dump")
    assert reasons[1] == "The dump does not make its table reply."


def test_a_row_of_a_dump_with_other_columns_is_a_reject(tmp_path):
    """It costs that row alone, and the line is named; line ends of Windows are none of the text."""
    file = tmp_path / "chat.sql"
    file.write_text(DUMP.replace("2\t\\N\n", "2\n").replace("\n", "\r\n"), newline="")
    first, second = iterate_rows(file)
    assert [row["id"] for row in first.fields["passage"]] == ["1"]
    assert (second.line, second.reason) == (7, "The row has 1 fields, its table has 2.")


def test_rows_that_name_their_table_are_the_lists_of_one_row():
    """Django's dumpdata writes each object with its model, its key and its fields; another row stays one."""
    told = [
        {"model": "kb.chunk", "pk": 31, "fields": {"text": "Parcels may be returned."}},
        {"model": "support.message", "pk": 9, "fields": {"body": "Yes.", "sources": [31]}},
        {"model": "a name of something else"},
        {"model": "kb.chunk", "pk": 32, "fields": {"text": "Refunds take five days."}},
    ]
    read = [one.fields for one in unwrapped(RawRow(n, n, row, "") for n, row in enumerate(told))]
    chunks = [{"pk": told[n]["pk"], **told[n]["fields"]} for n in (0, 3)]
    message = {"pk": 9, "body": "Yes.", "sources": [31]}
    assert read == [told[2], {"kb_chunk": chunks, "support_message": [message]}]


def test_tables_that_are_longer_than_a_row_may_be_are_a_reject(monkeypatch):
    """The rows of a dump are held together in memory."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    row = {"model": "kb.chunk", "pk": 1, "fields": {"text": "x" * 600_000}}
    (read,) = unwrapped(RawRow(n, n, row, "") for n in range(3))
    assert read.reason == "The dump is longer than 1 MB (Q2_MAX_ROW_MB sets the bound)."
