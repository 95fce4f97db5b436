"""Logs of programs that nobody named explain themselves by what their values are, or are refused.

Each line of ``unknown_logs.jsonl`` is a log: its rows, and its replies with what was retrieved for each; none
for a log that lacks the texts of its knowledge or its replies.
"""

import base64
import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from qsquared.storage.files.parquet import read_table
from qsquared.storage.logs.engines.formats import known_formats, load_format
from qsquared.storage.logs.engines.grouping import failures
from qsquared.storage.records.inputs.manifests import all_manifests
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import TURNS
from tests.calling import q2

LINES = Path(__file__).parents[1] / "storage/logs/unknown_logs.jsonl"
LOGS = {log["log"]: log for log in map(json.loads, LINES.read_text(encoding="utf-8").splitlines())}
FACT = "Parcels may be returned within 30 days of delivery."
OTHER = "Refunds reach the account within five working days."
REPLY = "You may return it within 30 days."
ASKED = [
    (question, reply, [passage])
    for question, reply, passage in (
        ("May I return a parcel?", "Within 30 days.", f"{FACT} The seal must be whole."),
        ("When is my money back?", "A refund takes five working days.", f"{OTHER} In cash."),
        ("What is shipping?", "It costs 4.90 euros.", "Shipping costs 4.90 euros. It takes a day."),
        (
            "Is there a shop?",
            "Yes, it opens at ten.",
            "The shop in Bonn opens at ten. It is large.",
        ),
        (
            "By invoice?",
            "From the second order on.",
            "Invoices: from the second order. Else cards.",
        ),
    )
]
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


def written(folder, log):
    """Write a log as its program does; return the path."""
    path = folder / f"{log['log']}.{log['extension']}"
    if log["extension"] == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, log["rows"][0].keys())
        writer.writeheader()
        writer.writerows(log["rows"])
        path.write_text(text.getvalue())
    elif log["extension"] == "json":
        path.write_text(json.dumps(log["rows"], indent=1))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in log["rows"]))
    return path


def turns_of(store):
    """The replies of a store with their knowledge."""
    opened = Store.open(store)
    (manifest,) = all_manifests(opened)
    rows = read_table(opened.turns_path(manifest.fingerprint), TURNS, manifest.fingerprint)
    return [[row["response"], row["knowledge"]] for row in rows.to_pylist()]


@pytest.mark.parametrize("name", LOGS)
def test_an_unknown_log_is_read_by_the_command_that_its_refusal_prints(tmp_path, monkeypatch, name):
    """The command gives each reply with exactly what was retrieved; a log without texts gets no command."""
    monkeypatch.chdir(tmp_path)
    log = written(tmp_path, LOGS[name])
    done = q2("ingest", log, "--store", tmp_path / "store")
    if done.code == 65:
        command = re.search(r"Read it so: q2 ingest (.+)$", done.err, re.MULTILINE)
        assert bool(command) == bool(LOGS[name]["turns"]), done.err
        if command is None:
            return
        done = q2("ingest", *shlex.split(command[1]))
    assert done.code == 0, done.err
    assert turns_of(tmp_path / "store") == LOGS[name]["turns"]


def test_a_log_with_titles_in_place_of_texts_is_told_so(tmp_path):
    """The message names the field that could have them."""
    rows = [
        {"ask": f"How long may I keep parcel {n}?", "reply": f"You may keep parcel {n} for 30 days.",
         "articles": [{"id": n, "title": "Returns and refunds"}, {"id": 9, "title": "Opening hours"}]}
        for n in range(4)
    ]  # fmt: skip
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = q2("ingest", log, "--store", tmp_path / "store")
    assert refused.code == 65
    told = "No field holds the texts of the articles, only titles (articles[].title)."
    assert told in refused.err


@pytest.mark.parametrize(
    "wrong", ["created_at=response", "user_question=response", "article_titles=knowledge"]
)
def test_a_mapping_that_reads_doubtfully_is_refused(tmp_path, wrong):
    """Times and questions are no replies, and titles no knowledge, even on a person's own word."""
    rows = [
        {"created_at": f"2026-11-20T10:0{n}:00Z", "user_question": f"How long may I keep parcel {n}?",
        "article_titles": ["Returns", "Refunds"],
         "answer": f"You may keep parcel {n} for 30 days.", "kb": [f"Parcel {n} may be kept for 30 days."]}
        for n in range(4)
    ]  # fmt: skip
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    theirs, ours = wrong.split("=")
    other = "answer=response" if ours == "knowledge" else "kb=knowledge"
    more = (
        ("--map", "user_question=history")
        if theirs != "user_question"
        else ("--map", f"{theirs}=history")
    )
    options = ("--map", wrong, "--map", other) + (more if theirs != "user_question" else ())
    assert q2("ingest", log, *options, "--store", tmp_path / "store").code == 65
    assert not (tmp_path / "store").exists()


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
    assert load_format("langsmith", shown.out, "shown") == known_formats()["langsmith"]
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


def test_a_proposal_names_id_time_question_and_conversation(tmp_path):
    """Turns of an unknown log keep the ids and times that the log gives them."""
    done = q2("ingest", written(tmp_path, LOGS["vectara"]), "--store", tmp_path / "store")
    for part in ("turn_id=id", "created_at=timestamp", "query=history", "chat_id=conversation_id"):
        assert f"--map {part}" in done.err


def test_a_turn_is_named_by_its_message_where_each_conversation_has_one_turn(tmp_path):
    """An id of the conversation that happens to differ in each row names no turns."""
    rows = [
        {"chat_ref": f"c{n}", "message_ref": f"m{n}", "asked": f"How long may I keep parcel {n}?",
         "said": f"You may keep parcel {n} for 30 days.", "kb": f"Parcel {n} may be kept for 30 days."}
        for n in range(6)
    ]  # fmt: skip
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "--map message_ref=id" in q2("ingest", log, "--store", tmp_path / "store").err


def test_each_list_of_messages_is_a_conversation_of_its_own(tmp_path, monkeypatch):
    """The knowledge of a session's last reply is none of the greeting that begins the next session."""
    monkeypatch.chdir(tmp_path)

    def session(turns):
        said = [{"role": "assistant", "content": "Hello, how may I help?"}]
        for question, reply, passages in turns:
            held = [{"chunk_id": n, "content": text} for n, text in enumerate(passages)]
            said += [{"role": "user", "content": question}]
            said += [{"role": "assistant", "content": reply, "reference": held}]
        return {"session": len(turns), "messages": said}

    log = tmp_path / "x.json"
    log.write_text(json.dumps({"code": 0, "data": [session(ASKED[:3]), session(ASKED[3:])]}))
    done = q2("ingest", log, "--store", tmp_path / "store")
    command = re.search(r"Read it so: q2 ingest (.+)$", done.err, re.MULTILINE)
    assert q2("ingest", *shlex.split(command[1]), "--store", tmp_path / "store").code == 0
    then = re.search(r"Then score it: q2 (score .+)$", done.err, re.MULTILINE)
    assert q2(*shlex.split(then[1]), "--dry-run").code == 0
    read = turns_of(tmp_path / "store")
    assert [known for reply, known in read if reply.startswith("Hello")] == [[], []]
    assert [turn for turn in read if turn[1]] == [[reply, known] for _, reply, known in ASKED]


def test_a_column_in_which_two_people_speak_is_no_reply(tmp_path):
    """Messages without any sign of who speaks are refused, for half of them are questions."""
    rows = [
        {"n": 2 * i + who, "said": turn[who], "found": turn[2] if who else []}
        for i, turn in enumerate(ASKED)
        for who in (0, 1)
    ]
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = q2("ingest", log, "--store", tmp_path / "store")
    assert (done.code, "said=response" in done.err) == (65, False)


def test_the_whole_article_is_knowledge_and_neither_its_beginning_nor_the_prompt(tmp_path):
    """Of texts that hold each other the longest without the question counts."""
    rows = [
        {"asked": q, "said": r, "teaser": p.split(".")[0], "body": p, "prompt": f"Use this: {p} Answer: {q}"}
        for q, r, (p,) in ASKED
    ]  # fmt: skip
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = q2("ingest", log, "--store", tmp_path / "store")
    assert "--map body=knowledge" in done.err, done.err
    assert "prompt=" not in done.err
    assert "teaser=" not in done.err


def test_a_prompt_that_holds_its_knowledge_is_nobodys_reply(tmp_path):
    """Neither is it where a verdict on each row happens to take turns as speakers do."""
    rows = [
        {"pass": n % 2 > 0, "prompt": f"Use this: {p} Answer: {q}", "vars": {"q": q, "ctx": p}, "out": r}
        for n, (q, r, (p,)) in enumerate(ASKED)
    ]  # fmt: skip
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = q2("ingest", log, "--store", tmp_path / "store")
    assert "--map out=response" in done.err, done.err
    assert "--map vars.ctx=knowledge" in done.err
