"""The conversation of `desk` as the programs that log traces publish it."""

from __future__ import annotations

import json
from typing import Any

from tests.storage.logs.adapter_logs import Rows, request, span
from tests.storage.logs.desk import DESK, ERROR, IDS
from tests.storage.logs.programs.parts import TIME, Row, docs, lang_docs, looked_up, tool_call


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
        if looked_up(one):
            events.append(
                event("gen_ai.assistant.message", tool_calls=json.dumps([tool_call(number)]))
            )
            events.append(
                event(
                    "gen_ai.tool.message",
                    id="c",
                    content=ERROR if one.failed else json.dumps(docs(one, "content")),
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
        if looked_up(one):
            observations.append({
                "id": f"o{number}r", "type": "RETRIEVER" if not one.failed else "TOOL", "name": "search", "startTime": begin + "01Z", "endTime": begin + "02Z",
                "level": "ERROR" if one.failed else "DEFAULT", "input": {"query": "x"}, "output": ERROR if one.failed else [{"pageContent": d["page_content"], "metadata": d["metadata"]} for d in lang_docs(one)],
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
        if looked_up(one):
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
