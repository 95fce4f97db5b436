"""LangSmith bulk exports: runs as Parquet (or JSON lines), in the run data format."""

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


def _split(line: int, fields: Fields, trace: str | None = None) -> list[LogUnit] | str:
    """Return a unit for a run, and one for each run within its ``child_runs``."""
    children = [mapping(child) for child in items(fields.get("child_runs"))]
    if trace is None:
        trace = _trace(fields) or (text(fields.get("id")) if children else None)
    own = {key: value for key, value in fields.items() if key != "child_runs"}
    units = [LogUnit(line, own, trace)]
    for child in children:
        held = {"parent_run_id": fields.get("id"), "trace_id": trace, **child}
        units += [unit for unit in _split(line, held, trace) if isinstance(unit, LogUnit)]
    return units


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
        retrieved_in(fields.get("outputs"))
        if kind == KNOWS and not text(fields.get("error"))
        else [],
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
    _split,
    _span,
)
