"""Tests that logs of other programs, in their published formats, give their turns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from qsquared.errors import UsageError
from qsquared.storage.logs.reading import detect_reading
from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import (
    FACT,
    LANGFUSE,
    LOGS,
    OPENAI,
    OTHER,
    QUESTION,
    REPLY,
    SOURCES,
    TURN,
    WIZARD,
    Rows,
    jsonl,
)


def table(rows: Rows, path: Path) -> None:
    """Return rows as a Parquet file, with mixed values as JSON."""
    try:
        made = pa.Table.from_pylist(rows)
    except pa.ArrowInvalid:
        made = pa.Table.from_pylist(
            [{k: json.dumps(v) if isinstance(v, list) else v for k, v in r.items()} for r in rows]
        )
    pq.write_table(made, path)


@pytest.mark.parametrize("name", LOGS)
def test_each_format_is_known_by_its_content_and_gives_its_turn(read: Read, name: str) -> None:
    """History, passages apart with where they came from, and the reply, out of JSON lines."""
    found, (turn,), rejects = read(LOGS[name])
    assert found == f"jsonl+{name}"
    assert {key: turn[key] for key in TURN} == TURN
    assert rejects == []
    sources = json.loads(turn["metadata"])["knowledge_sources"]
    assert sources == (SOURCES if name != "wizard" else [{"title": "Lighthouse"}] * 2)


@pytest.mark.parametrize("name", LOGS)
def test_each_format_may_be_packed_or_one_json_array(read: Read, name: str) -> None:
    """The same rows as .gz, .zst or one array give the same turn, recognised by content."""
    rows = LOGS[name]
    array = json.dumps(rows, indent=1).encode()
    for file, data, container in (
        ("x.jsonl.gz", gzip.compress(jsonl(rows)), "jsonl"),
        ("x.json.zst", zstandard.compress(array), "json"),
        ("export", array, "json"),
    ):
        found, (turn,), _ = read(data, name=file)
        assert found == f"{container}+{name}"
        assert {key: turn[key] for key in TURN} == TURN


@pytest.mark.parametrize("name", LOGS)
def test_each_format_may_be_a_table(read: Read, tmp_path: Path, name: str) -> None:
    """As Parquet, nested or with JSON in its cells, the turn is the same."""
    path = tmp_path / "export.parquet"
    table(LOGS[name], path)
    found, (turn,), _ = read(path)
    assert found == f"parquet+{name}"
    assert {key: turn[key] for key in TURN} == TURN


def test_a_conversation_gives_a_turn_for_each_reply(read: Read) -> None:
    """Each text of the assistant, with what was said and looked up before it."""
    messages = [
        *OPENAI[0]["messages"],
        {"role": "user", "content": "And who?"},
        {"role": "assistant", "content": "Brebner."},
    ]
    _, turns, _ = read([{"messages": messages}, {"messages": messages[:2]}])
    assert [turn["response"] for turn in turns] == [REPLY, "Brebner."]
    assert turns[1]["history"] == [QUESTION, REPLY, "And who?"]
    assert [turn["knowledge"] for turn in turns] == [[FACT, OTHER], []]
    assert [turn["id"] for turn in turns] == ["x.jsonl:1#1", "x.jsonl:1#2"]
    assert [turn["turn"] for turn in turns] == [1, 2]


def test_requests_stand_beside_their_responses(read: Read) -> None:
    """A row with request and response gives a turn for each choice; a failed one a reject."""
    choices = [
        {"index": i, "message": {"role": "assistant", "content": c}} for i, c in enumerate("ab")
    ]
    asked = {"messages": OPENAI[0]["messages"][:4]}
    good = {
        "request": asked,
        "response": {"id": "chatcmpl-1", "created": 1_763_000_000, "choices": choices},
    }
    bad = {"request": asked, "response": None, "error": {"message": "overloaded"}}
    _, turns, rejects = read([good, bad])
    assert [turn["response"] for turn in turns] == ["a", "b"]
    assert [turn["id"] for turn in turns] == ["chatcmpl-1#1", "chatcmpl-1#2"]
    assert turns[0]["knowledge"] == [FACT, OTHER]
    assert rejects[0]["reason"].startswith("The request failed")


def test_a_batch_joins_requests_and_outputs_by_their_custom_id(read: Read) -> None:
    """Input and output file in one, in any order; a request without an answer is a reject."""
    asked = {
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"messages": OPENAI[0]["messages"][:4]},
    }
    body = {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": REPLY}}]}
    done = {"status_code": 200, "request_id": "r", "body": body}
    rows = [
        {"id": "batch_1", "custom_id": "q1", "response": done, "error": None},
        {"custom_id": "q1", **asked},
        {"custom_id": "q2", **asked},
        {"id": "batch_2", "custom_id": "q3", "response": None, "error": {"code": "expired"}},
    ]
    _, (turn,), rejects = read(rows)
    assert {key: turn[key] for key in TURN} == TURN
    assert turn["id"] == "q1"
    assert sorted(row["line"] for row in rejects) == [3, 4]


def test_a_role_can_be_knowledge(read: Read) -> None:
    """--map system=knowledge reads the passages from the system prompt."""
    messages = [
        {"role": "system", "content": FACT},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": REPLY},
    ]
    _, (turn,), _ = read([{"messages": messages}], {"system": "knowledge"})
    assert (turn["knowledge"], turn["history"]) == ([FACT], [QUESTION])
    _, (turn,), _ = read([{"messages": messages}])
    assert turn["status"] == "no_knowledge"


def test_the_wizard_knows_what_was_shown_if_asked_for(read: Read) -> None:
    """Instead of the chosen sentence: the topic's passage, and what the last texts brought."""
    _, (turn,), _ = read(WIZARD, {"retrieved_passages": "knowledge"})
    assert turn["knowledge"] == [FACT, f"{OTHER} He was an engineer."]
    names = json.loads(turn["metadata"])["knowledge_sources"]
    assert names == [{"title": "Lighthouse"}, {"title": "Alan Brebner"}]


def test_a_world_log_has_the_models_replies(read: Read) -> None:
    """An exchange of teacher and model: the model's text is the reply, the checked sentence its knowledge."""
    teacher = {
        "id": "wizard_of_wikipedia",
        "text": QUESTION,
        "title": "Lighthouse",
        "checked_sentence": FACT,
        "knowledge": f"Lighthouse __knowledge__ {FACT}\nX __knowledge__ {OTHER}",
        "eval_labels": ["1858."],
    }
    unchecked = teacher | {"checked_sentence": ""}
    model = {"id": "Generator", "text": REPLY, "episode_done": False}
    _, turns, _ = read([{"dialog": [[teacher, model], [unchecked, model]]}])
    assert [turn["knowledge"] for turn in turns] == [[FACT], [FACT, OTHER]]
    assert turns[1]["history"] == [QUESTION, REPLY, QUESTION]


def test_a_format_can_be_forced(read: Read) -> None:
    """--format has its way over the content, and a wrong one makes rejects, not nonsense."""
    row = {"response": "A text.", "knowledge": "k", "messages": OPENAI[0]["messages"]}
    assert read([row])[0] == "jsonl"
    found, (turn,), _ = read([row], wanted="openai")
    assert (found, turn["response"]) == ("jsonl+openai", REPLY)
    _, turns, rejects = read(LANGFUSE, wanted="flat")
    assert (turns, len(rejects)) == ([], 2)
    with pytest.raises(UsageError, match="--format is 'csv\\+csv'"):
        detect_reading(Path("x.csv"), {}, "csv+csv")


def test_fields_beside_the_messages_can_be_mapped(read: Read) -> None:
    """A mapped field of the log takes precedence over the format's own."""
    row = OPENAI[0] | {"ticket": {"no": 7}, "context": ["A", "B"], "asked": "2026-11-16"}
    mapping = {"ticket.no": "conversation_id", "context": "knowledge", "asked": "timestamp"}
    _, (turn,), _ = read([row], mapping)
    assert (turn["conversation_id"], turn["knowledge"]) == ("7", ["A", "B"])
    assert turn["timestamp"].isoformat() == "2026-11-16T00:00:00+00:00"


def test_what_is_said_while_calling_a_tool_is_no_reply(read: Read) -> None:
    """It is history, and the answer after it is the turn."""
    looking = OPENAI[0]["messages"][2] | {"content": "Let me look."}
    messages = [*OPENAI[0]["messages"][:2], looking, *OPENAI[0]["messages"][3:]]
    _, (turn,), _ = read([{"messages": messages}])
    assert turn["response"] == REPLY
    assert turn["history"] == [QUESTION, "Let me look."]


ASKED = {"role": "user", "content": QUESTION}
EMPTY_REPLY = {"role": "assistant", "content": ""}
CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_reply_in_a_conversation_is_a_turn(read: Read, empty: str) -> None:
    """A chatbot that says nothing is to be seen, as in a flat log."""
    messages = [ASKED, {"role": "assistant", "content": REPLY}, ASKED, EMPTY_REPLY | {"content": empty}]  # fmt: skip
    _, turns, rejects = read([{"id": "x", "messages": messages}], wanted="openai")
    assert [turn["response"].strip() for turn in turns] == [REPLY, ""]
    assert [turn["id"] for turn in turns] == ["x#1", "x#2"]
    assert rejects == []


@pytest.mark.parametrize(
    "steps",
    [
        [EMPTY_REPLY | {"tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "c1", "content": FACT}],
        [EMPTY_REPLY, {"role": "tool", "tool_call_id": "c1", "content": FACT}],
        [EMPTY_REPLY | {"content": None}],
        [EMPTY_REPLY],
        [EMPTY_REPLY | {"function_call": {"name": "search", "arguments": "{}"}}],
        [EMPTY_REPLY | {"additional_kwargs": {"tool_calls": [CALL]}}],
    ],
)  # fmt: skip
def test_an_empty_text_on_the_way_to_a_reply_is_none(read: Read, steps: Rows) -> None:
    """Calls of tools have no text, and some programs log a message before it is filled."""
    messages = [ASKED, *steps, {"role": "assistant", "content": REPLY}]
    _, turns, _ = read([{"id": "x", "messages": messages}], wanted="openai")
    assert [turn["response"] for turn in turns] == [REPLY]


def test_an_empty_message_before_the_response_of_its_row_is_no_reply(read: Read) -> None:
    """The text beside the messages answers them."""
    row = {"id": "x", "messages": [ASKED, EMPTY_REPLY], "response": REPLY}
    _, turns, _ = read([row], wanted="openai")
    assert [turn["response"] for turn in turns] == [REPLY]


def test_an_empty_reply_among_rows_of_messages_is_a_turn(read: Read) -> None:
    """One message a row, by conversation."""
    rows = [
        {"id": str(n), "conversation_id": "c", **message}
        for n, message in enumerate([ASKED, EMPTY_REPLY, ASKED, {"role": "assistant", "content": REPLY}])
    ]  # fmt: skip
    _, turns, _ = read(rows, wanted="messages")
    assert [(turn["id"], turn["response"]) for turn in turns] == [("1", ""), ("3", REPLY)]


def test_messages_that_name_the_one_they_answer_are_read_along_each_branch(read: Read) -> None:
    """A reply that was made anew is no history of the one that replaces it; several calls of tools are no branches."""
    said = [
        ("1", None, {"role": "user", "content": "When was it built?"}),
        ("2", "1", {"role": "assistant", "content": "", "tool_calls": [{"id": "c"}, {"id": "d"}]}),
        ("3", "2", {"role": "tool", "content": FACT}),
        ("4", "3", {"role": "tool", "content": OTHER}),
        ("5", "4", {"role": "assistant", "content": "Long ago."}),
        ("6", "4", {"role": "assistant", "content": REPLY}),
        ("7", "6", {"role": "user", "content": "Thanks!"}),
        ("8", "7", {"role": "assistant", "content": "You are welcome."}),
    ]
    messages = [{"id": own, "parent_id": above, **one} for own, above, one in said]
    _, turns, _ = read([{"id": "r", "messages": messages}])
    assert [(turn["id"], turn["history"], turn["knowledge"]) for turn in turns] == [
        ("r#1", ["When was it built?"], [FACT, OTHER]),
        ("r#2", ["When was it built?"], [FACT, OTHER]),
        ("r#3", ["When was it built?", REPLY, "Thanks!"], []),
    ]
    for one in messages[3:6]:
        one["parent_id"] = "2"
    _, turns, _ = read([{"id": "r", "messages": messages}])
    assert [turn["knowledge"] for turn in turns] == [[FACT, OTHER], [FACT, OTHER], []]


@pytest.mark.parametrize("called", [
    {"function_call": {"name": "search", "arguments": "{}"}},
    {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
])  # fmt: skip
def test_a_message_with_the_name_of_the_function_just_called_is_its_result(
    read: Read, called: dict[str, object]
) -> None:
    """A user of another name speaks."""
    result = {"role": "user", "name": "search", "content": json.dumps([{"text": FACT}])}
    question = {"role": "user", "name": "ada", "content": QUESTION}
    call = {"role": "assistant", "content": "", **called}
    reply = {"role": "assistant", "content": REPLY}
    _, (turn,), _ = read(jsonl([{"messages": [question, call, result, reply]}]))
    assert (turn["history"], turn["knowledge"]) == ([QUESTION], [FACT])


def test_each_result_of_functions_that_were_called_at_once_is_one(read: Read) -> None:
    """The names of all of them count until the assistant speaks again."""
    names = ("search", "lookup")
    calls = [{"id": name, "type": "function", "function": {"name": name}} for name in names]
    call = {"role": "assistant", "content": "", "tool_calls": calls}
    results = [
        {"role": "user", "name": name, "content": json.dumps([{"text": text}])}
        for name, text in zip(names, (FACT, OTHER), strict=True)
    ]
    said = [
        {"role": "user", "content": QUESTION},
        call,
        *results,
        {"role": "assistant", "content": REPLY},
    ]
    _, (turn,), _ = read(jsonl([{"messages": said}]))
    assert (turn["history"], turn["knowledge"]) == ([QUESTION], [FACT, OTHER])
