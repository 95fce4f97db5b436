"""OpenInference spans: exports of Arize Phoenix, and the same attributes within OTLP.

Published at Arize-ai/openinference, ``spec/semantic_conventions.md``.
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
from qsquared.storage.logs.adapters.attributes import at, nested
from qsquared.storage.logs.adapters.messages import Message, asked, read_messages
from qsquared.storage.logs.adapters.spans import KNOWS, OTHER, REPLIES, WRAPS, Span, text, turns_of
from qsquared.storage.logs.adapters.texts import Passage, first, items, parsed, passages_of

_KINDS = {
    "LLM": REPLIES,
    "AGENT": REPLIES,
    "CHAIN": WRAPS,
    "RETRIEVER": KNOWS,
    "RERANKER": OTHER,
    "TOOL": KNOWS,
    "EMBEDDING": OTHER,
    "GUARDRAIL": OTHER,
    "EVALUATOR": OTHER,
}


def _recognises(fields: Mapping[str, Any]) -> bool:
    if any(name.startswith("attributes.") for name in fields):
        return True
    attributes = parsed(fields.get("attributes"))
    if not isinstance(attributes, Mapping):
        return False
    tree = nested(attributes)
    return bool(tree.keys() & {"openinference", "llm", "retrieval"}) or "span_kind" in fields


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a row of a data frame (``attributes.…``) or of an exported object."""
    columns = {
        name.removeprefix("attributes."): value
        for name, value in fields.items()
        if name.startswith("attributes.") and value is not None
    }
    own = parsed(fields.get("attributes"))
    return columns | (dict(own) if isinstance(own, Mapping) else {})


def _trace(fields: Mapping[str, Any]) -> tuple[str | None, str | None]:
    context = parsed(fields.get("context"))
    context = context if isinstance(context, Mapping) else {}
    return (
        text(first(fields, "context.trace_id", "trace_id") or context.get("trace_id")),
        text(first(fields, "context.span_id", "span_id") or context.get("span_id")),
    )


def _split(line: int, fields: Fields) -> list[LogUnit]:
    return [LogUnit(line, fields, _trace(fields)[0])]


def read_attributes(
    attributes: Mapping[str, Any], kind: Any
) -> tuple[str, Any, list[Message], list[Passage], Fields]:
    """Kind, output, messages before it, passages and further facts of an OpenInference span."""
    tree = nested(attributes)
    kind = first({"own": at(tree, "openinference.span.kind"), "given": kind}, "own", "given")
    role = _KINDS.get(kind.upper() if isinstance(kind, str) else "", WRAPS)
    output = at(tree, "llm.output_messages")
    if not read_messages(output):
        output = at(tree, "output.value")
    before = read_messages(at(tree, "llm.input_messages")) or asked(at(tree, "input.value"))
    documents = at(tree, "retrieval.documents") or at(tree, "reranker.output_documents")
    passages = [passage for item in items(documents) for passage in passages_of(_document(item))]
    if role == KNOWS and not passages:
        passages = passages_of(at(tree, "output.value"))
    more = {
        "model": at(tree, "llm.model_name"),
        "user_id": at(tree, "user.id"),
        "session_id": at(tree, "session.id"),
    }
    return role, output, before, passages, {k: v for k, v in more.items() if v is not None}


def _document(item: Any) -> Any:
    if isinstance(item, Mapping):
        inner = item.get("document")
        if isinstance(inner, Mapping):
            return inner
        return {str(name).removeprefix("document."): value for name, value in item.items()}
    return item


def _span(unit: LogUnit) -> Span:
    fields = unit.fields
    flat = _flat(fields)
    trace, name = _trace(fields)
    kind, output, before, passages, more = read_attributes(flat, fields.get("span_kind"))
    return Span(
        unit.line,
        trace,
        name,
        text(first(fields, "parent_id", "parent_span_id")),
        kind,
        fields.get("start_time"),
        fields.get("end_time"),
        output,
        before,
        passages,
        {**fields, **flat, **nested(flat)},
        text(more.pop("session_id", None)),
        {**more, "span_name": fields.get("name")},
    )


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    return turns_of([_span(unit) for unit in units], overrides)


OPENINFERENCE = Adapter(
    "openinference",
    "OpenInference semantic conventions 0.1 (Arize Phoenix span exports)",
    _recognises,
    _split,
    _turns,
)
