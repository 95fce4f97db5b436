"""Tests that a trace gives the replies that reached the user, each with the knowledge before it."""

from __future__ import annotations

import json
import sys

from qsquared.storage.logs.format_engines.formats import known_formats
from qsquared.storage.logs.format_engines.recognition import adapted
from qsquared.storage.logs.format_engines.span_fields import nested
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.rows import Limits, RawRow
from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import (
    DOCUMENTS,
    FACT,
    GENAI_INPUT,
    LOGS,
    OTEL,
    OTHER,
    REPLY,
    TURN,
    jsonl,
    request,
    span,
)


def test_traces_tell_when_and_where_a_reply_was_given(read: Read) -> None:
    """Conversation, time, trace and span stand in the turn, so that scores can be written back."""
    for name, trace, of in (
        ("otel", "5b8efff798038103d269b633813fc60c", "0000000000000003"),
        ("openinference", "t1", "s1"),
        ("langfuse", "t1", "o1"),
        ("langsmith", "r1", "r1"),
    ):
        _, (turn,), _ = read(LOGS[name])
        metadata = json.loads(turn["metadata"])
        assert (metadata["trace_id"], metadata["span_id"], turn["id"]) == (trace, of, of)
        assert turn["conversation_id"] == "conv_5"
        assert turn["timestamp"] is not None


def test_a_row_that_is_no_span_is_a_reject_and_costs_itself_only(read: Read) -> None:
    """Broken lines and lines of something else come out with line and reason."""
    data = jsonl(OTEL[:1]) + b'{"resourceSpans": \n{"logs": []}\n' + jsonl(OTEL[1:])
    _, (turn,), rejects = read(data)
    assert turn["knowledge"] == [FACT, OTHER]
    assert [(row["line"], row["reason"][:27]) for row in rejects] == [
        (2, "The line is not valid JSON:"),
        (3, "The row holds nothing of th"),
    ]


def test_a_root_whose_parent_is_zeros_replies_unless_its_answer_is_null(read: Read) -> None:
    """Programs write ids of zeros for no parent, and values as JSON."""
    zeros = "00000000-0000-0000-0000-000000000000"
    rows = [
        {"trace_id": f"t{n}", "span_id": f"s{n}", "parent_span_id": zeros, "span_type": "DEFAULT",
         "start_time": f"2026-11-20 10:0{n}:00", "input": '{"question": "May I?"}', "output": output}
        for n, output in enumerate([json.dumps(REPLY), "null"])
    ]  # fmt: skip
    found = {"trace_id": "t0", "span_id": "s9", "parent_span_id": "s0", "span_type": "TOOL", "input": "x",
             "start_time": "2026-11-20 10:00:01", "output": json.dumps([{"text": FACT}])}  # fmt: skip
    _, (turn,), rejects = read(jsonl([rows[0], found, rows[1]]))
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])
    assert len(rejects) == 1


def test_a_question_that_a_model_reworded_is_no_reply_of_a_trace_that_failed(read: Read) -> None:
    """After the search no model has an answer, and the root none; a check after the reply takes nothing from it."""
    reworded = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "May I?"}]}])
    chat, said = {"gen_ai.operation.name": "chat"}, {"gen_ai.output.messages": reworded}
    search = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": FACT}
    root = span(1, None, {"gen_ai.operation.name": "invoke_agent"}, traceId="a")
    reply, silent = span(2, 1, {**chat, **said}, traceId="a"), span(4, 1, chat, traceId="a")
    _, turns, rejects = read([request(root, reply, span(3, 1, search, traceId="a"), silent)])
    assert (turns, len(rejects)) == ([], 1)
    found = span(2, 1, search, traceId="a")
    _, (turn,), _ = read([request(root, found, span(3, 1, {**chat, **said}, traceId="a"), silent)])
    assert turn["response"] == "May I?"


def test_a_trace_without_a_reply_is_one_reject(read: Read) -> None:
    """StoreIndex that were not recorded, and traces without a model, say so once for each trace."""
    silent = span(1, None, {"gen_ai.operation.name": "chat"}, traceId="a")
    embedding = span(2, None, {"gen_ai.operation.name": "embeddings"}, traceId="b")
    _, turns, rejects = read([request(silent, embedding)])
    assert turns == []
    assert "they may record no contents" in rejects[0]["reason"]
    assert "that of a model" in rejects[1]["reason"]


def test_the_steps_of_an_agent_are_no_replies(read: Read) -> None:
    """The agent's answer is the turn; what its calls and tools said before it is knowledge."""
    call = {"type": "tool_call", "id": "t", "name": "find", "arguments": {}}
    given = {"type": "tool_call_response", "id": "t", "response": json.dumps(DOCUMENTS)}
    steps = [
        span(1, None, {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": GENAI_INPUT,
            "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": REPLY}]}],
        }, endTimeUnixNano=str(1_763_000_009 * 10**9)),
        span(2, 1, {
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": [{"role": "assistant", "parts": [call]}],
        }),
        span(3, 1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": FACT}),
        span(4, 1, {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [*GENAI_INPUT, {"role": "tool", "parts": [given]}],
            "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "A draft."}]}],
        }),
    ]  # fmt: skip
    _, (turn,), _ = read([request(*steps)])
    assert {key: turn[key] for key in TURN} == TURN


def test_documents_found_after_a_reply_are_not_its_knowledge(read: Read) -> None:
    """Documents that a later question of the trace retrieved are no knowledge of an earlier reply."""
    later = span(
        9, None, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [{"content": "Later."}]}
    )  # fmt: skip
    _, (turn,), _ = read([*OTEL, request(later)])
    assert turn["knowledge"] == [FACT, OTHER]


def test_documents_told_by_their_ids_alone_are_no_knowledge(read: Read) -> None:
    """The convention lets contents be left out; then the reply has no knowledge, and says so."""
    bare = span(
        1, None, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": [{"id": "d1", "score": 1}]}
    )  # fmt: skip
    _, (turn,), _ = read([OTEL[0], request(bare)])
    assert (turn["status"], turn["knowledge"]) == ("no_knowledge", [])


def test_attributes_can_be_mapped(read: Read) -> None:
    """--map finds an instrumentation's own attributes in any span."""
    rows = [
        request(span(1, None, {"app.docs": [FACT, OTHER]}), span(2, None, {"app.said": REPLY, "app.user": "u1"}))
    ]  # fmt: skip
    mapping = {"app.docs": "knowledge", "app.said": "response", "app.user": "conversation_id"}
    _, (turn,), _ = read(rows, mapping, wanted="otel")
    assert (turn["knowledge"], turn["response"]) == ([FACT, OTHER], REPLY)
    assert turn["conversation_id"] == "u1"


def test_rows_of_a_group_may_stand_far_apart(read: Read) -> None:
    """Thousands of traces between a reply and its documents change nothing."""
    others = [
        request(span(5, None, {"gen_ai.operation.name": "embeddings"}, traceId=f"{i:x}"))
        for i in range(1500)
    ]
    _, (turn,), rejects = read([OTEL[0], *others, OTEL[1]])
    assert turn["knowledge"] == [FACT, OTHER]
    assert len(rejects) == 1500


def test_a_trace_of_many_roots_is_read_in_proportion_to_what_it_yields() -> None:
    """Four times as many root spans cost about four times as many calls of functions, not sixteen times."""
    call = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": [{"role": "assistant", "content": "Yes."}],
    }

    def calls(roots: int) -> int:
        rows = [RawRow(0, 1, request(*(span(number, None, call) for number in range(roots))), "")]
        counted = 0

        def count(*_: object) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count)
        turns = list(adapted(rows, known_formats()["otel"], Overrides(), Limits()))
        sys.setprofile(None)
        assert len(turns) == roots
        return counted

    assert calls(200) < 6 * calls(50)


def _asked_at_roots(roots: int, *, retrieving: int) -> list[RawRow]:
    """Return a trace of questions at its root, of which the first ones have a retriever each."""
    said = {"gen_ai.operation.name": "invoke_agent"}
    found = {"gen_ai.operation.name": "retrieval"}
    spans = []
    for n in range(1, roots + 1):
        answer = [{"role": "assistant", "content": f"Answer {n}."}]
        spans.append(span(2 * n, None, said | {"gen_ai.output.messages": answer}))
        documents = [{"content": f"Article {n} holds the answer."}, {"content": FACT}]
        if n <= retrieving:
            attributes = found | {"gen_ai.retrieval.documents": documents}
            spans.append(span(2 * n + 1, 2 * n, attributes))
    return [RawRow(0, 1, request(*spans), "")]


def test_a_root_that_replies_has_only_what_was_found_below_it() -> None:
    """A root without a retriever has no knowledge, and a passage that two retrievers found is knowledge of both."""
    rows = _asked_at_roots(3, retrieving=2)
    turns = [*adapted(rows, known_formats()["otel"], Overrides(), Limits())]
    known = [[one["text"] for one in turn.fields["knowledge"]] for turn in turns]
    articles = [["Article 1 holds the answer.", FACT], ["Article 2 holds the answer.", FACT]]
    assert known == [*articles, []]


def test_a_trace_of_many_roots_with_a_retriever_each_gives_a_turn_for_each() -> None:
    """A trace may stand for a day of a service; 1,500 roots are no conversation that is too long."""
    rows = _asked_at_roots(1500, retrieving=1500)
    turns = [*adapted(rows, known_formats()["otel"], Overrides(), Limits())]
    assert sum(isinstance(turn, RawRow) for turn in turns) == 1500


def test_a_span_has_what_it_encloses_whatever_their_clocks_say(read: Read) -> None:
    """A retrieval on another machine, whose clock is ahead, begins after the span around it has ended."""
    call = {
        "op_name": "weave:///n/h/op/ask:v1",
        "trace_id": "t",
        "started_at": "2026-03-02T09:00:00Z",
    }
    asked = {
        **call,
        "id": "a",
        "parent_id": None,
        "ended_at": "2026-03-02T09:00:01Z",
        "inputs": {"question": "Why?"},
    }
    found = {
        **call,
        "id": "b",
        "parent_id": "a",
        "op_name": "weave:///n/h/op/retrieve:v1",
        "output": [{"text": FACT}],
    }
    _, (turn,), _ = read(
        [{**asked, "output": REPLY}, {**found, "started_at": "2026-03-02T09:00:09Z"}]
    )
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])


def test_a_passage_that_one_reranker_leaves_out_may_be_chosen_by_the_next(read: Read) -> None:
    """A trace may search twice; what no reranker chose is no passage."""
    kinds = [
        ("RETRIEVER", [FACT, OTHER]),
        ("RERANKER", [FACT]),
        ("RETRIEVER", [OTHER, "Invoices come by e-mail."]),
        ("RERANKER", [OTHER]),
    ]
    rows = [
        {"context.trace_id": "t", "context.span_id": str(n), "parent_id": "9", "name": kind,
         "start_time": f"2026-03-02T09:00:0{n}Z", "attributes.openinference.span.kind": kind,
         f"attributes.{'reranker.output_documents' if kind == 'RERANKER' else 'retrieval.documents'}":
             [{"document.content": text} for text in texts]}
        for n, (kind, texts) in enumerate(kinds, start=1)
    ]  # fmt: skip
    model = {"context.trace_id": "t", "context.span_id": "9", "parent_id": None, "name": "ask",
             "start_time": "2026-03-02T09:00:00Z", "end_time": "2026-03-02T09:00:09Z",
             "attributes.openinference.span.kind": "AGENT", "attributes.output.value": REPLY}  # fmt: skip
    _, (turn,), _ = read([model, *rows])
    assert turn["knowledge"] == [FACT, OTHER]


def test_dotted_and_nested_names_of_an_object_are_one_object():
    """In either order; of two values of one name the first counts."""
    for attributes in (
        {"gen_ai.request.model": "m", "gen_ai": {"prompt": "p"}},
        {"gen_ai": {"prompt": "p"}, "gen_ai.request.model": "m"},
    ):
        assert nested(attributes) == {"gen_ai": {"request": {"model": "m"}, "prompt": "p"}}


def honeyhive(event: str, parent: str | None, kind: str, inputs: object, outputs: object) -> object:
    """Return an event of a session in HoneyHive, whose own event has another id than the session."""
    start = 1764709200000 + 1000 * ord(event)
    return {
        "session_id": "s", "event_id": event, "parent_id": parent, "event_type": kind,
        "event_name": kind, "inputs": inputs, "outputs": outputs,
        "start_time": start, "end_time": start + 500,
    }  # fmt: skip


def test_a_failed_request_of_a_session_lends_the_others_no_knowledge(read: Read) -> None:
    """It is a reject, wherever it stands."""

    def chain(first: int, known: str, reply: str) -> list[object]:
        names = [chr(first + n) for n in range(3)]
        said = {"role": "assistant", "content": reply} if reply else {}
        return [
            honeyhive(names[0], "A", "chain", {"question": "When?"}, {"answer": reply}),
            honeyhive(names[1], names[0], "tool", {"query": "x"}, {"chunks": [{"text": known}]}),
            honeyhive(names[2], names[0], "model", {"chat_history": []}, said),
        ]

    outer = honeyhive("A", None, "session", {}, {})
    for log in (
        [outer, *chain(ord("B"), OTHER, ""), *chain(ord("E"), FACT, REPLY)],
        [outer, *chain(ord("B"), FACT, REPLY), *chain(ord("E"), OTHER, "")],
    ):
        _, (turn,), rejects = read(jsonl(log))
        assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])
        assert len(rejects) == 1


def test_names_of_documents_beside_an_answer_are_no_passages(read: Read) -> None:
    """One that is a word is known by that, and one of several words by the document that has it."""
    begun = {"trace_id": "t", "project_id": "p"}
    found = [{"text": FACT, "title": "Returns of parcels"}, {"text": OTHER, "title": "Seals"}]
    for sources in (["returns.pdf", "seals.pdf"], ["Returns of parcels", "Seals"]):
        chain = {"id": "a", "op_name": "x/ask", "started_at": "2026-03-02T09:00:05Z"}
        search = {
            "id": "b",
            "parent_id": "a",
            "op_name": "x/search",
            "started_at": "2026-03-02T09:00:06Z",
        }
        answer = {"inputs": {"question": "When?"}, "output": {"answer": REPLY, "sources": sources}}
        _, (turn,), _ = read(
            jsonl([{**begun, **chain, **answer}, {**begun, **search, "output": found}])
        )
        assert turn["knowledge"] == [FACT, OTHER]
