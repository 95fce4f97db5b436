"""Conversations in the form of ShareGPT: a list of texts, each with its speaker under ``from``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
)
from qsquared.storage.logs.adapters.chats.conversations import (
    Conversation,
    turns_of_conversation,
)
from qsquared.storage.logs.adapters.chats.messages import Message, read_message
from qsquared.storage.logs.adapters.texts import first, items, mapping, parsed

_LISTS = ("conversations", "conversation", "items")
_ROLES = {
    "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "observation": "tool", "function_response": "tool", "tool_response": "tool", "tool": "tool",
    "human": "user", "prompter": "user",
}  # fmt: skip
_CALLS = {"function_call", "tool_call"}
_CONSUMED = frozenset({*_LISTS, "system", "knowledge"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    return any(
        isinstance(mapping(said).get("from"), str) and "value" in mapping(said)
        for said in items(first(fields, *_LISTS))[:3]
    )


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    found: list[TurnFound | NoTurn] = []
    for unit in units:
        system = unit.fields.get("system")
        messages = [Message("system", system)] if isinstance(system, str) and system.strip() else []
        said = [_message(mapping(one)) for one in items(first(unit.fields, *_LISTS))]
        messages += [message for message in said if message is not None]
        conversation = Conversation(unit.line, messages, None, unit.fields, _CONSUMED)
        found += turns_of_conversation(conversation, overrides)
    return found


def _message(said: Mapping[str, Any]) -> Message | None:
    speaker = said.get("from")
    if not isinstance(speaker, str):
        return None
    if speaker.lower() in _CALLS or _is_call(said.get("value")):
        return Message("assistant", "", (), calls=True)
    return read_message(
        {"role": _ROLES.get(speaker.lower(), speaker), "content": said.get("value")}
    )


def _is_call(value: Any) -> bool:
    called = mapping(parsed(value))
    return "name" in called and bool(called.keys() & {"arguments", "parameters"})


SHAREGPT = Adapter(
    "sharegpt",
    "ShareGPT conversations (from, value), as fine-tuning tools write them in 2026",
    _recognises,
    grouped_by(lambda _: None),
    _turns,
)
