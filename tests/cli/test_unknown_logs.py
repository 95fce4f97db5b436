"""Logs of programs that nobody named explain themselves by what their values are, or are refused.

Each line of ``unknown_logs.jsonl`` is a log: its rows, and its replies with what was retrieved for each; none
for a log that lacks the texts of its knowledge or its replies.
"""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.calling import q2
from tests.cli.stored import turns_of

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


def written(folder, log):
    """Write a log as its program does; return the path."""
    path = folder / f"{log['log']}.{log['extension']}"
    if "text" in log:
        path.write_text(log["text"], encoding="utf-8", newline="")
    elif log["extension"] == "csv":
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


@pytest.mark.sampled(4)
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
