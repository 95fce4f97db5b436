"""Roles of messages under the names of many programs, and the fields that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.texts import first, mapping

_ROLES = {
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "agent": "assistant",
    "human": "user",
    "humanmessage": "user",
    "customer": "user",
    "systemmessage": "system",
    "developer": "system",
    "toolmessage": "tool",
    "functionmessage": "function",
    "usermessage": "user",
    "apimessage": "assistant",
}
_KNOWN = {*_ROLES, "user", "assistant", "system"}
_SPEAKERS = ("sender", "speaker", "author", "from", "sender_type", "senderType")
_SAID = ("content", "text", "body", "message")
_CONTENTS = {"content", "parts", "blocks", "tool_calls", "context", "toolInvocations"}
TIMES = (
    "timestamp", "created", "created_at", "createdAt", "time", "date", "ts", "createdDate", "startTime", "start_time",
    "request_created_at", "sent_at", "sentAt",
)  # fmt: skip
"""The names of a time, of a message or of a whole row."""


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
        held = first(held, "role", "type") if isinstance(held, Mapping) else held
        text = first(value, *_SAID)
        known = isinstance(held, str) and held.lower() in _KNOWN
        if known and isinstance(text, str | list):
            return {**value, "role": held, "content": text}
    return value


def role_of(value: Mapping[str, Any]) -> str | None:
    """Return the role of a message under our name for it, None of an object that is no message."""
    kind = value.get("type")
    if kind == "function_call_output":
        return "tool"
    role = value.get("role", kind)
    if not isinstance(role, str) or not (value.keys() & _CONTENTS):
        return None
    return _ROLES.get(role.lower(), role.lower())
