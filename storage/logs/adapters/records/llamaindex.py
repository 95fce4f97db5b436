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
from qsquared.storage.logs.adapters.texts import first, items, mapping

_NODES = ("source_nodes", "sourceNodes")
_QUESTIONS = ("query", "query_str", "question", "input", "message", "user_message")
_EARLIER = ("chat_history", "history")
_READ = frozenset({*_NODES, *_QUESTIONS, *_EARLIER, "response", "metadata", "sources"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    return bool(_holder(fields).keys() & set(_NODES))


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
    return [Record(text, texts_in(first(held, *_NODES)), history, _READ)]


LLAMAINDEX = record_adapter(
    "llamaindex",
    "LlamaIndex 0.10 to 0.14: Response and AgentChatResponse with source_nodes",
    _recognises,
    _read,
)
