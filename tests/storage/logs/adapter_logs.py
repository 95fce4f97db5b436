"""A small log in the published form of each format, and the turn that it holds."""

from __future__ import annotations

import json
from typing import Any

Rows = list[dict[str, Any]]

QUESTION = "When was the lighthouse built?"
REPLY = "It was built in 1858 by Alan Brebner."
FACT = "The lighthouse was built in 1858."
OTHER = "Alan Brebner designed it."
TURN = {
    "response": REPLY,
    "history": [QUESTION],
    "knowledge": [FACT, OTHER],
}
SOURCES = [{"id": "d1"}, {"id": "d2"}]


def jsonl(rows: Rows) -> bytes:
    """Rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def otlp(attributes: dict[str, Any]) -> Rows:
    """Attributes as OTLP writes them in JSON."""
    return [{"key": key, "value": _any(value)} for key, value in attributes.items()]


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(item) for item in value]}}
    return {"kvlistValue": {"values": otlp(value)}}


def span(
    number: int, parent: int | None, attributes: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """A span of OTLP's JSON, a second long, beginning at its number in seconds."""
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": "span",
        "kind": 1,
        "startTimeUnixNano": str((1_763_000_000 + number) * 10**9),
        "endTimeUnixNano": str((1_763_000_001 + number) * 10**9),
        "attributes": otlp(attributes),
        **more,
    }


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    """A line of the collector's file exporter."""
    resource = {"attributes": otlp({"service.name": "bot"})}
    scoped = [{"scope": {"name": "opentelemetry.instrumentation.openai_v2"}, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scoped}]}


DOCUMENTS = [{"id": "d1", "content": FACT}, {"id": "d2", "content": OTHER}]
GENAI_INPUT = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
GENAI_OUTPUT = [
    {"role": "assistant", "parts": [{"type": "text", "content": REPLY}], "finish_reason": "stop"}
]
OTEL: Rows = [
    request(
        span(
            3, None,
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.conversation.id": "conv_5",
                "gen_ai.response.model": "gpt-4o-mini",
                "gen_ai.input.messages": json.dumps(GENAI_INPUT),
                "gen_ai.output.messages": GENAI_OUTPUT,
            },
        )
    ),
    request(
        span(
            1, None,
            {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(DOCUMENTS)},
        )
    ),
]  # fmt: skip

OPENAI: Rows = [
    {
        "id": "c1",
        "created": 1_763_000_000,
        "model": "gpt-4o-mini",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "t", "type": "function", "function": {"name": "find", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "t", "content": json.dumps(DOCUMENTS)},
            {"role": "assistant", "content": REPLY},
        ],
    }
]

_CONTEXT = {"context.trace_id": "t1", "start_time": "2026-11-16T10:00:00Z"}
OPENINFERENCE: Rows = [
    _CONTEXT
    | {
        "context.span_id": "s1",
        "parent_id": None,
        "span_kind": "CHAIN",
        "name": "query",
        "end_time": "2026-11-16T10:00:03Z",
        "attributes.openinference.span.kind": "CHAIN",
        "attributes.input.value": QUESTION,
        "attributes.output.value": REPLY,
        "attributes.session.id": "conv_5",
        "attributes.retrieval.documents": None,
    },
    _CONTEXT
    | {
        "context.span_id": "s2",
        "parent_id": "s1",
        "span_kind": "RETRIEVER",
        "name": "retrieve",
        "end_time": "2026-11-16T10:00:01Z",
        "attributes.openinference.span.kind": "RETRIEVER",
        "attributes.input.value": QUESTION,
        "attributes.output.value": None,
        "attributes.session.id": None,
        "attributes.retrieval.documents": [
            {"document.id": "d1", "document.content": FACT},
            {"document.id": "d2", "document.content": OTHER},
        ],
    },
]

_OBSERVATION = {"trace_id": "t1", "session_id": "conv_5", "environment": "default"}
LANGFUSE: Rows = [
    _OBSERVATION
    | {
        "id": "o1",
        "type": "GENERATION",
        "parent_observation_id": None,
        "start_time": "2026-11-16 10:00:01.000000",
        "end_time": "2026-11-16 10:00:02.000000",
        "provided_model_name": "gpt-4o-mini",
        "input": json.dumps({"messages": [{"role": "user", "content": QUESTION}]}),
        "output": json.dumps({"role": "assistant", "content": REPLY}),
    },
    _OBSERVATION
    | {
        "id": "o2",
        "type": "RETRIEVER",
        "parent_observation_id": None,
        "start_time": "2026-11-16 10:00:00.000000",
        "end_time": "2026-11-16 10:00:00.500000",
        "provided_model_name": None,
        "input": QUESTION,
        "output": json.dumps(DOCUMENTS),
    },
]

_RUN = {"trace_id": "r1", "session_id": "the-project", "tenant_id": "us", "error": None}
LANGSMITH: Rows = [
    _RUN
    | {
        "id": "r1",
        "name": "RAG",
        "run_type": "chain",
        "parent_run_id": None,
        "start_time": "2026-11-16T10:00:00.000000",
        "end_time": "2026-11-16T10:00:03.000000",
        "inputs": json.dumps({"question": QUESTION}),
        "outputs": json.dumps({"answer": REPLY}),
        "extra": json.dumps({"metadata": {"thread_id": "conv_5"}}),
    },
    _RUN
    | {
        "id": "r2",
        "name": "Retriever",
        "run_type": "retriever",
        "parent_run_id": "r1",
        "start_time": "2026-11-16T10:00:01.000000",
        "end_time": "2026-11-16T10:00:02.000000",
        "inputs": json.dumps({"query": QUESTION}),
        "outputs": json.dumps(
            {
                "documents": [
                    {"page_content": FACT, "metadata": {"id": "d1"}, "type": "Document"},
                    {"page_content": OTHER, "metadata": {"id": "d2"}, "type": "Document"},
                ]
            }
        ),
        "extra": json.dumps({}),
    },
]

WIZARD: Rows = [
    {
        "chosen_topic": "Lighthouse",
        "persona": "i like the sea.",
        "wizard_eval": 5,
        "dialog": [
            {
                "speaker": "0_Apprentice",
                "text": QUESTION,
                "retrieved_passages": [{"Alan Brebner": [OTHER, "He was an engineer."]}],
                "retrieved_topics": ["Alan Brebner"],
            },
            {
                "speaker": "1_Wizard",
                "text": REPLY,
                "checked_sentence": {"chosen_topic_0_0": FACT, "partner_Alan_Brebner_0": OTHER},
                "checked_passage": {"chosen_topic_0": "Lighthouse"},
                "retrieved_passages": [],
                "retrieved_topics": [],
            },
        ],
        "chosen_topic_passage": [FACT],
    }
]

LOGS = {
    "otel": OTEL,
    "openai": OPENAI,
    "openinference": OPENINFERENCE,
    "langfuse": LANGFUSE,
    "langsmith": LANGSMITH,
    "wizard": WIZARD,
}
