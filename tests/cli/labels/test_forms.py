"""Tests of filled forms as people send them: from spreadsheets, without names, with repeated ids."""

import pytest

from tests.calling import q2
from tests.cli.labels.rows import judged, write


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("cp1252", ";"), ("utf-16", "\t"), ("utf-8-sig", ";")]
)
def test_a_form_comes_back_from_a_spreadsheet_of_any_country(
    drawn, done, tmp_path, encoding, delimiter
):
    """Other separators and encodings, also one that lacks a letter of the replies, are read."""
    rows = judged(drawn("form", "--n", 40))
    saved = write(tmp_path / "saved.csv", rows, encoding=encoding, delimiter=delimiter)
    assert "40 judgements taken" in done("label", "read", saved)


def test_the_page_itself_is_refused_with_the_way_to_the_answers(done, store, tmp_path):
    """The answers are in the browser, and the message says how they come out."""
    form = tmp_path / "form.html"
    done("label", "draw", "--measure", "overlap_f1", "--n", 40, "--out", form)
    outcome = q2("label", "read", form, "--store", store)
    assert outcome.code == 1
    assert "Press Save as CSV in the form" in outcome.err


def test_an_id_of_two_turns_is_a_reject(drawn, done, tmp_path):
    """The reason says what can tell them apart; an id of one turn is found."""
    drawn("form", "--n", 122)
    row = {"turn": "t199", "annotator": "Ann", "verdict": "consistent"}
    twice = write(tmp_path / "list.csv", [row, row | {"turn": "t198"}])
    said = " ".join(done("label", "read", twice).split())
    assert "1 judgement taken" in said
    assert "2 replies have this id. The column conversation_id can tell them apart" in said
