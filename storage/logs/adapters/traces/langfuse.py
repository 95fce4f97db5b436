"""Langfuse exports: enriched observations, legacy observations, and traces with observations.

Fields as in Langfuse's export field reference (``observations_v2``; names with capitals come from
its interface and API); as JSON lines, JSON, CSV or Parquet.
A trace of the interface or the API may hold its observations as a list.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit
from qsquared.storage.logs.adapters.chats.answers import asked, retrieved_in
from qsquared.storage.logs.adapters.texts import first, items, mapping, parsed
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

_KINDS = {
    "generation": REPLIES,
    "llm": REPLIES,
    "agent": REPLIES,
    "span": WRAPS,
    "chain": WRAPS,
    "retriever": KNOWS,
    "tool": KNOWS,
    "event": OTHER,
    "embedding": OTHER,
    "evaluator": OTHER,
    "guardrail": OTHER,
}
_TRACE = ("trace_id", "traceId")
_PARENTS = (
    "parent_observation_id",
    "parentObservationId",
    "parent_span_id",
    "parentSpanId",
    "parent_id",
)
"""The names of a span's parent; the last ones are those of programs that log in the same way."""
_KEPT = ("user_id", "userId", "tags", "release", "version", "environment", "level", "name")


def _recognises(fields: Mapping[str, Any]) -> bool:
    if _observations(fields) and fields.keys() & {"input", "output", "name", "timestamp", "trace"}:
        return True
    if not fields.keys() & {"input", "output"} or "run_type" in fields:
        return False
    # A trace may name its observations by their ids alone.
    whole = {"id", "bookmarked", "public"} <= fields.keys() or {
        "id",
        "observations",
    } <= fields.keys()
    return whole or bool(fields.keys() & set(_TRACE))


def _trace(fields: Fields) -> str | None:
    return text(first(fields, *_TRACE))


def _observations(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the observations that a trace holds, also under ``trace`` beside it."""
    held = [mapping(one) for one in items(fields.get("observations"))]
    return [one for one in held if one.keys() & {"type", "input", "output"}]


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    """Return a unit for a row, and one for each observation within it."""
    observations = _observations(fields)
    if not observations:
        return [LogUnit(line, fields, _trace(fields))]
    inner = mapping(fields.get("trace"))
    whole: Fields = {**fields, **inner}
    trace = text(whole.get("id")) or f"line {line}"
    session = first(whole, "sessionId", "session_id")
    own = {key: value for key, value in whole.items() if key not in {"observations", "trace"}}
    units = [LogUnit(line, {**own, "type": "SPAN", "id": trace, "": "trace"}, trace)]
    for one in observations:
        parent = first(one, "parentObservationId", "parent_observation_id") or trace
        held = {**one, "traceId": trace, "parentObservationId": parent}
        if session is not None:
            held["sessionId"] = session
        units.append(LogUnit(line, held, trace))
    return units


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    kind = kind_of(fields.get("type"), _KINDS)
    metadata = parsed(fields.get("metadata"))
    # What a tool or retriever wrote with an error is no knowledge.
    failed = kind == KNOWS and fields.get("level") == "ERROR"
    model = first(fields, "provided_model_name", "model", "internal_model_id")
    name = text(fields.get("id"))
    return TraceSpan(
        unit.line,
        # Observations name the row of their trace by its id.
        _trace(fields) or name,
        name,
        text(first(fields, *_PARENTS)),
        OTHER if failed else kind,
        first(fields, "start_time", "startTime", "timestamp"),
        first(fields, "end_time", "endTime"),
        fields.get("output"),
        asked(fields.get("input")),
        retrieved_in(fields.get("output")) if kind == KNOWS and not failed else [],
        fields,
        text(first(fields, "session_id", "sessionId")),
        {
            **{key: fields[key] for key in _KEPT if first(fields, key) is not None},
            **({"model": model} if isinstance(model, str) else {}),
            **({"metadata": metadata} if isinstance(metadata, Mapping) and metadata else {}),
        },
    )


LANGFUSE = span_adapter(
    "langfuse",
    "Langfuse exports of blob storage, interface and API: observations_v2, legacy, traces with observations",
    _recognises,
    _split,
    _span,
)
