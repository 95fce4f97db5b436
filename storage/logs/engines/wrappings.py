"""Wrappings of requests, responses and states, taken off so that the formats know what is within.

Gateways and model services log a call under names of their own, such as ``request_body`` or Bedrock's
``inputBodyJson``; LangGraph wraps a state into a snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.fields.field_paths import first_name, value_at
from qsquared.storage.logs.fields.objects import items, mapping
from qsquared.storage.logs.messages.messages import read_message
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("wrappings")
_STATES, _STATE, _CONVERSATIONS = _V.names("states"), _V.set("state"), _V.names("conversations")
_BODIES = {"request": _V.names("requests"), "response": _V.names("responses")}
_NAMES = {
    *_STATES,
    *_CONVERSATIONS,
    *(first_name(path) for one in _BODIES.values() for path in one),
}
"""Fields without which a row has no wrapping."""


def taken_off(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the wrappings that are known; a row without any is returned as it is."""
    row = dict(fields)
    if not _NAMES.isdisjoint(fields):
        for step in (_of_state, _of_conversation, _of_call):
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
        if said and all("value" not in one and read_message(one) for one in said):
            return {**_without(row, name), "messages": row[name]}
    return row


def _of_call(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response have another name, or stand within input and output."""
    for ours in _BODIES.keys() - row.keys():
        found = ((path, value_at(row, path)) for path in _BODIES[ours])
        # The chunks of a stream are a list.
        bodies = ((path, body if isinstance(body, list) else mapping(body)) for path, body in found)
        if held := next((one for one in bodies if one[1]), None):
            row = {**_without(row, first_name(held[0])), ours: held[1]}
    return row
