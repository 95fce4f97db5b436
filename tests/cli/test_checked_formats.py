"""Mistakes in descriptions of formats are told by `q2 formats check`, and by reading where they cost turns."""

import json

import pytest

from tests.calling import q2
from tests.cli.stored import turns_of
from tests.cli.test_own_formats import OWN
from tests.cli.test_unknown_logs import ASKED

PLAIN = 'engine = "records"\n[fields]\nresponse = ["answer"]\nknowledge = ["hits"]\n'


@pytest.fixture
def log(tmp_path):
    """A log whose answers, passages and references stand in fields of their own."""
    rows = [
        {"ask": ask, "answer": reply, "hits": [{"text": one} for one in known]}
        | {"reference": f"Ref {reply}", "more": [{"passage": f"{known[0]} Indeed."}]}
        for ask, reply, known in ASKED
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def own(tmp_path):
    """Write a description, and return its path."""

    def write(text):
        file = tmp_path / "own.toml"
        file.write_text(text)
        return file

    return write


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PLAIN.replace("[fields]", 'prepare = "nonsense"\n[fields]'), ("'prepare'", "chatgpt", "otel")),
        ('engine = "records"\n[fields]\nknowledge = ["hits"]', ("'fields.response'", "missing")),
        (OWN.replace("\nlog =", "\nlgo ="), ("'examples.0.lgo'", "the keys are log, turns")),
        (OWN.replace("turns = [{response", "turns = [{reponse"), ("'examples.0.turns.0.reponse'", "'history'")),
        ('engine = "messages"\n[kinds]\nasistant = ["Bot"]', ("'kinds.asistant'", "assistant, tool, system")),
        (PLAIN + '[kinds]\nassistant = ["Bot"]', ("'kinds.assistant'", "none")),
        ('about = "x"\nengin = "records"', ("'engin'", "no such key", "engine")),
    ],
)  # fmt: skip
def test_a_key_that_a_description_cannot_have_is_named_beside_those_that_exist(
    log, own, text, told
):
    """Wherever it stands, the message has the file, the key and what may stand there."""
    done = q2("formats", "check", own(text), log)
    assert done.code == 2
    assert [one for one in ("format", "own.toml", *told) if one not in done.err] == []


@pytest.mark.parametrize("path", ["nowhere", "reply.text[[0"])
def test_a_failing_example_says_what_was_rejected_and_what_it_states(log, own, path):
    """The turns that were to come stand beside those that came, with the path that led to nothing."""
    done = q2("formats", "check", own(OWN.replace('["reply.text"]', f'["{path}"]')), log)
    assert done.code == 2
    assert "gives [], and states [{" in done.err
    assert "Reject: The row holds no text of an answer." in done.err
    assert f"fields.response = '{path}' leads to nothing in its examples" in done.err


def test_the_check_marks_fields_whose_texts_no_turn_uses(log, own):
    """Texts that are kept as metadata, or repeat what a turn says, count as unread."""
    done = q2("formats", "check", own(PLAIN), log)
    assert done.code == 0, done.err
    assert "texts were not used: ask, reference, more[].passage." in done.said


def test_rows_that_lead_nowhere_are_told_by_the_check_and_by_reading(log, own, tmp_path):
    """Each row of the file is read as one then, which may be meant."""
    file = own('rows = ["hits.hits[]._source"]\n' + PLAIN)
    told = "rows = 'hits.hits[]._source' leads to nothing in"
    assert told in q2("formats", "check", file, log).said
    done = q2("ingest", log, "--format-file", file, "--store", tmp_path / "store")
    assert (done.code, told in done.said) == (0, True)


@pytest.mark.parametrize(
    ("known", "told"),
    [("answer & hits : list", "signs (known) fit x.jsonl"), ("no", "No sign (known) fits x.jsonl")],
)
def test_the_check_says_whether_the_signs_fit_the_log(log, own, known, told):
    """A format whose signs do not fit reads a log only if it is named."""
    assert told in q2("formats", "check", own(f'known = ["{known}"]\n{PLAIN}'), log).said


def test_what_is_proposed_in_place_of_a_failing_description_has_none_of_its_paths(log, own):
    """The command reads the fields by their values."""
    file = own(PLAIN.replace('"answer"', '"said"').replace('"hits"', '"found[].txt"'))
    done = q2("ingest", log, "--format-file", file, "--preview")
    assert (done.code, "--map answer=response" in done.err) == (65, True)
    assert "fields.response = 'said' leads to nothing" in done.err
    assert "found[].txt" not in done.err.split("Did you mean")[1]


def test_a_broken_file_among_ones_own_formats_leaves_the_others_listed(tmp_path, monkeypatch):
    """The error follows the list."""
    (tmp_path / "broken.toml").write_text("engine = 3")
    (tmp_path / "desk.toml").write_text(OWN)
    monkeypatch.setenv("Q2_FORMATS", str(tmp_path))
    done = q2("formats", "list")
    assert (done.code, "Tickets of the help desk" in done.out, "broken.toml" in done.err) == (
        2,
        True,
        True,
    )


def test_formats_in_the_store_are_known(log, tmp_path):
    """They are found in its folder `formats`, made before or after the store, by their signs and by their names."""
    store = tmp_path / "store"
    (store / "formats").mkdir(parents=True)
    stated = 'known = ["answer & hits : list"]\n' + PLAIN
    (store / "formats" / "mine.toml").write_text(stated)
    assert "mine" in q2("formats", "list", "--store", store).out
    assert q2("formats", "show", "mine", "--store", store).out == stated
    done = q2("ingest", log, "--store", store)
    assert done.code == 0, done.err
    assert turns_of(store) == [[reply, known] for _, reply, known in ASKED]
    assert "known already" in q2("ingest", log, "--format", "mine", "--store", store).out


def test_a_preview_that_saves_a_format_shows_the_turns_that_it_reads(tmp_path):
    """The command that a proposal prints does so each time."""
    rows = [{"turns": [{"q": q, "reply": r, "hits": known}]} for q, r, known in ASKED]
    log, file = tmp_path / "x.jsonl", tmp_path / "x.format.toml"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = q2("ingest", log, "--store", tmp_path / "store").err
    assert "Its values suggest (confidence " in told
    for _ in range(2):
        done = q2("ingest", log, "--save-format", file, "--preview")
        assert (done.code, f"response {ASKED[0][1]}" in done.said) == (0, True), done.err


def test_fields_without_the_marks_are_not_lost_beside_those_with_them(tmp_path):
    """The message names the fields that have the marks of `--context-between`, and those that lack them."""
    rows = [
        {"a": r, "sys": f"Be kind. <kb>{known[0]}</kb>", "wiki": known} for _, r, known in ASKED
    ]
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = (
        "--map",
        "a=response",
        "--map",
        "wiki=knowledge",
        "--context-between",
        "<kb>",
        "</kb>",
    )
    for more in ((), ("--map", "sys=knowledge")):
        done = q2("ingest", log, *options, *more, "--preview")
        assert (done.code, "in 'sys', and not in 'wiki'" in done.err) == (65, True)
