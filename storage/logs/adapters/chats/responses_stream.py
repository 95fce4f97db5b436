"""Streams of the Responses API that broke off, read from what came before the break.

The last event of a whole stream holds the response, and is read on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import STREAM, Fields, LogUnit
from qsquared.storage.logs.adapters.texts import items, mapping, word

ENDS = {"response.completed", "response.incomplete", "response.failed"}
_BEGINS = "response.created"
_DONE = "response.output_item.done"
_DELTA = "response.output_text.delta"


def event_in(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the event of a stream that a row is or holds as ``data``, None if it is none."""
    for held in (fields, mapping(fields.get("data"))):
        if word(held, "type").startswith("response."):
            return held
    return None


def response_in(events: Sequence[Any]) -> Mapping[str, Any]:
    """Return the response that a list of the events of one stream makes, an empty one if none."""
    found = [event_in(mapping(one)) for one in events]
    held = [one for one in found if one is not None]
    if not held or len(held) < len(found):
        return {}
    ended = [mapping(one.get("response")) for one in held if one.get("type") in ENDS]
    units = [unit for one in held for unit in units_of_event(0, dict(one))]
    broken = broken_off([unit for unit in units if unit.group is not None])
    return ended[-1] if ended else broken[0].fields if broken else {}


def units_of_event(line: int, event: Fields) -> list[LogUnit]:
    """Return the response of an event that ends a stream, and as much of others as a break needs."""
    kind, whole = event.get("type"), mapping(event.get("response"))
    if kind in ENDS and whole:
        names = [mapping(item).get("id") for item in items(whole.get("output"))]
        ended: Fields = {"type": kind, "ended": names}
        return [LogUnit(line, dict(whole)), LogUnit(line, ended, STREAM)]
    if kind == _BEGINS:
        kept = {key: whole.get(key) for key in ("id", "created_at", "model", "instructions")}
        return [LogUnit(line, {"type": kind, "response": kept}, STREAM)]
    if kind == _DONE:
        return [LogUnit(line, {"type": kind, "item": event.get("item")}, STREAM)]
    if kind == _DELTA:
        held: Fields = {key: event.get(key) for key in ("type", "item_id", "delta")}
        return [LogUnit(line, held, STREAM)]
    return []


def broken_off(units: Sequence[LogUnit]) -> list[LogUnit]:
    """Return a response for each stream without an end: the items that were done, and the texts."""
    ended = {str(name) for unit in units for name in items(unit.fields.get("ended"))}
    found: list[tuple[LogUnit, dict[str, Any], dict[str, dict[str, Any]]]] = []
    for unit in units:
        event = unit.fields
        if event.get("type") == _BEGINS or not found:
            begun = dict(mapping(event.get("response")))
            found.append((unit, {"object": "response", "status": "incomplete", **begun}, {}))
        output = found[-1][2]
        if "ended" in event:
            output.pop("None", None)  # texts that name no item
        item, name = mapping(event.get("item")), str(event.get("item_id"))
        if event.get("type") == _DONE and str(item.get("id")) not in ended:
            output[str(item.get("id"))] = dict(item)
        elif event.get("type") == _DELTA and name not in ended:
            message = output.setdefault(name, _message(name))
            message["content"][0]["text"] += str(event.get("delta") or "")
    return [
        LogUnit(unit.line, {**response, "output": list(output.values())}, None, unit.raw)
        for unit, response, output in found
        if output
    ]


def _message(name: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": "", "annotations": []}
    return {"id": name, "type": "message", "role": "assistant", "content": [part]}
