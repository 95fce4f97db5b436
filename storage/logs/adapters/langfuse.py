"""Langfuse blob-storage exports: enriched observations, legacy observations, and traces.

Fields as in Langfuse's export field reference (``observations_v2``; names with capitals come from
its interface and API); as JSON lines, JSON, CSV or Parquet.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit, grouped_by
from qsquared.storage.logs.adapters.messages import asked
from qsquared.storage.logs.adapters.spans import (
    KNOWS,
    OTHER,
    REPLIES,
    WRAPS,
    TraceSpan,
    kind_of,
    span_adapter,
    text,
)
from qsquared.storage.logs.adapters.texts import first, parsed, passages_of

_KINDS = {
    "generation": REPLIES,
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
_KEPT = ("user_id", "userId", "tags", "release", "version", "environment", "level", "name")


def _recognises(fields: Mapping[str, Any]) -> bool:
    if not fields.keys() & {"input", "output"} or "run_type" in fields:
        return False
    return bool(fields.keys() & set(_TRACE)) or {"id", "bookmarked", "public"} <= fields.keys()


def _trace(fields: Fields) -> str | None:
    return text(first(fields, *_TRACE))


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    kind = kind_of(fields.get("type"), _KINDS)
    metadata = parsed(fields.get("metadata"))
    model = first(fields, "provided_model_name", "model", "internal_model_id")
    name = text(fields.get("id"))
    return TraceSpan(
        unit.line,
        # Observations name the row of their trace by its id.
        _trace(fields) or name,
        name,
        text(first(fields, "parent_observation_id", "parentObservationId")),
        kind,
        first(fields, "start_time", "startTime", "timestamp"),
        first(fields, "end_time", "endTime"),
        fields.get("output"),
        asked(fields.get("input")),
        passages_of(fields.get("output")) if kind == KNOWS else [],
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
    "Langfuse blob-storage export, observations_v2 and legacy (field reference of 2026)",
    _recognises,
    grouped_by(_trace),
    _span,
)
