"""Events of a stream of Anthropic's Messages API, joined to the messages that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import LogUnit
from qsquared.storage.logs.adapters.texts import items, mapping, word

_EVENTS = {
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "message_stop", "ping",
}  # fmt: skip


def event_in(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the event of a stream that a row is or holds as ``data``, None if it is none."""
    for held in (fields, mapping(fields.get("data"))):
        if word(held, "type") in _EVENTS:
            return held
    return None


def joined_events(units: Sequence[LogUnit]) -> list[LogUnit]:
    """Return one unit for each message that begins among the events, with what came of it."""
    messages: list[tuple[LogUnit, dict[str, Any], dict[Any, dict[str, Any]]]] = []
    for unit in units:
        event = unit.fields
        if event.get("type") == "message_start":
            messages.append((unit, dict(mapping(event.get("message"))), {}))
        elif messages:
            _, message, blocks = messages[-1]
            _add(event, message, blocks)
    return [
        LogUnit(unit.line, {**message, "content": list(blocks.values())}, unit.group, unit.raw)
        for unit, message, blocks in messages
    ]


def _add(
    event: Mapping[str, Any], message: dict[str, Any], blocks: dict[Any, dict[str, Any]]
) -> None:
    place = event.get("index")
    place = place if isinstance(place, int) else len(blocks)
    delta = mapping(event.get("delta"))
    match event.get("type"):
        case "content_block_start":
            blocks[place] = dict(mapping(event.get("content_block")))
        case "content_block_delta":
            block = blocks.setdefault(place, {"type": "text"})
            piece, citation = delta.get("text"), delta.get("citation")
            if isinstance(piece, str):
                before = block.get("text")
                block["text"] = (before if isinstance(before, str) else "") + piece
            if citation is not None:
                block["citations"] = [*items(block.get("citations")), citation]
        case "message_delta":
            message.update(delta)
