"""The conversation of `desk` as each program publishes its logs: rows of JSON lines.

The forms are those of the programs' documentation, which docs/logs.md names.
"""

from __future__ import annotations

import json
from typing import Any

from tests.storage.logs.adapter_logs import Rows, request, span
from tests.storage.logs.desk import DESK, ERROR, IDS, TITLES, Exchange

Row = dict[str, Any]
TIME = 1_763_000_000


def _call(number: int) -> Row:
    function = {"name": "search", "arguments": '{"query": "x"}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _looked_up(one: Exchange) -> bool:
    return one.passages is not None or one.failed


def _docs(one: Exchange, body: str = "text") -> list[Row]:
    return [{"id": IDS[t], "title": TITLES[t], "score": 0.8, body: t} for t in one.passages or ()]


def _lang_docs(one: Exchange, body: str = "page_content") -> list[Row]:
    return [{body: t, "metadata": {"source": f"{IDS[t]}.md", "title": TITLES[t]}, "type": "Document"} for t in one.passages or ()]  # fmt: skip


def openai_chat() -> Rows:
    """Return the log of the program `openai_chat`."""
    messages: Rows = [{"role": "system", "content": "You answer for a shop."}]
    for number, one in enumerate(DESK):
        messages.append({"role": "user", "content": one.question})
        if _looked_up(one):
            result = (
                json.dumps({"error": "timeout"})
                if one.failed
                else json.dumps(_docs(one, "content"))
            )
            messages.append({"role": "assistant", "content": None, "tool_calls": [_call(number)]})
            messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
        messages.append({"role": "assistant", "content": one.reply})
    return [{"id": "c1", "created": TIME, "model": "gpt-4o", "messages": messages}]


def _prompted(place: str) -> Rows:
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        context = (
            "\n\n".join(f"[{n}] {t}" for n, t in enumerate(one.passages or (), 1))
            or "No documents found."
        )
        asked = {"role": "user", "content": one.question}
        if place == "system":
            prompt = f"You answer for a shop. Use only the sources.\n\nSources:\n{context}\n\nAnswer briefly."
            messages = [{"role": "system", "content": prompt}, *before, asked]
        else:
            text = f"Context information is below.\n---------------------\n{context}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\nQuery: {one.question}\nAnswer: "
            messages = [
                {"role": "system", "content": "You answer for a shop."},
                *before,
                {"role": "user", "content": text},
            ]
        choice = {
            "index": 0,
            "finish_reason": "length" if one.cut else "stop",
            "message": {"role": "assistant", "content": one.reply},
        }
        response = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": TIME + number,
            "choices": [choice],
        }
        rows.append({"request": {"model": "gpt-4o", "messages": messages}, "response": response})
        before += [asked, {"role": "assistant", "content": one.reply}]
    return rows


def openai_system() -> Rows:
    """Return the log of the program `openai_system`."""
    return _prompted("system")


def openai_user() -> Rows:
    """Return the log of the program `openai_user`."""
    return _prompted("user")


def openai_responses() -> Rows:
    """Return the log of the program `openai_responses`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        asked = {"role": "user", "content": [{"type": "input_text", "text": one.question}]}
        given: Rows = [*before, asked]
        output: Rows = []
        if one.failed:
            given += [
                {"type": "function_call", "call_id": "f", "name": "order", "arguments": "{}"},
                {
                    "type": "function_call_output",
                    "call_id": "f",
                    "output": json.dumps({"error": "timeout"}),
                },
            ]
        elif one.passages is not None:
            results = [
                {
                    "file_id": IDS[t],
                    "filename": f"{IDS[t]}.md",
                    "score": 0.9,
                    "text": t,
                    "attributes": {},
                }
                for t in one.passages
            ]
            output.append(
                {
                    "id": "fs_1",
                    "type": "file_search_call",
                    "status": "completed",
                    "queries": ["x"],
                    "results": results,
                }
            )
        marks = (
            [{"type": "file_citation", "index": 3, "file_id": "d1", "filename": "d1.md"}]
            if one.passages
            else []
        )
        content = [{"type": "output_text", "text": one.reply, "annotations": marks}]
        output.append(
            {
                "id": f"msg_{number}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        )
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": TIME + number,
            "model": "gpt-4.1",
            "status": "incomplete" if one.cut else "completed",
            "instructions": "You answer for a shop.",
            "output": output,
        }
        rows.append({"request": {"model": "gpt-4.1", "input": given}, "response": response})
        before += [
            asked,
            {"role": "assistant", "content": [{"type": "output_text", "text": one.reply}]},
        ]
    return rows


def azure() -> Rows:
    """Return the log of the program `azure`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        citations = [
            {
                "content": t,
                "title": TITLES[t],
                "url": "https://shop.example",
                "filepath": f"{IDS[t]}.md",
                "chunk_id": "0",
            }
            for t in one.passages or ()
        ]
        message = {
            "role": "assistant",
            "content": one.reply,
            "context": {"citations": citations, "intent": '["x"]'},
        }
        asked = {"role": "user", "content": one.question}
        rows.append({
            "request": {"messages": [*before, asked], "data_sources": [{"type": "azure_search"}]},
            "response": {"id": f"a{number}", "object": "extensions.chat.completion", "created": TIME, "choices": [{"index": 0, "message": message}]},
        })  # fmt: skip
        before += [asked, {"role": "assistant", "content": one.reply}]
    return rows


def anthropic() -> Rows:
    """Return the log of the program `anthropic`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        messages: Rows = [*before, {"role": "user", "content": one.question}]
        if _looked_up(one):
            found: Any = [
                {
                    "type": "search_result",
                    "source": f"https://shop.example/{IDS[t]}",
                    "title": TITLES[t],
                    "content": [{"type": "text", "text": t}],
                    "citations": {"enabled": True},
                }
                for t in one.passages or ()
            ]
            result: Row = {
                "type": "tool_result",
                "tool_use_id": "t",
                "content": ERROR if one.failed else found,
            }
            messages += [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "search", "input": {}}],
                },
                {"role": "user", "content": [result | ({"is_error": True} if one.failed else {})]},
            ]
        half = len(one.reply) // 2
        content = [
            {"type": "text", "text": one.reply[:half]},
            {
                "type": "text",
                "text": one.reply[half:],
                "citations": [{"type": "search_result_location", "cited_text": "x"}],
            },
        ]
        rows.append({
            "request": {"model": "claude", "max_tokens": 50, "system": "You answer for a shop.", "messages": messages},
            "response": {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": content, "stop_reason": "max_tokens" if one.cut else "end_turn"},
        })  # fmt: skip
        before = [*messages, {"role": "assistant", "content": content}]
    return rows


def anthropic_documents() -> Rows:
    """Return the log of the program `anthropic_documents`."""
    rows = []
    for number, one in enumerate(DESK):
        documents = [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": t},
                "title": TITLES[t],
                "citations": {"enabled": True},
            }
            for t in one.passages or ()
        ]
        messages = [
            {"role": "user", "content": [*documents, {"type": "text", "text": one.question}]}
        ]
        content = [{"type": "text", "text": one.reply}]
        rows.append(
            {
                "request": {"messages": messages},
                "response": {
                    "id": f"m{number}",
                    "type": "message",
                    "role": "assistant",
                    "content": content,
                },
            }
        )
    return rows


def assistants() -> Rows:
    """Return the log of the program `assistants`."""
    rows: Rows = []
    for number, one in enumerate(DESK):
        at = TIME + 10 * number

        def said(role: str, text: str, when: int, run: str | None) -> Row:
            content = [{"type": "text", "text": {"value": text, "annotations": []}}]
            return {
                "id": f"msg_{when}",
                "object": "thread.message",
                "created_at": when,
                "thread_id": "th",
                "role": role,
                "run_id": run,
                "content": content,
            }

        rows.append(said("user", one.question, at, None))
        if _looked_up(one):
            results = [
                {
                    "file_id": IDS[t],
                    "file_name": f"{IDS[t]}.md",
                    "score": 0.7,
                    "content": [{"type": "text", "text": t}],
                }
                for t in one.passages or ()
            ]
            call: Row = {"id": "c", "type": "file_search", "file_search": {"results": results}}
            if one.failed:
                call = {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "order", "arguments": "{}", "output": ERROR},
                }
            rows.append(
                {
                    "id": f"step_{number}",
                    "object": "thread.run.step",
                    "created_at": at + 1,
                    "thread_id": "th",
                    "run_id": f"run_{number}",
                    "status": "completed",
                    "type": "tool_calls",
                    "step_details": {"type": "tool_calls", "tool_calls": [call]},
                }
            )
        rows.append(said("assistant", one.reply, at + 2, f"run_{number}"))
    return [
        {"object": "list", "data": rows[::-1], "first_id": "x", "last_id": "y", "has_more": False}
    ]


def bedrock() -> Rows:
    """Return the log of the program `bedrock`."""
    rows = []
    for one in DESK:
        references = [
            {
                "content": {"text": t, "type": "TEXT"},
                "location": {"type": "S3", "s3Location": {"uri": f"s3://kb/{IDS[t]}.md"}},
                "metadata": {"title": TITLES[t]},
            }
            for t in one.passages or ()
        ]
        part = {"textResponsePart": {"span": {"start": 0, "end": 9}, "text": one.reply}}
        citations = [{"generatedResponsePart": part, "retrievedReferences": references}]
        rows.append(
            {
                "input": {"text": one.question},
                "response": {
                    "sessionId": "s1",
                    "output": {"text": one.reply},
                    "citations": citations,
                },
            }
        )
    return rows


def bedrock_agent() -> Rows:
    """Return the log of the program `bedrock_agent`."""
    rows: Rows = []
    for number, one in enumerate(DESK):

        def traced(step: Row, n: int = number) -> Row:
            return {
                "sessionId": "s1",
                "agentId": "A",
                "inputText": DESK[n].question,
                "trace": {"orchestrationTrace": {"traceId": f"t-{n}", **step}},
            }

        rows.append(
            traced(
                {
                    "invocationInput": {
                        "invocationType": "KNOWLEDGE_BASE",
                        "knowledgeBaseLookupInput": {"text": "x"},
                    }
                }
            )
        )
        if one.passages is not None:
            references = [
                {
                    "content": {"text": t},
                    "location": {"type": "S3", "s3Location": {"uri": f"s3://kb/{IDS[t]}.md"}},
                }
                for t in one.passages
            ]
            rows.append(
                traced(
                    {
                        "observation": {
                            "type": "KNOWLEDGE_BASE",
                            "knowledgeBaseLookupOutput": {"retrievedReferences": references},
                        }
                    }
                )
            )
        if one.failed:
            rows.append(
                traced(
                    {
                        "observation": {
                            "type": "ACTION_GROUP",
                            "actionGroupInvocationOutput": {"text": ERROR},
                        }
                    }
                )
            )
        rows.append(
            traced({"observation": {"type": "FINISH", "finalResponse": {"text": one.reply}}})
        )
        rows.append(
            {"sessionId": "s1", "chunk": {"bytes": one.reply, "attribution": {"citations": []}}}
        )
    return rows


def otel_events() -> Rows:
    """Return the log of the program `otel_events`."""
    rows = []
    for number, one in enumerate(DESK):
        events: Rows = [
            {
                "name": "gen_ai.system.message",
                "attributes": [
                    {"key": "content", "value": {"stringValue": "You answer for a shop."}}
                ],
            }
        ]

        def event(name: str, **held: str) -> Row:
            return {
                "name": name,
                "timeUnixNano": "1",
                "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in held.items()],
            }

        for before in DESK[:number]:
            events += [
                event("gen_ai.user.message", content=before.question),
                event("gen_ai.assistant.message", content=before.reply),
            ]
        events.append(event("gen_ai.user.message", content=one.question))
        if _looked_up(one):
            events.append(event("gen_ai.assistant.message", tool_calls=json.dumps([_call(number)])))
            events.append(
                event(
                    "gen_ai.tool.message",
                    id="c",
                    content=ERROR if one.failed else json.dumps(_docs(one, "content")),
                )
            )
        events.append(
            event(
                "gen_ai.choice",
                index="0",
                finish_reason="length" if one.cut else "stop",
                message=json.dumps({"role": "assistant", "content": one.reply}),
            )
        )
        rows.append(
            request(
                span(
                    number + 1,
                    None,
                    {"gen_ai.system": "openai", "gen_ai.operation.name": "chat"},
                    traceId=f"{number:032x}",
                    events=events,
                )
            )
        )
    return rows


def openllmetry() -> Rows:
    """Return the log of the program `openllmetry`."""
    rows = []
    for number, one in enumerate(DESK):
        trace = {"traceId": f"{number:032x}"}
        asked: Row = {
            "gen_ai.system": "OpenAI",
            "llm.request.type": "chat",
            "gen_ai.request.model": "gpt-4o",
            "traceloop.workflow.name": "desk",
        }
        said = [("system", "You answer for a shop.")]
        for before in DESK[:number]:
            said += [("user", before.question), ("assistant", before.reply)]
        said.append(("user", one.question))
        for n, (role, text) in enumerate(said):
            asked |= {f"gen_ai.prompt.{n}.role": role, f"gen_ai.prompt.{n}.content": text}
        asked |= {
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": one.reply,
            "gen_ai.completion.0.finish_reason": "stop",
        }
        spans = [
            span(
                1,
                None,
                {
                    "traceloop.span.kind": "workflow",
                    "traceloop.entity.name": "desk",
                    "traceloop.entity.input": json.dumps({"args": [one.question], "kwargs": {}}),
                    "traceloop.entity.output": json.dumps(one.reply),
                },
                **trace,
            )
        ]
        if one.passages is not None:
            events = [
                {
                    "name": "db.query.result",
                    "attributes": [
                        {"key": "db.query.result.id", "value": {"stringValue": IDS[t]}},
                        {"key": "db.query.result.document", "value": {"stringValue": t}},
                        {"key": "db.query.result.distance", "value": {"doubleValue": 0.2}},
                    ],
                }
                for t in one.passages
            ]
            spans.append(
                span(
                    2,
                    1,
                    {"db.system": "chroma", "db.operation": "query"},
                    name="chroma.query",
                    events=events,
                    **trace,
                )
            )
        if one.failed:
            spans.append(
                span(
                    2,
                    1,
                    {
                        "traceloop.span.kind": "tool",
                        "traceloop.entity.name": "order",
                        "traceloop.entity.output": json.dumps(ERROR),
                    },
                    **trace,
                )
            )
        spans.append(span(3, 1, asked, **trace))
        rows.append(request(*spans))
    return rows


def langfuse_nested() -> Rows:
    """Return the log of the program `langfuse_nested`."""
    rows = []
    for number, one in enumerate(DESK):
        begin = f"2026-11-16T10:0{number}:"
        observations: Rows = []
        if _looked_up(one):
            observations.append({
                "id": f"o{number}r", "type": "RETRIEVER" if not one.failed else "TOOL", "name": "search", "startTime": begin + "01Z", "endTime": begin + "02Z",
                "level": "ERROR" if one.failed else "DEFAULT", "input": {"query": "x"}, "output": ERROR if one.failed else [{"pageContent": d["page_content"], "metadata": d["metadata"]} for d in _lang_docs(one)],
                "parentObservationId": None,
            })  # fmt: skip
        observations.append({
            "id": f"o{number}g", "type": "GENERATION", "name": "llm", "startTime": begin + "03Z", "endTime": begin + "04Z", "model": "gpt-4o", "parentObservationId": None,
            "input": [{"role": "system", "content": "You answer for a shop."}, {"role": "user", "content": one.question}], "output": {"role": "assistant", "content": one.reply},
        })  # fmt: skip
        rows.append({
            "id": f"tr{number}", "name": "desk", "timestamp": begin + "00Z", "sessionId": "s1", "userId": "u1", "input": {"question": one.question}, "output": {"answer": one.reply}, "observations": observations,
        })  # fmt: skip
    return [
        {"data": rows, "meta": {"page": 1, "limit": 50, "totalItems": len(rows), "totalPages": 1}}
    ]


def langchain() -> Rows:
    """Return the log of the program `langchain`."""
    rows = []
    said: Rows = []
    for one in DESK:
        rows.append(
            {
                "input": one.question,
                "chat_history": list(said),
                "context": _lang_docs(one),
                "answer": one.reply,
            }
        )
        said += [{"type": "human", "content": one.question}, {"type": "ai", "content": one.reply}]
    return rows


def retrieval_qa() -> Rows:
    """Return the log of the program `retrieval_qa`."""
    docs = [
        [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "document", "Document"],
                "kwargs": {"page_content": d["page_content"], "metadata": d["metadata"]},
            }
            for d in _lang_docs(one)
        ]
        for one in DESK
    ]
    return [
        {"query": one.question, "result": one.reply, "source_documents": found}
        for one, found in zip(DESK, docs, strict=True)
    ]


def llamaindex() -> Rows:
    """Return the log of the program `llamaindex`."""
    return [
        {"query": one.question, "response": one.reply, "metadata": {}, "source_nodes": [
            {"node": {"id_": IDS[t], "embedding": None, "metadata": {"file_name": f"{IDS[t]}.md"}, "text": t, "class_name": "TextNode"}, "score": 0.83, "class_name": "NodeWithScore"}
            for t in one.passages or ()
        ]}
        for one in DESK
    ]  # fmt: skip


def haystack() -> Rows:
    """Return the log of the program `haystack`."""
    rows = []
    for one in DESK:
        documents = [
            {"id": IDS[t], "content": t, "meta": {"title": TITLES[t]}, "score": 0.6}
            for t in one.passages or ()
        ]
        answer = {
            "data": one.reply,
            "query": one.question,
            "documents": documents,
            "meta": {"model": "gpt-4o"},
        }
        rows.append(
            {
                "answer_builder": {
                    "answers": [
                        {
                            "type": "haystack.dataclasses.answer.GeneratedAnswer",
                            "init_parameters": answer,
                        }
                    ]
                }
            }
        )
    return rows


def haystack_replies() -> Rows:
    """Return the log of the program `haystack_replies`."""
    return [
        {
            "query": one.question,
            "retriever": {
                "documents": [
                    {"id": IDS[t], "content": t, "score": 0.6} for t in one.passages or ()
                ]
            },
            "llm": {"replies": [one.reply], "meta": [{"model": "m"}]},
        }
        for one in DESK
    ]


def vercel_ui() -> Rows:
    """Return the log of the program `vercel_ui`."""
    messages: Rows = []
    for number, one in enumerate(DESK):
        messages.append(
            {"id": f"u{number}", "role": "user", "parts": [{"type": "text", "text": one.question}]}
        )
        parts: Rows = [{"type": "step-start"}]
        if one.failed:
            parts.append(
                {
                    "type": "tool-order",
                    "toolCallId": "c",
                    "state": "output-error",
                    "input": {},
                    "errorText": "timeout",
                }
            )
        elif one.passages is not None:
            parts.append(
                {
                    "type": "tool-search",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {"q": "x"},
                    "output": {"results": _docs(one)},
                }
            )
        parts.append(
            {"type": "text", "text": one.reply, "state": "streaming" if one.cut else "done"}
        )
        messages.append({"id": f"a{number}", "role": "assistant", "parts": parts})
    return [{"id": "chat1", "messages": messages}]


def vercel_model() -> Rows:
    """Return the log of the program `vercel_model`."""
    messages: Rows = [{"role": "system", "content": "You answer for a shop."}]
    for one in DESK:
        messages.append({"role": "user", "content": [{"type": "text", "text": one.question}]})
        if _looked_up(one):
            output = (
                {"type": "error-text", "value": ERROR}
                if one.failed
                else {"type": "json", "value": _docs(one)}
            )
            messages += [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool-call", "toolCallId": "c", "toolName": "search", "input": {}}
                    ],
                },
                {
                    "role": "tool",
                    "content": [
                        {
                            "type": "tool-result",
                            "toolCallId": "c",
                            "toolName": "search",
                            "output": output,
                        }
                    ],
                },
            ]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": one.reply}]})
    return [{"messages": messages}]


def ragas() -> Rows:
    """Return the log of the program `ragas`."""
    return [
        {
            "user_input": one.question,
            "response": one.reply,
            "retrieved_contexts": list(one.passages or ()),
            "reference": "A person wrote this.",
        }
        for one in DESK
    ]


def ragas_old() -> Rows:
    """Return the log of the program `ragas_old`."""
    return [
        {
            "question": one.question,
            "answer": one.reply,
            "contexts": list(one.passages or ()),
            "ground_truth": "A person wrote this.",
        }
        for one in DESK
    ]


def deepeval() -> Rows:
    """Return the log of the program `deepeval`."""
    cases = [
        {
            "name": f"case {n}",
            "input": one.question,
            "actualOutput": one.reply,
            "expectedOutput": "x",
            "context": ["The ideal context."],
            "retrievalContext": list(one.passages or ()),
        }
        for n, one in enumerate(DESK)
    ]
    return [{"testCases": cases}]


def trulens() -> Rows:
    """Return the log of the program `trulens`."""
    rows = []
    for number, one in enumerate(DESK):
        call = {
            "stack": [
                {"path": "app.rag", "method": {"name": "query"}},
                {"path": "app.rag", "method": {"name": "retrieve"}},
            ],
            "args": {"query": one.question},
            "rets": list(one.passages or ()),
            "error": None,
        }
        record = {
            "record_id": f"r{number}",
            "app_id": "a",
            "main_input": one.question,
            "main_output": one.reply,
            "calls": [call] if one.passages is not None else [],
            "ts": "2026-11-16T10:00:00",
        }
        rows.append(
            {
                "app_name": "desk",
                "app_version": "1",
                "record_id": f"r{number}",
                "input": one.question,
                "output": one.reply,
                "record_json": json.dumps(record),
                "total_tokens": 5,
            }
        )
    return rows


def mlflow() -> Rows:
    """Return the log of the program `mlflow`."""
    rows = []
    for number, one in enumerate(DESK):

        def made(
            n: int,
            parent: str | None,
            kind: str,
            given: Any,
            output: Any,
            failed: bool = False,
            t: int = number,
        ) -> Row:
            return {
                "name": kind.lower(), "trace_id": f"tr-{t}", "span_id": f"s{n}", "parent_span_id": parent, "start_time_unix_nano": (TIME + n) * 10**9, "end_time_unix_nano": (TIME + n + 1) * 10**9,
                "status": {"code": "STATUS_CODE_ERROR" if failed else "STATUS_CODE_OK", "message": ""},
                "attributes": {"mlflow.spanType": json.dumps(kind), "mlflow.spanInputs": json.dumps(given), "mlflow.spanOutputs": json.dumps(output)},
            }  # fmt: skip

        spans = [made(1, None, "CHAIN", {"question": one.question}, one.reply)]
        if _looked_up(one):
            docs = [
                {"page_content": t, "metadata": {"doc_uri": f"{IDS[t]}.md"}, "id": IDS[t]}
                for t in one.passages or ()
            ]
            spans.append(
                made(
                    2,
                    "s1",
                    "TOOL" if one.failed else "RETRIEVER",
                    "x",
                    ERROR if one.failed else docs,
                    one.failed,
                )
            )
        choice = {"choices": [{"message": {"role": "assistant", "content": one.reply}}]}
        spans.append(
            made(
                3,
                "s1",
                "CHAT_MODEL",
                {"messages": [{"role": "user", "content": one.question}]},
                choice,
            )
        )
        rows.append(
            {
                "info": {
                    "trace_id": f"tr-{number}",
                    "request_time": "2026-11-16T10:00:00Z",
                    "state": "OK",
                    "trace_metadata": {"mlflow.trace.session": "s1"},
                },
                "data": {"spans": spans},
            }
        )
    return rows


def sharegpt() -> Rows:
    """Return the log of the program `sharegpt`."""
    said: Rows = [{"from": "system", "value": "You answer for a shop."}]
    for one in DESK:
        said.append({"from": "human", "value": one.question})
        if _looked_up(one):
            said.append({"from": "function_call", "value": '{"name": "search", "arguments": {}}'})
            said.append(
                {
                    "from": "observation",
                    "value": ERROR if one.failed else json.dumps(_docs(one, "content")),
                }
            )
        said.append({"from": "gpt", "value": one.reply})
    return [{"id": "g1", "conversations": said}]


def rasa() -> Rows:
    """Return the log of the program `rasa`."""
    events: Rows = [
        {"event": "action", "name": "action_session_start", "timestamp": TIME},
        {"event": "session_started", "timestamp": TIME},
    ]
    for number, one in enumerate(DESK):
        at = TIME + 10 * number
        events.append(
            {
                "event": "user",
                "timestamp": at,
                "text": one.question,
                "parse_data": {"intent": {"name": "ask"}},
                "input_channel": "rest",
            }
        )
        events.append({"event": "action", "timestamp": at + 1, "name": "action_trigger_search"})
        metadata: Row = {"utter_source": "EnterpriseSearchPolicy"}
        if one.passages is not None:
            metadata["search_results"] = [
                {"text": t, "metadata": {"source": f"{IDS[t]}.md"}, "score": 0.7}
                for t in one.passages
            ]
        events.append(
            {
                "event": "bot",
                "timestamp": at + 2,
                "text": one.reply,
                "data": {"custom": None, "buttons": None},
                "metadata": metadata,
            }
        )
    return [
        {"sender_id": "u1", "slots": {"name": None}, "latest_event_time": TIME, "events": events}
    ]


def lex() -> Rows:
    """Return the log of the program `lex`."""
    rows = []
    for number, one in enumerate(DESK):
        attributes = {"x-amz-lex:qnA-search-response-source": "s3://kb"} if one.passages else {}
        if one.passages:
            attributes["x-amz-lex:qnA-search-response"] = json.dumps(
                [{"text": t} for t in one.passages]
            )
        rows.append({
            "messageVersion": "2.0", "botId": "B", "botAliasId": "A", "sessionId": "s1", "requestId": f"r{number}", "timestamp": f"2026-11-16T10:0{number}:00.000Z",
            "inputTranscript": one.question, "rawInputTranscript": one.question, "requestAttributes": attributes,
            "sessionState": {"intent": {"name": "QnAIntent", "state": "Fulfilled"}, "originatingRequestId": "o"}, "messages": [{"contentType": "PlainText", "content": one.reply}],
        })  # fmt: skip
    return rows


def dialogflow() -> Rows:
    """Return the log of the program `dialogflow`."""
    interactions = []
    for number, one in enumerate(DESK):
        result: Row = {
            "text": one.question,
            "languageCode": "en",
            "responseMessages": [{"text": {"text": [one.reply]}}],
            "match": {"matchType": "KNOWLEDGE_CONNECTOR"},
        }
        if one.passages is not None:
            result["dataStoreConnectionSignals"] = {
                "rewrittenQuery": "x",
                "searchSnippets": [
                    {
                        "documentTitle": TITLES[t],
                        "documentUri": f"https://shop.example/{IDS[t]}",
                        "text": t,
                    }
                    for t in one.passages
                ],
                "answer": one.reply,
            }
        interactions.append(
            {
                "request": {"queryInput": {"text": {"text": one.question}, "languageCode": "en"}},
                "response": {"responseId": f"r{number}", "queryResult": result},
                "createTime": f"2026-11-16T10:0{number}:00Z",
            }
        )
    return [
        {
            "name": "projects/p/locations/l/agents/a/conversations/c1",
            "interactions": interactions[::-1],
        }
    ]


def message_rows() -> Rows:
    """Return the log of a chat application's table of messages."""
    messages = openai_chat()[0]["messages"]
    return [
        {"id": n, "conversation_id": "c1", "created_at": TIME + n, **m}
        for n, m in enumerate(messages)
    ]


PROGRAMS = {
    "message_rows": (message_rows, "messages"),
    "openai_chat": (openai_chat, "openai"),
    "openai_system": (openai_system, "openai"),
    "openai_user": (openai_user, "openai"),
    "openai_responses": (openai_responses, "responses"),
    "azure": (azure, "openai"),
    "anthropic": (anthropic, "anthropic"),
    "anthropic_documents": (anthropic_documents, "anthropic"),
    "assistants": (assistants, "assistants"),
    "bedrock": (bedrock, "bedrock"),
    "bedrock_agent": (bedrock_agent, "bedrock"),
    "otel_events": (otel_events, "otel"),
    "openllmetry": (openllmetry, "otel"),
    "langfuse_nested": (langfuse_nested, "langfuse"),
    "langchain": (langchain, "langchain"),
    "retrieval_qa": (retrieval_qa, "langchain"),
    "llamaindex": (llamaindex, "llamaindex"),
    "haystack": (haystack, "haystack"),
    "haystack_replies": (haystack_replies, "haystack"),
    "vercel_ui": (vercel_ui, "vercel"),
    "vercel_model": (vercel_model, "vercel"),
    "ragas": (ragas, "ragas"),
    "ragas_old": (ragas_old, "ragas"),
    "deepeval": (deepeval, "deepeval"),
    "trulens": (trulens, "trulens"),
    "mlflow": (mlflow, "mlflow"),
    "sharegpt": (sharegpt, "sharegpt"),
    "rasa": (rasa, "rasa"),
    "lex": (lex, "lex"),
    "dialogflow": (dialogflow, "dialogflow"),
}
"""The programs: the rows of a log, and the format that it is known as."""
