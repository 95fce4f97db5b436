"""Spans of OpenTelemetry whose messages stand in events or log records, and calls of TruLens.

Up to 1.36 of the GenAI convention messages were events (``gen_ai.user.message``, ``gen_ai.choice``), of
a span or as log records; vector stores write the documents that they found as events, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.fields.embedded_values import unquoted
from qsquared.storage.logs.fields.field_paths import any_value, key_values
from qsquared.storage.logs.fields.objects import first, items, mapping, parsed, without_none
from qsquared.storage.logs.format_engines.units import OUTER, Fields, LogUnit
from qsquared.storage.logs.vocabulary import vocabulary

_RECORD = "log record"
_IN, _OUT = "gen_ai.input.messages", "gen_ai.output.messages"
_OPERATION = "gen_ai.operation.name"
_V = vocabulary("otel")
_ROLES = _V.table("roles")
_DETAILS = "gen_ai.client.inference.operation.details"
_OF_CLICKHOUSE = _V.table("of_clickhouse")
_ENTITY = {"traceloop.entity.input": "inputs", "traceloop.entity.output": "outputs"}


def otel_spans(fields: Fields) -> Sequence[Fields] | None:
    """Return a span with the messages of its events among its attributes, or the GenAI events of a log record."""
    if "operationName" in fields:
        fields = _of_jaeger(fields)
    elif "SpanAttributes" in fields:
        fields = _of_clickhouse(fields)
    elif "record_attributes" in fields:  # a row of TruLens's table of events
        fields = {**fields, "attributes": fields["record_attributes"]}
    if "attributes" not in fields:
        return () if OUTER in fields else None
    attributes = key_values(fields.get("attributes"))
    named = first(fields, "eventName", "event_name") or attributes.get("event.name")
    if not isinstance(named, str) and _V.set("of_records").isdisjoint(fields):
        return (_with_events(fields),)
    name = str(named).removeprefix("event.")
    if not name.startswith("gen_ai."):
        return ()
    body = any_value(fields.get("body")) or fields.get("body")
    trace = first(fields, "traceId", "trace_id") or attributes.get("gen_ai.conversation.id")
    made = {
        _RECORD: True,
        "traceId": trace,
        "spanId": first(fields, "spanId", "span_id") or str(trace),
        "startTimeUnixNano": first(fields, *_V.names("times")),
        "attributes": attributes,
        "events": [{"name": name, "attributes": {**attributes, "body": body}}],
    }
    return ({**made, OUTER: fields[OUTER]} if OUTER in fields else made,)


def _of_clickhouse(row: Fields) -> Fields:
    """Return a span of the table that OpenTelemetry's exporter to ClickHouse writes (``otel_traces``)."""
    named = zip(items(row.get("Events.Name")), items(row.get("Events.Attributes")), strict=False)
    events = [{"name": name, "attributes": inner} for name, inner in named]
    return {ours: row.get(theirs) for theirs, ours in _OF_CLICKHOUSE.items()} | {"events": events}


def _of_jaeger(span: Fields) -> Fields:
    """Return a span of Jaeger's JSON with its tags as attributes and its logs as events; times are in microseconds."""
    logs = [key_values(mapping(one).get("fields")) for one in items(span.get("logs"))]
    events = [{"name": first(one, "event", "name"), "attributes": one} for one in logs]
    begin, length = span.get("startTime"), span.get("duration")
    end = {"end_time": begin + length} if isinstance(begin, int) and isinstance(length, int) else {}
    return {**span, **end, "attributes": key_values(span.get("tags")), "events": events}


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
        end = {"endTimeUnixNano": unit.fields["startTimeUnixNano"]}
        made[name] = replace(held, fields={**end, **held.fields, "events": events})
    return [replace(one, fields=_with_events(one.fields)) for one in made.values()]


def _with_events(span: Fields) -> Fields:
    """Return a span with the messages and documents of its events, and of OpenLLMetry's functions, as attributes."""
    attributes = key_values(span.get("attributes"))
    said: dict[str, list[Any]] = {_IN: [], _OUT: []}
    documents: list[dict[str, Any]] = []
    for event in map(mapping, items(span.get("events"))):
        name, inner = str(event.get("name")), key_values(event.get("attributes"))
        if name == _DETAILS:
            attributes = inner | attributes
        elif name.startswith("db.query.result"):
            documents.append(_document(inner))
        elif name in _ROLES:
            said[_OUT if name in _V.set("answers") else _IN] += _messages(_ROLES[name], inner)
    made: Fields = {key: value for key, value in said.items() if value}
    if documents:
        made |= {"gen_ai.retrieval.documents": documents, _OPERATION: "retrieval"}
    elif made or any(key.startswith("gen_ai.completion.") for key in attributes):
        made[_OPERATION] = "chat"
    for name in _ENTITY.keys() & attributes.keys():
        attributes = {**attributes, name: _called(attributes[name], _ENTITY[name])}
    return {**span, "attributes": {**made, **attributes}}


def _called(value: Any, name: str) -> Any:
    """Return what a function was called with or returned, out of the object around it."""
    held = unquoted(value)
    if isinstance(held, dict) and name == "inputs" and "args" in held:
        return next(iter(items(held["args"])), held.get("kwargs"))
    return held[name] if isinstance(held, dict) and name in held else held


def _messages(role: str, inner: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of an event: one in its attributes or body, or the list of 1.27 held as text."""
    held = {**inner, **mapping(first(inner, "gen_ai.event.content", "event_body", "body"))}
    held |= mapping(held.get("message"))
    content = first(held, "content", "gen_ai.prompt", "gen_ai.completion")
    said = [dict(mapping(one)) for one in items(content)]
    if said and all("role" in one for one in said):
        return said
    called = items(held.get("tool_calls")) or None
    return [without_none({"role": role, "content": content, "tool_calls": called})]


def _document(inner: Mapping[str, Any]) -> dict[str, Any]:
    score = first(inner, "db.query.result.score", "db.query.result.distance")
    text, name = inner.get("db.query.result.document"), inner.get("db.query.result.id")
    return without_none({"text": text, "id": name, "score": score})


def trulens_calls(fields: Fields) -> Sequence[Fields]:
    """Return a record of TruLens with what the calls of its retriever returned as ``retrieved``."""
    record = {**fields, **mapping(fields.get("record_json"))}
    found: list[Any] = []
    for call in map(mapping, items(record.get("calls"))):
        last = mapping((items(call.get("stack")) or [None])[-1])
        named = str(mapping(last.get("method")).get("name") or last.get("path") or "").lower()
        if any(word in named for word in _V.names("retrievers")) and not call.get("error"):
            found += items(mapping(call.get("rets")).get("source_nodes", call.get("rets")))
    for name, value in fields.items() if not found else ():
        # The contexts that a feedback function was called with.
        for call in map(mapping, items(value) if str(name).endswith("_calls") else ()):
            held = parsed(first(mapping(call.get("args")), "context", "contexts"))
            found += held if isinstance(held, list) else [held] if held else []
    return ({**fields, "retrieved": found} if found else fields,)
