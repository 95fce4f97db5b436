"""LangSmith bulk exports: runs as Parquet (or JSON lines), in the run data format."""

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
from qsquared.storage.logs.adapters.texts import first, items, parsed, passages_of

_KINDS = {
    "llm": REPLIES,
    "chain": WRAPS,
    "retriever": KNOWS,
    "tool": KNOWS,
    "embedding": OTHER,
    "prompt": OTHER,
    "parser": OTHER,
}
_THREADS = ("session_id", "thread_id", "conversation_id")


def _recognises(fields: Mapping[str, Any]) -> bool:
    return "run_type" in fields and bool(fields.keys() & {"inputs", "outputs"})


def _trace(fields: Fields) -> str | None:
    return text(fields.get("trace_id"))


def _parent(fields: Mapping[str, Any]) -> str | None:
    ancestors = items(fields.get("parent_run_ids"))
    # The list goes from the root down.
    return text(fields.get("parent_run_id")) or (text(ancestors[-1]) if ancestors else None)


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    kind = kind_of(fields.get("run_type"), _KINDS)
    extra = parsed(fields.get("extra"))
    metadata = parsed(extra.get("metadata")) if isinstance(extra, Mapping) else None
    metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
    return TraceSpan(
        unit.line,
        _trace(fields),
        text(fields.get("id")),
        _parent(fields),
        kind,
        fields.get("start_time"),
        fields.get("end_time"),
        fields.get("outputs"),
        asked(fields.get("inputs")),
        passages_of(fields.get("outputs")) if kind == KNOWS else [],
        {**fields, "metadata": metadata},
        # The run's own session_id is the project.
        text(first(metadata, *_THREADS) or fields.get("thread_id")),
        {
            "run_name": fields.get("name"),
            **({"metadata": metadata} if metadata else {}),
            **({"error": fields["error"]} if text(fields.get("error")) else {}),
        },
    )


LANGSMITH = span_adapter(
    "langsmith",
    "LangSmith bulk export, run data format (as documented in 2026)",
    _recognises,
    grouped_by(_trace),
    _span,
)
