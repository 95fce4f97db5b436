"""``q2 ingest`` reads logs into the store, and shows before what it would read."""

import json
import re

import pytest

from tests.calling import files_of, q2
from tests.cli.conftest import KNOWLEDGE
from tests.storage.logs.adapter_logs import FACT, LOGS, OPENAI, OTEL, OTHER, QUESTION, REPLY


@pytest.fixture
def logs(tmp_path):
    """One log of traces, one of conversations, one flat with strange names, and one bad row."""
    folder = tmp_path / "logs"
    folder.mkdir()

    def write(name, rows):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("traces.jsonl", OTEL)
    write("chats.jsonl", OPENAI * 8)
    rows = [
        {"said": {"text": f"Reply {i}."}, "docs": [{"id": "d7", "text": KNOWLEDGE}]}
        for i in range(7)
    ]
    write("own.jsonl", [*rows, {"said": 5}])
    return folder


def test_a_preview_shows_five_turns_and_writes_nothing(tmp_path, logs, monkeypatch):
    """Format and convention, counts, passages by name, history, reply; no store, no file."""
    monkeypatch.chdir(tmp_path)
    before = files_of(tmp_path)
    done = q2("ingest", logs / "traces.jsonl", logs / "chats.jsonl", "--preview")
    assert done.code == 0, done.err
    assert "jsonl+otel: OTLP JSON 1.x with OpenTelemetry GenAI semantic" in done.said
    assert "1 turn, 1 with knowledge (2.0 passages each), 0 without; 0 rejects." in done.said
    assert "8 turns, 8 with knowledge" in done.said
    assert f"knowledge 1 [d1] {FACT}" in done.said
    assert f"knowledge 2 [d2] {OTHER}" in done.said
    assert f"history (1 text) {QUESTION}" in done.said
    assert len(re.findall(rf"^ +response +{REPLY}", done.out, re.MULTILINE)) == 1 + 5
    assert "Nothing was written." in done.out
    assert files_of(tmp_path) == before


def test_a_preview_names_the_history_before_its_first_text(tmp_path):
    """Of a long history the last two texts are shown."""
    log = tmp_path / "x.jsonl"
    row = {"response": REPLY, "knowledge": FACT, "history": ["Hello", "Hello", "A parcel?"]}
    log.write_text(json.dumps(row))
    assert "history (3 texts) Hello A parcel?" in q2("ingest", log, "--preview").said


def test_a_preview_reads_the_beginning_only(logs):
    """Of a large log, also one of traces, the first rows tell enough; it says how many these were."""
    done = q2("ingest", logs / "chats.jsonl", logs / "traces.jsonl", "--preview", "--limit", 1)
    assert "1 turn in the first 1 rows, 1 with knowledge (2.0 passages each)" in done.said
    assert "1 turn in the first 1 rows, 0 with knowledge, 1 without; 0 rejects" in done.said


def test_a_preview_shows_what_a_mapping_does(logs):
    """Before: why no row is a turn; after: the turns, and the row that is none."""
    done = q2("ingest", logs / "own.jsonl", "--preview")
    assert done.code == 65
    assert "0 turns; 8 rejects." in done.said
    assert "8: Field 'response' is missing. (first in line 1)" in done.said
    assert "Did you mean: --map said.text=response --map docs=knowledge" in done.said
    mapped = ("--map", "said.text=response", "--map", "docs=knowledge")
    done = q2("ingest", logs / "own.jsonl", "--preview", *mapped)
    assert "7 turns, 7 with knowledge (1.0 passages each), 0 without; 1 reject." in done.said
    assert "response from said.text" in done.said
    assert "[d7]" in done.said
    assert "1: Field 'said.text' is missing. (first in line 8)" in done.said


def test_reading_and_mapping_can_stand_in_a_file(tmp_path, logs):
    """A TOML file does what the options do, and the options go before it."""
    file = tmp_path / "map.toml"
    file.write_text('format = "flat"\n[fields]\n"said.text" = "response"\ndocs = "knowledge"\n')
    done = q2("ingest", logs / "own.jsonl", "--map-file", file, "--store", tmp_path / "store")
    assert done.code == 0, done.err
    assert re.search(r"own\.jsonl +jsonl +7 +1 +7 +7", done.out)
    done = q2("ingest", logs / "own.jsonl", "--map-file", file, "--map", "id=response", "--preview")
    assert "has no value in a field that --map names: 'id'" in done.said


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("fields = 3", "has a value that is no text"),
        ("[fields]\na = 1", "has a value that is no text"),
        ("[field]\na = 'response'", "states 'field'"),
        ("format = 'word'", "--format is 'word' ("),
        ("[fields", "is not valid TOML"),
        ("[fields]\na = 'answer'", "unknown field 'answer'"),
    ],
)
def test_a_mapping_file_that_cannot_be_used_is_reported(tmp_path, logs, content, told):
    """The message names the mistake and the allowed fields."""
    file = tmp_path / "map.toml"
    file.write_text(content)
    done = q2("ingest", logs, "--map-file", file, "--preview")
    assert done.code == 2
    assert told in done.err


def test_an_unknown_format_names_those_that_there_are(logs):
    """The hint lists adapters and containers."""
    done = q2("ingest", logs, "--format", "word", "--preview")
    assert done.code == 2
    assert all(name in done.err for name in [*LOGS, "flat", "parquet", "arrow"])


def test_logs_are_read_once_and_scored_later(tmp_path, logs):
    """A second reading finds everything there; SQL sees the turns at once."""
    store = tmp_path / "store"
    done = q2("ingest", logs / "traces.jsonl", logs / "chats.jsonl", "--store", store)
    assert done.code == 0, done.err
    assert re.search(r"traces\.jsonl +jsonl\+otel +1 +0", done.out)
    assert "known already" in q2("ingest", logs / "traces.jsonl", "--store", store).out
    shown = q2(
        "sql",
        "SELECT metadata->>'$.knowledge_sources[1].id' AS d FROM turns",
        "--json",
        "--store",
        store,
    )
    assert {json.loads(line)["d"] for line in shown.out.splitlines()} == {"d2"}


def test_a_log_that_cannot_be_read_stops_no_other(tmp_path, logs):
    """All other logs are read; the first failure and its hint come at the end."""
    (logs / "bad.parquet").write_bytes(b"PAR1 broken")
    done = q2("ingest", logs, "--store", tmp_path / "store")
    assert done.code == 65
    assert "1 log would have been misread, all others are read." in done.err
    assert "cannot be read" in done.said
    (logs / "own.jsonl").unlink()
    done = q2("ingest", logs, "--store", tmp_path / "store")
    assert done.code == 1
    assert "1 log could not be read, all others are." in done.err
    assert re.search(r"chats\.jsonl +jsonl\+openai +8 +0", done.out)


def test_no_escape_code_of_a_log_reaches_the_terminal(tmp_path):
    """A preview shows control characters as placeholders, names of passages included."""
    nasty = "\x1b]0;owned\x07"
    row = {
        "id": nasty,
        "response": nasty,
        "history": [nasty],
        "knowledge": [{"id": nasty, "text": nasty}],
    }
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    done = q2("ingest", path, "--preview")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    assert "owned" in done.out
