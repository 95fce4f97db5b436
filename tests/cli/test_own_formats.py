"""Descriptions of formats of one's own read logs, are checked by their examples, and are listed with the known ones."""

import base64
import json
import tomllib

import pytest

from qsquared.storage.logs.format_engines.formats import known_formats, read_format
from qsquared.storage.logs.format_engines.recognition import failures
from tests.calling import q2
from tests.cli.stored import turns_of

FACT = "Parcels may be returned within 30 days of delivery."
OTHER = "Refunds reach the account within five working days."
REPLY = "You may return it within 30 days."
OWN = """
about = "Tickets of the help desk"
engine = "records"
known = ["ticket & reply.text"]
[fields]
response = ["reply.text"]
knowledge = ["reply.pages"]
[[examples]]
log = [{ticket = 7, reply = {text = "30 days.", pages = [{title = "Returns", body = "Within 30 days."}]}}]
turns = [{response = "30 days.", knowledge = ["Within 30 days."]}]
"""


def test_a_description_of_ones_own_reads_a_log_and_is_checked_by_its_examples(tmp_path):
    """`--format-file` reads by it, and `q2 formats check` runs the examples and shows the turns."""
    log, file = tmp_path / "x.jsonl", tmp_path / "own.toml"
    pages = [{"title": "Returns", "body": FACT}]
    log.write_text(json.dumps({"ticket": 1, "reply": {"text": REPLY, "pages": pages}}) + "\n")
    file.write_text(OWN)
    done = q2("formats", "check", file, log)
    assert (done.code, FACT in done.said) == (0, True), done.err
    assert q2("ingest", log, "--format-file", file, "--store", tmp_path / "store").code == 0
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]
    file.write_text(OWN.replace('Within 30 days."]', 'Never."]'))
    done = q2("formats", "check", file, log)
    assert (done.code, "gives other turns" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("mistake", "told"),
    [("engine = 'xml'", "'engine'"), ("engine = 'records'\n[fields]\nreply = 'a'", "'fields.reply'"),
    ("engine = 'records'\nrow = 'a'", "'row'")],
)  # fmt: skip
def test_a_mistake_in_a_description_is_named_by_file_and_key(tmp_path, mistake, told):
    """The message says which key of which file is wrong, and what may stand there."""
    file = tmp_path / "own.toml"
    file.write_text(mistake)
    done = q2("ingest", tmp_path, "--format-file", file, "--preview")
    assert (done.code, told in done.err, "own.toml" in done.err) == (2, True, True)


def test_the_known_formats_are_listed_and_shown():
    """Each has a line, and its description can be printed."""
    done = q2("formats", "list")
    assert all(name in done.out for name in known_formats())
    shown = q2("formats", "show", "langsmith")
    assert (
        read_format("langsmith", tomllib.loads(shown.out), "shown") == known_formats()["langsmith"]
    )
    assert q2("formats", "show", "none").code == 2


@pytest.mark.parametrize("name", [name for name, form in known_formats().items() if form.examples])
def test_the_examples_of_a_description_give_the_turns_that_they_state(name):
    """A description shows by small logs how it reads."""
    assert failures(known_formats()[name]) == []


def test_how_a_log_is_read_is_saved_into_a_folder_that_is_not_there(tmp_path):
    """The folder is made, and the file reads the log."""
    log = tmp_path / "x.jsonl"
    log.write_text(json.dumps({"reply": REPLY, "ctx": [FACT]}) + "\n")
    file = tmp_path / "new" / "folder" / "own.toml"
    done = q2("ingest", log, "--save-format", file, "--store", tmp_path / "store")
    assert done.code == 0, done.err
    assert file.exists()
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]


def test_ones_own_formats_are_known_like_those_of_the_package(tmp_path, monkeypatch):
    """A folder of descriptions is tried first, listed and shown; an edited one reads the log anew."""
    log, folder = tmp_path / "x.jsonl", tmp_path / "formats"
    pages = [{"title": "Returns", "body": FACT}]
    log.write_text(json.dumps({"ticket": 1, "reply": {"text": REPLY, "pages": pages}}) + "\n")
    folder.mkdir()
    (folder / "desk.toml").write_text(OWN)
    monkeypatch.setenv("Q2_FORMATS", str(folder))
    assert q2("ingest", log, "--store", tmp_path / "store").code == 0
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]
    assert q2("ingest", log, "--format", "desk", "--store", tmp_path / "other").code == 0
    assert "Tickets of the help desk" in q2("formats", "list").out
    assert q2("formats", "show", "desk").out == OWN
    (folder / "desk.toml").write_text(OWN.replace("reply.pages", "reply.pages[].title"))
    assert "known already" not in q2("ingest", log, "--store", tmp_path / "store").out
    (folder / "desk.toml").write_text("engine = 'xml'")
    done = q2("ingest", log, "--preview")
    assert (done.code, "desk.toml" in done.err) == (2, True)
    monkeypatch.setenv("Q2_FORMATS", str(tmp_path / "none"))
    assert q2("ingest", log, "--preview").code == 2


def test_rows_in_base64_are_read(tmp_path):
    """Queues write each message as base64; its fields are mapped like those of an object."""
    row = {"reply": REPLY, "ctx": [FACT]}
    packed = base64.b64encode(json.dumps(row).encode()).decode()
    log = tmp_path / "x.jsonl"
    log.write_text(json.dumps({"data": packed, "id": "1"}) + "\n")
    options = ("--map", "data.reply=response", "--map", "data.ctx=knowledge")
    assert q2("ingest", log, *options, "--store", tmp_path / "store").code == 0
    assert turns_of(tmp_path / "store") == [[REPLY, [FACT]]]


def test_marks_cut_the_passages_out_of_mapped_fields(tmp_path):
    """`--context-between` goes with one or several fields that are mapped to the knowledge."""
    row = {"out": REPLY, "sys": f"Be brief. <kb>{FACT}</kb> Go.", "more": f"<kb>{OTHER}</kb>"}
    log = tmp_path / "x.jsonl"
    log.write_text(json.dumps(row) + "\n")
    options = (
        "--map",
        "out=response",
        "--context-between",
        "<kb>",
        "</kb>",
        "--map",
        "sys=knowledge",
    )
    assert q2("ingest", log, *options, "--store", tmp_path / "one").code == 0
    assert turns_of(tmp_path / "one") == [[REPLY, [FACT]]]
    both = (*options, "--map", "more=knowledge")
    assert q2("ingest", log, *both, "--store", tmp_path / "both").code == 0
    assert turns_of(tmp_path / "both") == [[REPLY, [FACT, OTHER]]]
