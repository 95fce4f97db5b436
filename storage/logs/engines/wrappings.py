"""Wrappings of requests, responses and states, taken off so that the adapters know what is within.

Gateways and model services log a call under names of their own, such as ``request_body`` or Bedrock's
``inputBodyJson``; LangGraph wraps a state into a snapshot; Gemini calls its messages ``contents``; the tables of TruLens
and of Rasa's tracker store keep a span or an event in one column; Jaeger and Tempo have forms of their
own for the traces of OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.fields.objects import first, items, mapping
from qsquared.storage.logs.messages.roles import role_of, with_role

_REQUESTS = (
    "request_body",
    "requestBody",
    "request_json",
    "raw_request",
    "req_body",
    "model_request",
)
_RESPONSES = (
    "response_body",
    "responseBody",
    "response_json",
    "raw_response",
    "resp_body",
    "model_response",
)
_STATES = ("values", "state", "agent", "channel_values")
_STATE = {"messages", "documents", "context", "generation", "answer"}
_CONVERSATIONS = (
    "conversations",
    "conversation",
    "chat",
    "chat_messages",
    "dialogue",
    "dialog",
    "transcript",
)
_SYSTEMS = ("systemInstruction", "system_instruction")
_NAMES = {
    *_REQUESTS, *_RESPONSES, *_CONVERSATIONS, "request", "response", "input", *_STATES, "record_attributes",
    "sender_id", "trace", "spans", "contents", "candidates",
}  # fmt: skip
"""Fields without which a row has no wrapping."""


def taken_off(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the wrappings that are known; a row without any is returned as it is."""
    if _NAMES.isdisjoint(fields):
        return dict(fields)
    row = dict(fields)
    for step in (_of_state, _of_table, _of_traces, _of_conversation, _of_call, _of_gemini):
        row = step(row)
    return row


def _object(value: Any) -> Mapping[str, Any]:
    """Return an object that is no text, which would be read for nothing in each row."""
    return value if isinstance(value, Mapping) else {}


def _of_state(row: dict[str, Any]) -> dict[str, Any]:
    for outer in _STATES:
        values = _object(row.get(outer))
        if values.keys() & _STATE:
            return {**{name: held for name, held in row.items() if name != outer}, **values}
    return row


def _of_table(row: dict[str, Any]) -> dict[str, Any]:
    """Return the span or event in a row of TruLens's or Rasa's table."""
    if mapping(row.get("record_attributes")):
        return _event_of_trulens(row)
    if "sender_id" in row and "event" not in row and "event" in mapping(row.get("data")):
        return {**mapping(row["data"]), "sender_id": row["sender_id"]}
    return row


def _of_traces(row: dict[str, Any]) -> dict[str, Any]:
    """Return a trace of Tempo or Jaeger as an export request."""
    trace, spans = _object(row.get("trace")), row.get("spans")
    if isinstance(trace.get("resourceSpans"), list):
        return dict(trace)
    if isinstance(spans, list) and any("operationName" in _object(one) for one in spans):
        return {"resourceSpans": [{"scopeSpans": [{"spans": _of_jaeger(spans)}]}]}
    return row


def _of_conversation(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose messages have another name as one of messages."""
    for name in () if "messages" in row else _CONVERSATIONS:
        said = [mapping(one) for one in items(row.get(name))]
        if said and all("value" not in one and role_of(with_role(one)) for one in said):
            rest = {key: value for key, value in row.items() if key != name}
            return {**rest, "messages": row[name]}
    return row


def _of_call(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response have another name, or stand within input and output."""
    for ours, names, outer, inner in (
        ("request", _REQUESTS, "input", "inputBodyJson"),
        ("response", _RESPONSES, "output", "outputBodyJson"),
    ):
        if ours in row:
            continue
        body = _object(row.get(outer)).get(inner)
        # The chunks of a stream are a list.
        body = body if isinstance(body, list) else mapping(body)
        name = outer if body else next((one for one in names if mapping(row.get(one))), None)
        if name is not None:
            rest = {key: value for key, value in row.items() if key != name}
            row = {**rest, ours: body or mapping(row[name])}
    return row


def _of_jaeger(spans: list[Any]) -> list[dict[str, Any]]:
    """Return the spans of a trace in Jaeger's JSON as OTLP has them; times are in microseconds."""
    made = []
    for span in map(mapping, spans):
        parents = [mapping(one).get("spanID") for one in items(span.get("references"))]
        begin, length = span.get("startTime"), span.get("duration")
        begin = begin if isinstance(begin, int) else 0
        events = [_tags(mapping(log).get("fields")) for log in items(span.get("logs"))]
        made.append(
            {
                "traceId": span.get("traceID"),
                "spanId": span.get("spanID"),
                "parentSpanId": next((name for name in parents if isinstance(name, str)), ""),
                "name": span.get("operationName"),
                "startTimeUnixNano": str(begin * 1000),
                "endTimeUnixNano": str((begin + (length if isinstance(length, int) else 0)) * 1000),
                "attributes": _tags(span.get("tags")),
                "events": [
                    {"name": first(one, "event", "name"), "attributes": one} for one in events
                ],
            }
        )
    return made


def _tags(value: Any) -> dict[str, Any]:
    pairs = [mapping(one) for one in items(value)]
    return {str(pair["key"]): pair.get("value") for pair in pairs if "key" in pair}


def _event_of_trulens(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of TruLens's table of events as a span."""
    trace, record = mapping(row.get("trace")), mapping(row.get("record"))
    return {
        "name": record.get("name"),
        "trace_id": trace.get("trace_id"),
        "span_id": trace.get("span_id"),
        "parent_id": first(trace, "parent_id") or record.get("parent_span_id"),
        "start_time": row.get("start_timestamp"),
        "end_time": row.get("timestamp"),
        "attributes": dict(mapping(row["record_attributes"])),
    }


def _of_gemini(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response are those of Gemini as one of messages and choices."""
    for name in ("request", None):
        held = row if name is None else mapping(row.get(name))
        contents = items(held.get("contents"))
        if not any("parts" in mapping(one) for one in contents):
            continue
        rest = {key: value for key, value in held.items() if key not in {"contents", *_SYSTEMS}}
        system = mapping(first(held, *_SYSTEMS)).get("parts")
        asked = [{"role": "user", **mapping(one)} for one in contents]
        request = {**rest, "messages": asked, **({"system": system} if system else {})}
        row = request if name is None else {**row, name: request}
    for name in ("response", None):
        held = row if name is None else mapping(row.get(name))
        candidates = [mapping(one) for one in items(held.get("candidates"))]
        if not any(mapping(one.get("content")) for one in candidates):
            continue
        rest = {key: value for key, value in held.items() if key != "candidates"}
        response = {**rest, "choices": [_choice(one) for one in candidates]}
        row = response if name is None else {**row, name: response}
    return row


def _choice(candidate: Mapping[str, Any]) -> dict[str, Any]:
    grounding = mapping(first(candidate, "groundingMetadata", "grounding_metadata"))
    chunks = items(first(grounding, "groundingChunks", "grounding_chunks"))
    cited = [
        mapping(first(mapping(chunk), "retrievedContext", "retrieved_context")) for chunk in chunks
    ]
    message = {"role": "assistant", **mapping(candidate.get("content"))}
    return {"message": {**message, "context": {"citations": [one for one in cited if one]}}}
