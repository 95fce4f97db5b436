"""OpenInference spans: exports of Arize Phoenix, and the same attributes within OTLP.

Published at Arize-ai/openinference, ``spec/semantic_conventions.md``.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit, grouped_by
from qsquared.storage.logs.adapters.chats.answers import asked, retrieved_in
from qsquared.storage.logs.adapters.chats.messages import Message, read_messages
from qsquared.storage.logs.adapters.texts import (
    EMPTY,
    first,
    items,
    parsed,
    passages_of,
    without_none,
)
from qsquared.storage.logs.adapters.traces.attributes import at, nested
from qsquared.storage.logs.adapters.traces.spans import (
    KNOWS,
    OTHER,
    REPLIES,
    WRAPS,
    SpanContent,
    TraceSpan,
    kind_of,
    span_adapter,
    text,
)

_KINDS = {
    "llm": REPLIES,
    "agent": REPLIES,
    "chain": WRAPS,
    "retriever": KNOWS,
    "reranker": OTHER,
    "tool": KNOWS,
    "embedding": OTHER,
    "guardrail": OTHER,
    "evaluator": OTHER,
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
    """Return the attributes of a row of a data frame (``attributes.…``) or of an exported object."""
    columns = {
        name.removeprefix("attributes."): value
        for name, value in fields.items()
        if name.startswith("attributes.") and value is not None
    }
    own = parsed(fields.get("attributes"))
    return columns | (dict(own) if isinstance(own, Mapping) else {})


def _identity(fields: Fields, name: str) -> str | None:
    """Return the `trace_id` or `span_id` of a row."""
    context = parsed(fields.get("context"))
    context = context if isinstance(context, Mapping) else {}
    return text(first(fields, f"context.{name}", name) or context.get(name))


def _trace(fields: Fields) -> str | None:
    return _identity(fields, "trace_id")


def read_attributes(
    attributes: Mapping[str, Any], given_kind: Any = None, *, failed: bool = False
) -> SpanContent:
    """Read the content of a span from its OpenInference attributes; one that failed retrieved nothing."""
    tree = nested(attributes)
    own_kind = at(tree, "openinference.span.kind")
    kind = kind_of(given_kind if own_kind in EMPTY else own_kind, _KINDS)
    output = _unflattened(at(tree, "llm.output_messages"))
    if not read_messages(output):
        output = at(tree, "output.value")
    asked_before = _messages(at(tree, "llm.input_messages")) or asked(at(tree, "input.value"))
    documents = at(tree, "retrieval.documents") or at(tree, "reranker.output_documents")
    passages = [passage for item in items(documents) for passage in passages_of(_document(item))]
    if kind == KNOWS and not passages and not failed:
        passages = retrieved_in(at(tree, "output.value"))
    metadata = {
        "model": at(tree, "llm.model_name"),
        "user_id": at(tree, "user.id"),
        "session_id": at(tree, "session.id"),
    }
    return SpanContent(kind, output, asked_before, passages, without_none(metadata))


def _messages(value: Any) -> list[Message]:
    return read_messages(_unflattened(value))


def _unflattened(value: Any) -> Any:
    """Return messages whose fields have dotted names, as in Phoenix's data frames, as nested ones."""
    listed = items(value)
    dotted = listed and all(
        isinstance(one, Mapping) and any(str(key).startswith("message.") for key in one)
        for one in listed
    )
    return [nested(one) for one in listed] if dotted else value


def _document(item: Any) -> Any:
    if isinstance(item, Mapping):
        inner = item.get("document")
        if isinstance(inner, Mapping):
            return inner
        return {str(name).removeprefix("document."): value for name, value in item.items()}
    return item


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    flat = _flat(fields)
    failed = fields.get("status_code") == "ERROR"
    content = read_attributes(flat, fields.get("span_kind"), failed=failed)
    session = content.metadata.pop("session_id", None)
    return TraceSpan(
        unit.line,
        _trace(fields),
        _identity(fields, "span_id"),
        text(first(fields, "parent_id", "parent_span_id")),
        content.kind,
        fields.get("start_time"),
        fields.get("end_time"),
        content.output,
        content.asked,
        content.passages,
        {**fields, **flat, **nested(flat)},
        text(session),
        {**content.metadata, "span_name": fields.get("name")},
    )


OPENINFERENCE = span_adapter(
    "openinference",
    "OpenInference semantic conventions 0.1 (Arize Phoenix span exports)",
    _recognises,
    grouped_by(_trace),
    _span,
)
