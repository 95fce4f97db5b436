"""Log records of OpenTelemetry that carry GenAI events, as the spans to which they belong.

In the logs data model an event is a record with an ``eventName`` (before it, the attribute
``event.name``), and its body or attributes hold what a span's event holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit
from qsquared.storage.logs.adapters.texts import first, items, mapping
from qsquared.storage.logs.adapters.traces.attributes import any_value, key_values

LOGS = ("resourceLogs", "resource_logs")
_RECORD = ""
"""The field of a unit that marks it as a log record."""
_EVENTS = ("gen_ai.", "event.gen_ai.")
_VALUES = {"stringValue", "kvlistValue", "arrayValue", "intValue", "boolValue", "doubleValue", "bytesValue"}  # fmt: skip


def event_of(record: Mapping[str, Any]) -> str | None:
    """Return the name of the GenAI event that a log record is, None if it is none."""
    attributes = key_values(record.get("attributes"))
    name = first(record, "eventName", "event_name") or attributes.get("event.name")
    return name if isinstance(name, str) and name.startswith(_EVENTS) else None


def units_of_logs(line: int, fields: Fields) -> list[LogUnit]:
    """Return a unit for each GenAI event among the log records of a row, which may be one itself."""
    return [
        _unit(line, record, event)
        for record in _records(fields)
        if (event := event_of(record)) is not None
    ]


def _records(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    batches = first(fields, *LOGS)
    if batches is None:
        yield fields
    for batch in items(batches):
        for scope in items(first(mapping(batch), "scopeLogs", "scope_logs")):
            for record in items(first(mapping(scope), "logRecords", "log_records")):
                yield mapping(record)


def _unit(line: int, record: Mapping[str, Any], event: str) -> LogUnit:
    attributes = key_values(record.get("attributes"))
    body = record.get("body")
    if isinstance(body, Mapping) and body.keys() & _VALUES:
        body = any_value(body)
    trace, span = (
        first(record, *names) for names in (("traceId", "trace_id"), ("spanId", "span_id"))
    )
    group = trace or attributes.get("gen_ai.conversation.id") or f"records of line {line}"
    fields = {
        _RECORD: "log",
        "traceId": trace,
        "spanId": span or str(group),
        "startTimeUnixNano": first(
            record, "timeUnixNano", "observedTimeUnixNano", "timestamp", "observed_timestamp"
        ),
        "attributes": attributes,
        "events": [
            {"name": event.removeprefix("event."), "attributes": {**attributes, "body": body}}
        ],
    }
    return LogUnit(line, fields, str(group))


def joined_records(units: Sequence[LogUnit]) -> list[LogUnit]:
    """Return the spans of a trace, each with the events that log records hold of it.

    The records of a span that is not there itself become one.
    """
    spans = [unit for unit in units if _RECORD not in unit.fields]
    places = {first(span.fields, "spanId", "span_id"): place for place, span in enumerate(spans)}
    for unit in units:
        if _RECORD not in unit.fields:
            continue
        name = unit.fields["spanId"]
        if name not in places:
            places[name] = len(spans)
            kept = {key: value for key, value in unit.fields.items() if key != _RECORD}
            spans.append(LogUnit(unit.line, kept, unit.group, unit.raw))
            continue
        place = places[name]
        held = spans[place]
        events = [*items(held.fields.get("events")), *unit.fields["events"]]
        more = {"endTimeUnixNano": unit.fields["startTimeUnixNano"]}
        fields = {**more, **held.fields, "events": events}
        spans[place] = LogUnit(held.line, fields, held.group, held.raw)
    return spans
