"""Roles of messages under the names of many programs, and the fields that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.fields.objects import first, mapping
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("messages")

_ROLES = _V.table("roles")
_KNOWN = {*_ROLES, "user", "assistant", "system", "tool"}
_CALLING = {"function_call", "tool_call"}
_SPEAKERS = _V.names("speakers")
_SAID = _V.names("said")
_CONTENTS = _V.set("contents")
TIMES = _V.names("times")
"""The names of a time, of a message or of a whole row."""


CONVERSATIONS = _V.names("conversations")
IDS = _V.names("ids")
"""The names of a conversation's id, and of a row's."""


def role_named(name: str) -> str:
    """Return the role that a name is usual for, empty if it is for none."""
    lowered = name.lower()
    return (
        lowered if lowered in {"user", "assistant", "system", "tool"} else _ROLES.get(lowered, "")
    )


def time_of(value: Mapping[str, Any]) -> Any:
    """Return the time of a message, also out of its metadata; None if it has none."""
    return first(value, *TIMES) or first(mapping(value.get("metadata")), *TIMES)


def with_role(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message whose speaker or text has another name, as in Cohere's and Microsoft's logs."""
    if "role" in value:
        own = value.keys().isdisjoint(_CONTENTS) and isinstance(value.get("message"), str)
        return {**value, "content": value["message"]} if own else value
    for name in _SPEAKERS:
        held = value.get(name)
        held = first(held, "role", "type") if isinstance(held, dict) else held
        text = first(value, *_SAID)
        if isinstance(held, str) and (held.lower() in _CALLING or _is_call(value.get("value"))):
            return {"role": "assistant", "content": "", "tool_calls": [held]}
        known = isinstance(held, str) and held.lower() in _KNOWN
        if known and isinstance(text, str | list):
            return {**value, "role": held, "content": text}
    return value


def _is_call(value: Any) -> bool:
    called = mapping(value)
    return "name" in called and bool(called.keys() & {"arguments", "parameters"})


def role_of(value: Mapping[str, Any]) -> str | None:
    """Return the role of a message under our name for it, None of an object that is no message."""
    kind = value.get("type")
    if kind == "function_call_output":
        return "tool"
    role = value.get("role", kind)
    if not isinstance(role, str) or not (value.keys() & _CONTENTS):
        return None
    return _ROLES.get(role.lower(), role.lower())
