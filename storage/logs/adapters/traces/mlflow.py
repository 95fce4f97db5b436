"""Traces of MLflow, one a row: ``info`` and ``data`` with spans, or the columns of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit
from qsquared.storage.logs.adapters.chats.answers import asked, retrieved_in
from qsquared.storage.logs.adapters.texts import first, items, mapping, parsed
from qsquared.storage.logs.adapters.traces.attributes import key_values
from qsquared.storage.logs.adapters.traces.spans import (
    KNOWS,
    OTHER,
    REPLIES,
    WRAPS,
    TraceSpan,
    kind_of,
    span_adapter,
    text,
)
from qsquared.storage.logs.fields.cells import unquoted

_KINDS = {
    "llm": REPLIES,
    "chat_model": REPLIES,
    "agent": REPLIES,
    "chain": WRAPS,
    "unknown": WRAPS,
    "workflow": WRAPS,
    "task": WRAPS,
    "retriever": KNOWS,
    "tool": KNOWS,
    "embedding": OTHER,
    "reranker": OTHER,
    "parser": OTHER,
    "memory": OTHER,
    "guardrail": OTHER,
    "evaluator": OTHER,
}
_SESSIONS = ("mlflow.trace.session", "mlflow.session", "session_id")
_NO_SPANS = "The trace holds no spans."


def _recognises(fields: Mapping[str, Any]) -> bool:
    return any("mlflow.spanType" in _attributes(span) for span in _spans(fields)[:3]) or (
        bool(_spans(fields)) and bool({"info", "data"} <= fields.keys())
    )


def _spans(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the spans of a trace, also out of the column ``trace`` of a data frame."""
    for held in (fields, mapping(fields.get("trace"))):
        spans = items(mapping(held.get("data")).get("spans")) or items(held.get("spans"))
        if spans:
            return [mapping(span) for span in spans]
    return []


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    held = parsed(span.get("attributes"))
    return {key: unquoted(value) for key, value in key_values(held).items()}


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    spans = _spans(fields)
    if not spans:
        return _NO_SPANS
    held = fields if "info" in fields else mapping(fields.get("trace"))
    info = mapping(held.get("info"))
    trace = text(first(info, "trace_id", "request_id") or first(fields, "trace_id", "request_id"))
    details = {
        **mapping(first(info, "trace_metadata", "request_metadata")),
        **mapping(info.get("tags")),
    }
    details |= {**mapping(fields.get("trace_metadata")), **mapping(fields.get("tags"))}
    more = {"trace": trace, "session": next((details[n] for n in _SESSIONS if n in details), None)}
    return [LogUnit(line, {**span, "": more}, trace or f"line {line}") for span in spans]


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    attributes = _attributes(fields)
    outputs = attributes.get("mlflow.spanOutputs", fields.get("outputs"))
    kind_name = attributes.get("mlflow.spanType", fields.get("span_type"))
    kind = kind_of(kind_name.strip('"') if isinstance(kind_name, str) else kind_name, _KINDS)
    context = mapping(fields.get("context"))
    state = fields.get("status")
    code = state if isinstance(state, str) else first(mapping(state), "code", "status_code")
    failed = isinstance(code, str) and code.endswith("ERROR")
    return TraceSpan(
        unit.line,
        text(mapping(fields.get("")).get("trace")),
        text(first(fields, "span_id") or context.get("span_id")),
        text(first(fields, "parent_id", "parent_span_id")),
        kind,
        first(fields, "start_time_unix_nano", "start_time", "start_time_ns"),
        first(fields, "end_time_unix_nano", "end_time", "end_time_ns"),
        outputs,
        asked(attributes.get("mlflow.spanInputs", fields.get("inputs"))),
        retrieved_in(outputs) if kind == KNOWS and not failed else [],
        {**fields, **attributes},
        text(mapping(fields.get("")).get("session")),
        {"span_name": fields.get("name")},
    )


MLFLOW = span_adapter(
    "mlflow",
    "MLflow traces 2.14 to 3.x (info and data with spans; data frames of search_traces)",
    _recognises,
    _split,
    _span,
)
