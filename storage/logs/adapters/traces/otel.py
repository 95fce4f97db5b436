"""OpenTelemetry spans and log records in OTLP's JSON encoding or as SDKs print them.

GenAI semantic conventions from 1.37 on, where messages became attributes, to 1.44; before them the
events of 1.27 to 1.36; the attributes of OpenLLMetry, TruLens, Vercel's AI SDK and OpenInference.
The conventions are published at open-telemetry/semantic-conventions-genai.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit
from qsquared.storage.logs.adapters.chats.answers import asked as input_of
from qsquared.storage.logs.adapters.chats.messages import Message, read_messages
from qsquared.storage.logs.adapters.texts import (
    first,
    has_text,
    items,
    mapping,
    parsed,
    passages_of,
    text_of,
    without_none,
)
from qsquared.storage.logs.adapters.traces.attributes import key_values, nested
from qsquared.storage.logs.adapters.traces.older_otel import (
    WORKFLOW,
    from_events,
    from_openllmetry,
)
from qsquared.storage.logs.adapters.traces.openinference import read_attributes
from qsquared.storage.logs.adapters.traces.otel_logs import (
    LOGS,
    event_of,
    joined_records,
    units_of_logs,
)
from qsquared.storage.logs.adapters.traces.other_spans import from_others
from qsquared.storage.logs.adapters.traces.spans import (
    KNOWS,
    OTHER,
    REPLIES,
    WRAPS,
    SpanContent,
    TraceSpan,
    span_adapter,
    text,
)

_OPERATIONS = {
    "chat": REPLIES,
    "text_completion": REPLIES,
    "generate_content": REPLIES,
    "invoke_agent": REPLIES,
    "invoke_workflow": REPLIES,
    "execute_tool": KNOWS,
    "retrieval": KNOWS,
}
_DETAILS = "gen_ai.client.inference.operation.details"
_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_NO_PARENT = {"", "0000000000000000"}
_PREFIXES = ("gen_ai.", "traceloop.", "ai.observability.", "ai.operationId")
_FAILED = {"2", "STATUS_CODE_ERROR", "ERROR"}


def _recognises(fields: Mapping[str, Any]) -> bool:
    if any(isinstance(fields.get(name), list) for name in (*_RESOURCES, *LOGS)):
        return True
    attributes = parsed(fields.get("attributes"))
    if fields.keys() & {"spanId", "span_id"} and isinstance(attributes, list):
        return True
    # As the console exporters of SDKs print a span.
    return isinstance(attributes, Mapping) and any(
        str(name).startswith(_PREFIXES) for name in attributes
    )


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    """Return one unit for each span of an export request (a line of the collector's file exporter)."""
    batches = first(fields, *_RESOURCES)
    if batches is None:
        if first(fields, *LOGS) is not None or event_of(fields) is not None:
            return units_of_logs(line, fields)
        if "attributes" in fields:
            return [LogUnit(line, fields, text(_field(fields, "traceId")))]
        return "The row holds no spans (no 'resourceSpans')."
    units = []
    for batch in items(batches):
        if not isinstance(batch, Mapping):
            continue
        resource = batch.get("resource")
        resource_attributes = (
            key_values(resource.get("attributes")) if isinstance(resource, Mapping) else {}
        )
        for scope in items(
            first(batch, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        ):
            for span in items(scope.get("spans")) if isinstance(scope, Mapping) else []:
                if isinstance(span, dict):
                    service = {"service": resource_attributes.get("service.name")}
                    units.append(LogUnit(line, {**span, **service}, text(_field(span, "traceId"))))
    return units or "The row holds no span."


def _field(span: Mapping[str, Any], name: str) -> Any:
    """Return a field by its JSON name, or by the name of some exporters (``trace_id``)."""
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    context = mapping(span.get("context"))
    found = first(span, name, snake)
    return first(context, name, snake) if found is None else found


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """Return the span's attributes with those of the event that may hold its messages instead."""
    found = key_values(span.get("attributes"))
    for event in items(span.get("events")):
        if isinstance(event, Mapping) and event.get("name") == _DETAILS:
            found = key_values(event.get("attributes")) | found
    return from_events(span, from_others(from_openllmetry(found)))


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    attributes = _attributes(fields)
    operation = attributes.get("gen_ai.operation.name")
    failed = str(first(mapping(fields.get("status")), "code", "status_code")) in _FAILED
    genai = isinstance(operation, str) or "gen_ai.output.messages" in attributes
    if genai or not any(name.startswith(("openinference.", "llm.")) for name in attributes):
        content = _read_genai(attributes, operation, failed=failed)
    else:
        content = read_attributes(attributes, failed=failed)
    parent = _field(fields, "parentSpanId") or fields.get("parent_id")
    conversation = first(attributes, "gen_ai.conversation.id", "session.id")
    return TraceSpan(
        unit.line,
        text(_field(fields, "traceId")),
        text(_field(fields, "spanId")),
        None if not isinstance(parent, str) or parent in _NO_PARENT else parent,
        content.kind,
        _field(fields, "startTimeUnixNano") or fields.get("start_time"),
        _field(fields, "endTimeUnixNano") or fields.get("end_time"),
        content.output,
        content.asked,
        content.passages,
        {**fields, **nested(attributes), **attributes},
        text(conversation),
        {
            **content.metadata,
            "span_name": fields.get("name"),
            **({"service": fields["service"]} if fields.get("service") else {}),
        },
    )


def _read_genai(attributes: Mapping[str, Any], operation: Any, *, failed: bool) -> SpanContent:
    kind = OTHER
    if isinstance(operation, str):
        kind = _OPERATIONS.get(operation, WRAPS if operation == WORKFLOW else OTHER)
    elif "gen_ai.output.messages" in attributes:
        kind = REPLIES
    elif "output.value" in attributes:
        kind = WRAPS
    asked = read_messages(attributes.get("gen_ai.input.messages"))
    asked = asked or input_of(attributes.get("input.value"))
    system = text_of(items(attributes.get("gen_ai.system_instructions")))
    if system:
        asked = [Message("system", system), *asked]
    # Retrieved documents may come as ids and scores alone, which are no knowledge.
    documents = items(attributes.get("gen_ai.retrieval.documents"))
    passages = [
        *passages_of([item for item in documents if has_text(item)]),
        *(passages_of(attributes.get("gen_ai.tool.call.result")) if not failed else []),
    ]
    metadata = {
        "model": first(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        "response_id": attributes.get("gen_ai.response.id"),
    }
    output = first(attributes, "gen_ai.output.messages", "output.value")
    return SpanContent(kind, output, asked, passages, without_none(metadata))


OTEL = span_adapter(
    "otel",
    "OTLP JSON 1.x with OpenTelemetry GenAI semantic conventions 1.27 to 1.44, or attributes of OpenLLMetry, TruLens or the AI SDK",
    _recognises,
    _split,
    _span,
    joined_records,
)
