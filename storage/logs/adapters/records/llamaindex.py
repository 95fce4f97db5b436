"""Responses of LlamaIndex: a text with its ``source_nodes``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.records.record import (
    NO_ANSWER,
    Record,
    answer_text,
    history_of,
    record_adapter,
    texts_in,
)
from qsquared.storage.logs.adapters.texts import Passage, first, items, mapping, passages_of

_NODES = ("source_nodes", "sourceNodes")
_QUESTIONS = ("query", "query_str", "question", "input", "message", "user_message", "user_msg")
_EARLIER = ("chat_history", "history")
_TOOLS = ("sources", "tool_calls")
_READ = frozenset({*_NODES, *_QUESTIONS, *_EARLIER, *_TOOLS, "response", "metadata"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    return bool(_holder(fields).keys() & set(_NODES)) or bool(_outputs(fields))


def _outputs(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the outputs of tools that an agent's answer lists."""
    calls = [mapping(call) for name in _TOOLS for call in items(fields.get(name))]
    outputs = [mapping(call.get("tool_output")) or call for call in calls]
    return [one for one in outputs if "raw_output" in one and "content" in one]


def _of_tools(fields: Mapping[str, Any]) -> list[Passage]:
    found: list[Passage] = []
    for one in _outputs(fields):
        nodes = first(mapping(one["raw_output"]), *_NODES)
        if not one.get("is_error"):
            found += texts_in(nodes) if nodes is not None else passages_of(one["content"])
    return found


def _holder(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object that has the nodes: the row, or its response."""
    for held in (fields, mapping(fields.get("response")), mapping(fields.get("output"))):
        if held.keys() & set(_NODES):
            return held
    return fields


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    held = _holder(fields)
    text = answer_text(first(held, "response", "answer", "text", "message"))
    if text is None:
        text = answer_text(first(fields, "response", "answer"))
    if text is None:
        return NO_ANSWER
    history = history_of(first(fields, *_QUESTIONS), items(first(fields, *_EARLIER)))
    known = texts_in(first(held, *_NODES)) or _of_tools(fields)
    return [Record(text, known, history, _READ)]


LLAMAINDEX = record_adapter(
    "llamaindex",
    "LlamaIndex 0.10 to 0.14: Response and AgentChatResponse with source_nodes",
    _recognises,
    _read,
)
