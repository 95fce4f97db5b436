"""The lines of a server's log are rows by the object or the pairs in them."""

import json

import pytest

from qsquared.errors import UnusableLogError
from qsquared.storage.logs.file_types.detect import detect_file_type, iterate_rows
from qsquared.storage.logs.rows import RawRow


def rows_of(path):
    """The fields of the rows of a file, or the reason of a reject."""
    return [row.fields if isinstance(row, RawRow) else row.reason for row in iterate_rows(path)]


def test_what_stands_before_an_object_are_columns(tmp_path):
    """Tabs part them, else blanks."""
    log = tmp_path / "app.log"
    log.write_text(
        '10:00\tINFO\treply sent\t{"a": "x"}\n10:01\tINFO\tquery rewritten\t{"q": "y"}\n'
    )
    assert rows_of(log) == [
        {"column 1": "10:00", "column 2": "INFO", "column 3": "reply sent", "a": "x"},
        {"column 1": "10:01", "column 2": "INFO", "column 3": "query rewritten", "q": "y"},
    ]


def test_pairs_of_names_and_values_are_fields(tmp_path):
    """A quoted value may hold blanks, escaped quotes and line breaks."""
    log = tmp_path / "app.log"
    log.write_text('level=info said="He said \\"no\\".\\nThen left." n=3\nlevel=info said="b" n=\n')
    assert rows_of(log) == [
        {"level": "info", "said": 'He said "no".\nThen left.', "n": "3"},
        {"level": "info", "said": "b", "n": ""},
    ]


def test_pairs_before_an_object_are_fields_and_other_words_columns(tmp_path):
    """The name of an event often stands before the pairs."""
    log = tmp_path / "app.log"
    log.write_text(
        '10:00 [rag.found] req=1 data={"text": "x"}\n10:01 [chat.out] req=1 text="y z"\n'
    )
    assert rows_of(log) == [
        {"column 1": "10:00", "column 2": "[rag.found]", "req": "1", "text": "x"},
        {"column 1": "10:01", "column 2": "[chat.out]", "req": "1", "text": "y z"},
    ]


def test_a_line_with_neither_is_a_reject(tmp_path):
    """It is not passed over in silence."""
    log = tmp_path / "app.log"
    log.write_text("\n".join([json.dumps({"a": 1}).join(["x ", ""])] * 3 + ["Server started.", ""]))
    assert rows_of(log)[:3] == [{"column 1": "x", "a": 1}] * 3
    assert "no JSON object" in rows_of(log)[3]


@pytest.mark.parametrize("text", ["Dear all,\nwe meet at ten.\n", "a=1\n"])
def test_other_texts_are_of_an_unknown_type(tmp_path, text):
    """Prose is no log, and neither is a single pair."""
    log = tmp_path / "app.log"
    log.write_text(text)
    with pytest.raises(UnusableLogError):
        detect_file_type(log)


def test_lines_that_begin_with_braces_are_json_lines(tmp_path):
    """Broken ones are rejects of these."""
    log = tmp_path / "app.log"
    log.write_text("{broken}\n{too}\n")
    assert detect_file_type(log) == "jsonl"


def test_bytes_that_are_no_text_are_a_reject(tmp_path):
    """They are not replaced in silence."""
    log = tmp_path / "app.log"
    log.write_bytes(b'a=1 b="x"\na=2 b="\xff"\n')
    rows = list(iterate_rows(log, file_type="log"))
    assert [isinstance(row, RawRow) for row in rows] == [True, False]
    assert "byte 8" in rows[1].reason


@pytest.mark.parametrize("part", ["a", "a.", 'a="', "a=", '{"a":', '"'])
def test_a_long_line_of_anything_ends(tmp_path, part):
    """Reading grows with the length of a line, and not with its square."""
    log = tmp_path / "app.log"
    log.write_text(part * (4_000_000 // len(part)) + "\n")
    assert len(list(iterate_rows(log, file_type="log"))) == 1
