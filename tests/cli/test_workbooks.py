"""Workbooks of which one sheet holds a log."""

import json
import re
import shlex

import pytest

from tests.calling import q2
from tests.cli.stored import turns_of
from tests.cli.test_unknown_logs import ASKED, FACT, REPLY
from tests.storage.logs.test_xlsx_rows import workbook


def test_a_sheet_is_named_by_an_option(tmp_path):
    """One that is not there is a mistake of the person's, with the way out."""
    pytest.importorskip("python_calamine")
    table = [["response", "knowledge"], [REPLY, FACT]]
    book = workbook(tmp_path / "x.xlsx", table, "D9:D9")
    assert q2("ingest", book, "--sheet", "Log", "--store", tmp_path / "store").code == 0
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]
    done = q2("ingest", book, "--sheet", "None", "--store", tmp_path / "other")
    assert (done.code != 0, "--sheet" in done.err) == (True, True)


@pytest.mark.parametrize("names", [("Asked", "Said", "Read"), ("history", "response", "knowledge")])
def test_a_workbook_whose_first_sheet_holds_no_log_is_read_from_another(tmp_path, names):
    """The message names the sheet, and its command reads it."""
    pytest.importorskip("python_calamine")
    table = [list(names), *([question, reply, *known] for question, reply, known in ASKED)]
    book = workbook(tmp_path / "x.xlsx", table, "D9:D9", before="About")
    done = q2("ingest", book, "--store", tmp_path / "store")
    assert (done.code, "--sheet Log" in done.err) == (65, True), done.err
    command = re.search(r"Read it so: q2 (.*)", done.err)
    done = q2(*shlex.split(command[1]))
    assert done.code == 0, done.err
    assert turns_of(tmp_path / "store") == [[reply, known] for _, reply, known in ASKED]


def test_sheets_that_refer_to_each_other_by_ids_are_read_together(tmp_path, monkeypatch):
    """The passages of each answer stand in a sheet of their own, in any order."""
    pytest.importorskip("python_calamine")
    monkeypatch.chdir(tmp_path)
    answers = [["Answer ID", "Question", "Answer"]]
    answers += [[f"A-{n}", question, reply] for n, (question, reply, _) in enumerate(ASKED)]
    sources = [["Rank", "Answer ID", "Passage"]]
    sources += [["1", f"A-{n}", passage] for n, (_, _, (passage,)) in enumerate(ASKED)][::-1]
    book = workbook(tmp_path / "x.xlsx", sources, "D9:D9", before="Answers", first=answers)
    done = q2("ingest", book, "--store", tmp_path / "store")
    command = re.search(r"Read it so: q2 (.*)", done.err)
    assert command, done.err
    seen = re.search(r"See what that reads: q2 (.*)", done.err)
    shown = q2(*shlex.split(seen[1]))
    assert (shown.code, ASKED[0][1] in shown.said) == (0, True), shown.err
    done = q2(*shlex.split(command[1]))
    assert done.code == 0, done.err
    assert turns_of(tmp_path / "store") == [[reply, known] for _, reply, known in ASKED]
    later = ("--format-file", "x.format.toml", "--store", tmp_path / "store")
    assert "known already" in q2("ingest", book, *later).out


def test_a_sheet_that_is_not_there_is_told_once_with_those_that_are(tmp_path):
    """It is a mistake in the command."""
    pytest.importorskip("python_calamine")
    book = workbook(tmp_path / "x.xlsx", [["response", "knowledge"], [REPLY, FACT]], "D9:D9")
    done = q2("ingest", book, "--sheet", "Chats", "--store", tmp_path / "store")
    assert (done.code, done.said.count("has no sheet 'Chats'; its sheets are 'Log'")) == (2, 1)


def test_a_sheet_of_what_is_no_workbook_is_told_to_have_no_effect(tmp_path):
    """The log is read all the same."""
    log = tmp_path / "x.jsonl"
    log.write_text(json.dumps({"response": REPLY, "knowledge": FACT}) + "\n")
    done = q2("ingest", log, "--sheet", "Chats", "--store", tmp_path / "store")
    assert (done.code, "--sheet has no effect" in done.said) == (0, True)


def test_what_is_only_named_as_a_workbook_is_told_once(tmp_path):
    """No sheet is asked for."""
    pytest.importorskip("python_calamine")
    (tmp_path / "fake.xlsx").write_text("no workbook")
    done = q2("ingest", tmp_path / "fake.xlsx", "--store", tmp_path / "store")
    assert (done.code, done.said.count("is no workbook"), "--sheet" in done.said) == (1, 1, False)
