"""Spans of OpenTelemetry whose messages stand in events or log records, and calls of TruLens.

Up to 1.36 of the GenAI convention messages were events (``gen_ai.user.message``, ``gen_ai.choice``), of
a span or as log records; vector stores write the documents that they found as events, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.engines.units import OUTER, Fields, LogUnit
from qsquared.storage.logs.fields.cells import unquoted
from qsquared.storage.logs.fields.field_paths import any_value, key_values
from qsquared.storage.logs.fields.objects import first, items, mapping, parsed

_RECORD = "log record"
_IN, _OUT = "gen_ai.input.messages", "gen_ai.output.messages"
_OPERATION = "gen_ai.operation.name"
_ROLES = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool", "gen_ai.choice": "assistant", "gen_ai.content.prompt": "user",
    "gen_ai.content.completion": "assistant",
}  # fmt: skip
_DETAILS = "gen_ai.client.inference.operation.details"
_ANSWERS = {"gen_ai.choice", "gen_ai.content.completion"}
_ENTITY = (("traceloop.entity.input", "inputs"), ("traceloop.entity.output", "outputs"))


def otel_spans(fields: Fields) -> Sequence[Fields] | None:
    """Return a span with the messages of its events among its attributes, or the GenAI events of a log record."""
    if "attributes" not in fields:
        return () if OUTER in fields else None
    records = _record(fields)
    return (_with_events(fields),) if records is None else records


def _record(fields: Fields) -> Sequence[Fields] | None:
    """Return the span that a log record stands for (nothing of other events), None of a span."""
    attributes = key_values(fields.get("attributes"))
    named = first(fields, "eventName", "event_name") or attributes.get("event.name")
    if not isinstance(named, str) and not fields.keys() & {
        "body",
        "timeUnixNano",
        "observedTimeUnixNano",
    }:
        return None
    name = str(named).removeprefix("event.")
    if not name.startswith("gen_ai."):
        return ()
    body = any_value(fields.get("body")) or fields.get("body")
    conversation = attributes.get("gen_ai.conversation.id")
    trace = first(fields, "traceId", "trace_id") or conversation
    outer = {OUTER: fields[OUTER]} if OUTER in fields else {}
    event = {"name": name, "attributes": {**attributes, "body": body}}
    times = ("timeUnixNano", "observedTimeUnixNano", "timestamp", "observed_timestamp")
    return (
        {
            **outer, _RECORD: True, "traceId": trace, "spanId": first(fields, "spanId", "span_id") or str(trace),
            "startTimeUnixNano": first(fields, *times), "attributes": attributes, "events": [event],
        },
    )  # fmt: skip


def joined_records(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the spans of a trace, each with the events that log records hold of it.

    The records of a span that is not there itself become one.
    """
    if not any(_RECORD in unit.fields for unit in units):
        return units
    made: dict[str, LogUnit] = {}
    for unit in sorted(units, key=lambda one: _RECORD in one.fields):
        name = str(first(unit.fields, "spanId", "span_id"))
        held = made.get(name)
        if held is None or _RECORD not in unit.fields:
            made[name] = unit
            continue
        events = [*items(held.fields.get("events")), *unit.fields["events"]]
        more = {"endTimeUnixNano": unit.fields["startTimeUnixNano"]}
        made[name] = LogUnit(
            held.line, {**more, **held.fields, "events": events}, held.group, held.raw
        )
    return [
        LogUnit(one.line, _with_events(one.fields), one.group, one.raw) for one in made.values()
    ]


def _with_events(span: Fields) -> Fields:
    """Return a span with the messages and documents of its events, and of OpenLLMetry's functions, as attributes."""
    attributes = key_values(span.get("attributes"))
    said: dict[str, list[Any]] = {_IN: [], _OUT: []}
    documents: list[dict[str, Any]] = []
    for event in map(mapping, items(span.get("events"))):
        name, inner = event.get("name"), key_values(event.get("attributes"))
        if name == _DETAILS:
            attributes = inner | attributes
        elif isinstance(name, str) and name.startswith("db.query.result"):
            documents += _document(inner)
        elif isinstance(name, str) and name in _ROLES:
            said[_OUT if name in _ANSWERS else _IN] += _messages(_ROLES[name], inner)
    made: Fields = {key: value for key, value in said.items() if value}
    made |= {"gen_ai.retrieval.documents": documents, _OPERATION: "retrieval"} if documents else {}
    if (
        made.keys() & {_IN, _OUT} or any(key.startswith("gen_ai.completion.") for key in attributes)
    ) and _OPERATION not in made:
        made[_OPERATION] = "chat"
    for name, inner_name in _ENTITY:
        if name in attributes:
            attributes = {**attributes, name: _called(attributes[name], inner_name)}
    return {**span, "attributes": {**made, **attributes}}


def _called(value: Any, name: str) -> Any:
    """Return what a function was called with or returned, out of the object around it."""
    held = unquoted(value)
    if isinstance(held, Mapping) and name in held:
        return held[name]
    if isinstance(held, Mapping) and name == "inputs" and "args" in held:
        arguments = items(held["args"])
        return arguments[0] if arguments else mapping(held.get("kwargs"))
    return held


def _messages(role: str, inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of an event: one in its attributes or body, or the list of 1.27 held as text."""
    body = mapping(first(inner, "gen_ai.event.content", "event_body", "body"))
    held = {**inner, **body}
    message = mapping(held.get("message"))
    held = {**held, **message} if message else held
    content = first(held, "content", "gen_ai.prompt", "gen_ai.completion")
    listed = parsed(content) if "content" not in held else content
    if (
        isinstance(listed, list)
        and listed
        and all(isinstance(one, Mapping) and "role" in one for one in listed)
    ):
        return [dict(one) for one in listed]
    calls = items(held.get("tool_calls"))
    return [{"role": role, "content": content, **({"tool_calls": calls} if calls else {})}]


def _document(inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = inner.get("db.query.result.document")
    if not isinstance(text, str) or not text.strip():
        return []
    score = first(inner, "db.query.result.score", "db.query.result.distance")
    named = {"id": inner.get("db.query.result.id"), "score": score}
    return [{"text": text, **{key: name for key, name in named.items() if name is not None}}]


_RETRIEVERS = ("retriev", "get_relevant_documents", "get_context", "similarity_search", "search")


def trulens_calls(fields: Fields) -> Sequence[Fields]:
    """Return a record of TruLens with what the calls of its retriever returned as ``retrieved``."""
    record = {**fields, **mapping(fields.get("record_json"))}
    found: list[Any] = []
    for call in map(mapping, items(record.get("calls"))):
        last = mapping((items(call.get("stack")) or [None])[-1])
        named = str(mapping(last.get("method")).get("name") or last.get("path") or "").lower()
        if any(word in named for word in _RETRIEVERS) and not call.get("error"):
            found += items(mapping(call.get("rets")).get("source_nodes", call.get("rets")))
    for name, value in fields.items() if not found else ():
        # The contexts that a feedback function was called with.
        for call in map(mapping, items(value) if str(name).endswith("_calls") else ()):
            held = parsed(first(mapping(call.get("args")), "context", "contexts"))
            found += held if isinstance(held, list) else [held] if held else []
    return ({**fields, "retrieved": found} if found else fields,)
