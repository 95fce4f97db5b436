"""Langfuse blob-storage exports: enriched observations, legacy observations, and traces.

Fields as in Langfuse's export field reference (``observations_v2``; names with capitals come from
its interface and API); as JSON lines, JSON, CSV or Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.messages import asked
from qsquared.storage.logs.adapters.spans import KNOWS, OTHER, REPLIES, WRAPS, Span, text, turns_of
from qsquared.storage.logs.adapters.texts import first, parsed, passages_of

_KINDS = {
    "GENERATION": REPLIES,
    "AGENT": REPLIES,
    "SPAN": WRAPS,
    "CHAIN": WRAPS,
    "RETRIEVER": KNOWS,
    "TOOL": KNOWS,
    "EVENT": OTHER,
    "EMBEDDING": OTHER,
    "EVALUATOR": OTHER,
    "GUARDRAIL": OTHER,
}
_TRACE = ("trace_id", "traceId")
_KEPT = ("user_id", "userId", "tags", "release", "version", "environment", "level", "name")


def _recognises(fields: Mapping[str, Any]) -> bool:
    if not fields.keys() & {"input", "output"} or "run_type" in fields:
        return False
    return bool(fields.keys() & set(_TRACE)) or {"id", "bookmarked", "public"} <= fields.keys()


def _split(line: int, fields: Fields) -> list[LogUnit]:
    return [LogUnit(line, fields, text(first(fields, *_TRACE)))]


def _span(unit: LogUnit) -> Span:
    fields = unit.fields
    kind = fields.get("type")
    role = _KINDS.get(kind.upper() if isinstance(kind, str) else "", WRAPS)
    metadata = parsed(fields.get("metadata"))
    model = first(fields, "provided_model_name", "model", "internal_model_id")
    name = text(fields.get("id"))
    trace = text(first(fields, *_TRACE))
    return Span(
        unit.line,
        # A row of the table of traces is what its observations name.
        trace or name,
        name,
        text(first(fields, "parent_observation_id", "parentObservationId")),
        role,
        first(fields, "start_time", "startTime", "timestamp"),
        first(fields, "end_time", "endTime"),
        fields.get("output"),
        asked(fields.get("input")),
        passages_of(fields.get("output")) if role == KNOWS else [],
        fields,
        text(first(fields, "session_id", "sessionId")),
        {
            **{key: fields[key] for key in _KEPT if first(fields, key) is not None},
            **({"model": model} if isinstance(model, str) else {}),
            **({"metadata": metadata} if isinstance(metadata, Mapping) and metadata else {}),
        },
    )


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    return turns_of([_span(unit) for unit in units], overrides)


LANGFUSE = Adapter(
    "langfuse",
    "Langfuse blob-storage export, observations_v2 and legacy (field reference of 2026)",
    _recognises,
    _split,
    _turns,
)
