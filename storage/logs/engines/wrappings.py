"""Wrappings of requests, responses and states, taken off so that the formats know what is within.

Gateways and model services log a call under names of their own, such as ``request_body`` or Bedrock's
``inputBodyJson``; LangGraph wraps a state into a snapshot; Gemini calls its messages ``contents``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.fields.field_paths import first_at
from qsquared.storage.logs.fields.objects import first, items, mapping
from qsquared.storage.logs.messages.messages import role_of, with_role
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("wrappings")
_STATES, _STATE, _CONVERSATIONS = _V.names("states"), _V.set("state"), _V.names("conversations")
_BODIES = {"request": _V.names("requests"), "response": _V.names("responses")}
_WITHIN = {"request": ("input", "inputBodyJson"), "response": ("output", "outputBodyJson")}
_NAMES = {*_STATES, *_CONVERSATIONS, "input", "contents", "candidates"}.union(
    _BODIES, *_BODIES.values()
)
"""Fields without which a row has no wrapping."""
_GROUNDED = "groundingMetadata|grounding_metadata.groundingChunks|grounding_chunks[].retrievedContext|retrieved_context"


def taken_off(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the wrappings that are known; a row without any is returned as it is."""
    row = dict(fields)
    if not _NAMES.isdisjoint(fields):
        for step in (_of_state, _of_conversation, _of_call, _of_gemini):
            row = step(row)
    return row


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _of_state(row: dict[str, Any]) -> dict[str, Any]:
    for outer in _STATES:
        values = row.get(outer)
        if isinstance(values, dict) and not _STATE.isdisjoint(values):
            return {**_without(row, outer), **values}
    return row


def _of_conversation(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose messages have another name as one of messages."""
    for name in () if "messages" in row else _CONVERSATIONS:
        said = [mapping(one) for one in items(row.get(name))]
        if said and all("value" not in one and role_of(with_role(one)) for one in said):
            return {**_without(row, name), "messages": row[name]}
    return row


def _of_call(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response have another name, or stand within input and output."""
    for ours in _BODIES.keys() - row.keys():
        outer, inner = _WITHIN[ours]
        held = row.get(outer)
        body = held.get(inner) if isinstance(held, dict) else None
        # The chunks of a stream are a list.
        found = {outer: body if isinstance(body, list) else mapping(body)}
        found |= {name: mapping(row.get(name)) for name in _BODIES[ours]}
        if name := next((name for name, value in found.items() if value), ""):
            row = {**_without(row, name), ours: found[name]}
    return row


def _of_gemini(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response are those of Gemini as one of messages and choices."""
    for name, read in (("request", _asked), ("", _asked), ("response", _chosen), ("", _chosen)):
        made = read(mapping(row.get(name)) if name else row)
        if made is not None:
            row = {**row, name: made} if name else made
    return row


def _asked(held: Mapping[str, Any]) -> dict[str, Any] | None:
    contents = [mapping(one) for one in items(held.get("contents"))]
    if not any("parts" in one for one in contents):
        return None
    names = ("systemInstruction", "system_instruction")
    system = mapping(first(held, *names)).get("parts")
    messages = [{"role": "user", **one} for one in contents]
    own = {"messages": messages, **({"system": system} if system else {})}
    return {**_without(held, "contents", *names), **own}


def _chosen(held: Mapping[str, Any]) -> dict[str, Any] | None:
    candidates = [mapping(one) for one in items(held.get("candidates"))]
    if not any(mapping(one.get("content")) for one in candidates):
        return None
    choices = []
    for one in candidates:
        cited = {"citations": first_at(one, [_GROUNDED]) or []}
        message = {"role": "assistant", **mapping(one.get("content")), "context": cited}
        choices.append({"message": message})
    return {**_without(held, "candidates"), "choices": choices}
