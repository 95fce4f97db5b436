"""Tests that the logs of other programs give their replies, each with what was retrieved for it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import jsonl
from tests.storage.logs.desk import DESK, KNOWN, REPLIES, history
from tests.storage.logs.program_logs import PROGRAMS

_ALONE = {"anthropic_documents", "bedrock", "retrieval_qa", "llamaindex", "haystack", "haystack_replies",
          "ragas", "ragas_old", "deepeval", "trulens", "mlflow", "langfuse_nested"}  # fmt: skip
"""Logs that do not hold the earlier texts of the conversation."""
_NAMELESS = {"openai_system", "openai_user", "ragas", "ragas_old", "deepeval", "trulens", "lex"}
"""Logs without the id, title or address of a passage."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_is_known_by_its_content(read: Read, name: str) -> None:
    """Replies, exactly the retrieved texts, and the history, without an option."""
    rows, known_as = PROGRAMS[name]
    found, turns, rejects = read(rows())
    assert found.split("+")[1:] == [known_as]
    assert [turn["response"] for turn in turns] == REPLIES
    assert [turn["knowledge"] for turn in turns] == KNOWN
    asked = [[one.question] for one in DESK]
    expected = asked if name in _ALONE else [history(number) for number in range(len(DESK))]
    assert [turn["history"] for turn in turns] == expected
    assert rejects == []


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - _NAMELESS))
def test_passages_keep_their_names(read: Read, name: str) -> None:
    """The id, title, score or address of each passage is beside it, in the same order."""
    _, turns, _ = read(PROGRAMS[name][0]())
    sources = json.loads(turns[0]["metadata"])["knowledge_sources"]
    assert len(sources) == 2
    for source, sign in zip(sources, (("d1", "Returns"), ("d2", "Refunds")), strict=True):
        assert any(word in json.dumps(source) for word in sign)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_log_may_be_one_json_array(read: Read, name: str) -> None:
    """The rows as one array give the same turns."""
    rows, _ = PROGRAMS[name]
    _, turns, _ = read(json.dumps(rows(), indent=1).encode(), name="x.json")
    assert [(turn["response"], turn["knowledge"]) for turn in turns] == list(
        zip(REPLIES, KNOWN, strict=True)
    )


@pytest.mark.parametrize(
    "name",
    [
        "ragas",
        "ragas_old",
        "langchain",
        "retrieval_qa",
        "llamaindex",
        "trulens",
        "openai_chat",
        "mlflow",
    ],
)
@pytest.mark.parametrize("write", [json.dumps, repr])
def test_each_log_may_be_a_csv_with_lists_as_text(read: Read, name: str, write) -> None:  # type: ignore[no-untyped-def]
    """Cells with JSON, or with what Python prints, are read like the lists that they were."""
    rows = PROGRAMS[name][0]()
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), delimiter=";")
    writer.writeheader()
    writer.writerows(
        {k: write(v) if isinstance(v, list | dict) else v for k, v in row.items()} for row in rows
    )
    _, turns, _ = read(text.getvalue().encode("cp1252"), name="x.csv")
    assert [(turn["response"], turn["knowledge"]) for turn in turns] == list(
        zip(REPLIES, KNOWN, strict=True)
    )


def test_a_stream_is_read_by_its_parts(read: Read) -> None:
    """Chunks of a completion are joined; of the events of a response the last one counts."""
    chunks = [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": piece}}],
        }
        for piece in ("It ", "was.")
    ]
    _, (turn,), _ = read(chunks)
    assert turn["response"] == "It was."
    whole = PROGRAMS["openai_responses"][0]()[0]["response"]
    events = [
        {"type": "response.output_text.delta", "sequence_number": 1, "delta": "You"},
        {"type": "response.completed", "sequence_number": 2, "response": whole},
    ]
    _, (turn,), rejects = read(jsonl(events))
    assert (turn["response"], turn["knowledge"], rejects) == (REPLIES[0], KNOWN[0], [])


def test_server_sent_events_are_read_as_their_data(read: Read) -> None:
    """A stream kept as it was sent has names of events, comments and an end between its data."""
    chunks = [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": piece}}],
        }
        for piece in ("It ", "was.")
    ]
    sent = "".join(f": ping\nevent: chunk\ndata: {json.dumps(chunk)}\n\n" for chunk in chunks)
    _, (turn,), rejects = read(f"{sent}data: [DONE]\n\n".encode(), name="stream.txt")
    assert (turn["response"], rejects) == ("It was.", [])


def test_messages_without_a_conversation_are_told_apart(read: Read) -> None:
    """A message of the system begins a conversation, and so does another value in a field named like one."""
    said = [("user", "Why?"), ("assistant", "So."), ("user", "When?"), ("assistant", "Now.")]
    plain = [{"role": role, "content": text} for role, text in said]
    begun = {"role": "system", "content": "Be brief."}
    _, turns, _ = read([begun, *plain[:2], begun, *plain[2:]])
    assert [turn["history"] for turn in turns] == [["Why?"], ["When?"]]
    rows = [{**row, "chat_name": f"c{place // 2}"} for place, row in enumerate(plain)]
    _, turns, _ = read(rows)
    assert [(turn["conversation_id"], turn["history"]) for turn in turns] == [
        ("c0", ["Why?"]),
        ("c1", ["When?"]),
    ]


@pytest.mark.parametrize("kind", ["errored", "expired"])
def test_a_failed_request_of_a_batch_gives_no_earlier_reply(read: Read, kind: str) -> None:
    """The replies before a question are turns of their own rows, not of a request that failed."""
    said = [("user", "Why?"), ("assistant", "So."), ("user", "When?")]
    messages = [{"role": role, "content": text} for role, text in said]
    result = {"type": kind, "error": {"type": "error", "error": {"type": "overloaded_error"}}}
    _, turns, rejects = read(
        [{"custom_id": "a", "params": {"messages": messages}}, {"custom_id": "a", "result": result}]
    )
    assert turns == []
    assert rejects[0]["reason"].startswith(f"The request of the batch was {kind}")
    _, turns, rejects = read(
        [
            {"custom_id": "a", "body": {"messages": messages}},
            {"custom_id": "a", "response": None, "error": {"code": "x"}},
        ]
    )
    assert turns == []
    assert rejects[0]["reason"].startswith("The request failed")


def test_a_reply_has_the_time_of_its_own_message(read: Read) -> None:
    """The time of a whole conversation counts only for messages without one."""
    said = [("user", "Why?"), ("assistant", "So."), ("user", "When?"), ("assistant", "Now.")]
    messages = [{"role": role, "content": text} for role, text in said]
    messages[1] |= {"timestamp": "2026-03-02T09:00:05Z"}
    _, turns, _ = read([{"messages": messages, "created_at": "2026-03-01T00:00:00Z"}])
    assert [turn["timestamp"].isoformat()[:19] for turn in turns] == [
        "2026-03-02T09:00:05",
        "2026-03-01T00:00:00",
    ]


def test_rows_of_one_document_have_ids_of_their_own(read: Read) -> None:
    """Rows that an object over a single line holds are told apart by their place in it."""
    case = {"actualOutput": "So.", "retrievalContext": ["Because."], "input": "Why?"}
    _, turns, _ = read([{"testCases": [case, case]}])
    assert len({turn["id"] for turn in turns}) == 2


def test_messages_of_a_phoenix_data_frame_bring_history_and_results(read: Read) -> None:
    """Their fields have dotted names within a list, and a tool may have no span of its own."""
    said = [("user", "Why?"), ("assistant", "So."), ("user", "When?"), ("tool", "It is at noon.")]
    span = {
        "context.span_id": "a",
        "context.trace_id": "t",
        "name": "chat",
        "span_kind": "LLM",
        "attributes.llm.input_messages": [
            {"message.role": role, "message.content": text} for role, text in said
        ],
        "attributes.llm.output_messages": [
            {"message.role": "assistant", "message.content": "At noon."}
        ],
    }
    _, (turn,), _ = read([span])
    assert (turn["history"], turn["knowledge"]) == (["Why?", "So.", "When?"], ["It is at noon."])


def test_an_empty_column_of_a_weave_table_hides_no_column_within_it(read: Read) -> None:
    """A table has columns such as `output.answer` beside `output`, of which each row fills some."""
    call = {
        "id": "a",
        "op_name": "weave:///n/h/op/ask:v1",
        "trace_id": "t",
        "parent_id": "",
        "started_at": "2026-03-02T09:00:05Z",
    }
    found = {**call, "id": "b", "parent_id": "a", "op_name": "weave:///n/h/op/retrieve:v1"}
    rows = [
        {**call, "inputs.question": "Why?", "output": "", "output.answer": "So."},
        {**found, "inputs.question": "Why?", "output": '["Because."]', "output.answer": ""},
    ]
    _, (turn,), _ = read(rows)
    assert (turn["history"], turn["knowledge"], turn["response"]) == (["Why?"], ["Because."], "So.")


def test_documents_that_a_ranker_kept_take_the_place_of_those_that_a_retriever_found(
    read: Read,
) -> None:
    """The prompt holds what the last component returned; two retrievers complete each other."""
    first, second, third = ({"content": f"Passage {name}."} for name in ("one", "two", "three"))

    def run(*found: list[dict[str, str]]) -> dict[str, Any]:
        parts = {f"part_{n}": {"documents": one} for n, one in enumerate(found)}
        asked = {"part_0": {"query": "Why?", "top_k": 3}}
        return {"data": asked, "result": {**parts, "llm": {"replies": ["So."]}}}

    rows = [run([first, second, third], [third, first]), run([first, second], [second, third])]
    _, turns, _ = read(rows)
    assert [turn["history"] for turn in turns] == [["Why?"], ["Why?"]]
    assert [turn["knowledge"] for turn in turns] == [
        ["Passage three.", "Passage one."],
        ["Passage one.", "Passage two.", "Passage three."],
    ]


def test_events_of_a_session_with_messages_for_their_content_are_a_conversation(read: Read) -> None:
    """Google's agents write who spoke and the parts of a message as its content, and results as the user's."""

    def event(author: str, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"author": author, "timestamp": 1.5, "content": {"role": role, "parts": list(parts)}}

    result = {
        "name": "find",
        "response": {"status": "success", "report": "The lift closes at six."},
    }
    session = {
        "id": "s",
        "events": [
            event("user", "user", {"text": "When does it close?"}),
            event("guide", "model", {"text": "Let me look.", "thought": True}, {"functionCall": {"name": "find"}}),
            event("guide", "user", {"functionResponse": result}),
            event("guide", "model", {"text": "At six."}),
        ],
    }  # fmt: skip
    _, (turn,), _ = read([session])
    assert (turn["history"], turn["knowledge"], turn["response"]) == (
        ["When does it close?"], ["The lift closes at six."], "At six.",
    )  # fmt: skip
