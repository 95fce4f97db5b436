"""Logs with one message a row, as the tables of chat applications hold them, by conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    PROMPT_MARK,
    TOO_LONG,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
)
from qsquared.storage.logs.adapters.chats.conversations import CONVERSATIONS, NO_REPLY, TIMES
from qsquared.storage.logs.adapters.chats.messages import (
    context_of,
    documents_beside,
    marked,
    read_message,
)
from qsquared.storage.logs.adapters.texts import distinct, first, word

_ROLES = {"user", "assistant", "system", "tool", "function", "human", "ai", "bot"}
_READ = frozenset({"role", "content", "parts", "tool_calls", "knowledge"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    said = word(fields, "role").lower() in _ROLES and bool(fields.keys() & {"content", "parts"})
    return said and _conversation(fields) is not None and fields.get("object") is None


def _conversation(fields: Mapping[str, Any]) -> str | None:
    name = first(fields, *CONVERSATIONS)
    return str(name) if isinstance(name, str | int) else None


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if len(units) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    read = [(unit, message) for unit in units if (message := read_message(unit.fields)) is not None]
    messages = marked([message for _, message in read], overrides)
    found: list[TurnFound | NoTurn] = []
    for number, (unit, message) in enumerate(read):
        if message.role != "assistant" or message.calls or not message.text.strip():
            continue
        fields = unit.fields
        reply = context_of(messages[: number + 1], overrides, message.text)
        turn: Fields = {
            **{key: value for key, value in fields.items() if key not in _READ},
            "id": first(fields, "id", "message_id", "messageId"),
            "conversation_id": unit.group,
            "turn": len(found) + 1,
            "timestamp": first(fields, *TIMES),
            "history": reply.history,
            "knowledge": distinct([*reply.knowledge, *documents_beside(fields)]),
            "response": message.text,
            **({PROMPT_MARK: reply.mark} if reply.mark else {}),
        }
        found.append(TurnFound(unit.line, turn, fields))
    return found or [NoTurn(units[0].line, NO_REPLY)]


MESSAGE_ROWS = Adapter(
    "messages",
    "One message a row (role, content), by conversation",
    _recognises,
    grouped_by(_conversation),
    _turns,
)
