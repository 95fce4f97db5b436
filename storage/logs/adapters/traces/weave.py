"""Calls of Weights & Biases Weave, as its client, its service and its interface export them.

A call is a run of a function (an *op*), with its inputs, its output and the call that it ran within.
"""

import re
from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.adapter import Fields, LogUnit, grouped_by
from qsquared.storage.logs.adapters.chats.answers import asked, retrieved_in
from qsquared.storage.logs.adapters.texts import EMPTY, first, mapping, without_none
from qsquared.storage.logs.adapters.traces.attributes import nested
from qsquared.storage.logs.adapters.traces.spans import (
    KNOWS,
    OTHER,
    REPLIES,
    RETRIEVES,
    WRAPS,
    TraceSpan,
    kind_of,
    span_adapter,
    text,
)

_KINDS = {"llm": REPLIES, "agent": REPLIES, "tool": KNOWS, "search": KNOWS, "retriever": KNOWS, "scorer": OTHER}  # fmt: skip
_MODELS = re.compile(
    r"\b(?:completions?|messages|responses|chats?|models)\.\w*(?:create|parse|stream|complete|send|generate)\w*|"
    r"generate_content|litellm|\bChat[A-Z]\w+",
    re.IGNORECASE,
)


def _recognises(fields: Mapping[str, Any]) -> bool:
    begun = fields.keys() & {"started_at", "ended_at", "project_id"}
    return "op_name" in fields and "trace_id" in fields and bool(begun)


def _trace(fields: Fields) -> str | None:
    return text(fields.get("trace_id"))


def _name(fields: Mapping[str, Any]) -> str:
    """Return the name of a call's function, out of its address (``weave:///…/op/NAME:VERSION``)."""
    named = text(fields.get("op_name")) or ""
    return named.rsplit("/", 1)[-1].split(":")[0]


def _kind(fields: Mapping[str, Any], name: str) -> str:
    own = mapping(mapping(fields.get("attributes")).get("weave")).get("kind")
    if isinstance(own, str) and own.lower() in _KINDS:
        return kind_of(own, _KINDS)
    if _MODELS.search(name):
        return REPLIES
    return KNOWS if RETRIEVES.search(name) and text(fields.get("parent_id")) else WRAPS


def _columns(fields: Mapping[str, Any], name: str) -> Any:
    """Return a field, also out of the columns that a table has in its place (``inputs.question``)."""
    if fields.get(name) not in EMPTY:
        return fields[name]
    apart = {key: held for key, held in fields.items() if key.startswith(f"{name}.")}
    return mapping(nested(apart)).get(name) if apart else None


def _span(unit: LogUnit) -> TraceSpan:
    fields = unit.fields
    name = _name(fields)
    failed = bool(text(fields.get("exception")))
    output = None if failed else _columns(fields, "output")
    kind = _kind(fields, name)
    return TraceSpan(
        unit.line,
        _trace(fields),
        text(fields.get("id")),
        text(fields.get("parent_id")),
        kind,
        fields.get("started_at"),
        fields.get("ended_at"),
        output,
        asked(_columns(fields, "inputs")),
        retrieved_in(output) if kind == KNOWS and output is not None else [],
        {**fields, "name": name},
        text(fields.get("thread_id")),
        without_none({"op_name": name, "user_id": first(fields, "wb_user_id")}),
    )


WEAVE = span_adapter(
    "weave",
    "Weights & Biases Weave calls (call schema of 2026)",
    _recognises,
    grouped_by(_trace),
    _span,
)
