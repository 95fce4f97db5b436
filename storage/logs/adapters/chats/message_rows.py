"""Logs with one message a row, as the tables of chat applications hold them, by conversation.

Rows that name no conversation are those of one, as in a file of messages that an application saved;
a message of the system begins another one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
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
from qsquared.storage.logs.adapters.chats.conversations import CONVERSATIONS, NO_REPLY
from qsquared.storage.logs.adapters.chats.messages import (
    Message,
    context_of,
    documents_beside,
    is_reply,
    marked,
    read_message,
)
from qsquared.storage.logs.adapters.chats.openai_responses import read_item
from qsquared.storage.logs.adapters.chats.roles import time_of
from qsquared.storage.logs.adapters.texts import distinct, first
from qsquared.storage.logs.fields.times import moment_of

_ROLES = {"user", "assistant", "system", "tool", "function"}
_READ = frozenset({"role", "content", "parts", "tool_calls", "knowledge", "data", "kwargs"})
_HELD = {"content", "parts", "data", "kwargs", "text", "body", "message"}
_FILE = "the file"
_NAMED_LIKE = re.compile(r"conv|thread|session|chat|ticket|dialog|channel|room", re.IGNORECASE)


def _recognises(fields: Mapping[str, Any]) -> bool:
    if fields.get("object") is not None or fields.keys().isdisjoint(_HELD):
        return False
    message = read_message(fields)
    return message is not None and message.role in _ROLES


def _message(fields: Mapping[str, Any]) -> Message | None:
    """Return the message of a row, which may be an item of OpenAI's Responses API."""
    return read_message(fields) if "role" in fields else read_item(fields)


def _conversation(fields: Mapping[str, Any]) -> str:
    name = first(fields, *CONVERSATIONS)
    return str(name) if isinstance(name, str | int) else _FILE


def _conversations(units: Sequence[LogUnit]) -> list[list[LogUnit]]:
    """Return the conversations of rows that name none by a usual name."""
    names = [name for name in units[0].fields if _NAMED_LIKE.search(name)]
    for name in names:
        values = [unit.fields.get(name) for unit in units]
        known = [str(value) for value in values if isinstance(value, str | int)]
        if len(known) == len(units) and 1 < len(set(known)) < len(units):
            groups: dict[str, list[LogUnit]] = {}
            for value, unit in zip(known, units, strict=True):
                groups.setdefault(value, []).append(replace(unit, group=value))
            return list(groups.values())
    found: list[list[LogUnit]] = [[]]
    for unit in units:
        message = _message(unit.fields)
        begins = message is not None and message.role == "system"
        if begins and any(one.fields.get("role") != unit.fields.get("role") for one in found[-1]):
            found.append([])
        found[-1].append(replace(unit, group=None))
    return found


def _oldest_first(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of a conversation in their order, if the table lists the newest first.

    Times that go up and down, or that are missing, leave the order of the table.
    """
    times = [moment_of(time_of(unit.fields)) for unit in units]
    known = [time for time in times if time is not None]
    falls = len(known) == len(times) > 1 and known[0] > known[-1]
    return units[::-1] if falls and all(a >= b for a, b in pairwise(known)) else units


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    parts = _conversations(units) if units[0].group == _FILE else [units]
    return [turn for part in parts for turn in turns_of_messages(part, overrides)]


def turns_of_messages(
    units: Sequence[LogUnit], overrides: FieldOverrides
) -> list[TurnFound | NoTurn]:
    """Return a turn for each reply among the messages of one conversation, which are a unit each."""
    if len(units) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    units = _oldest_first(units)
    read = [(unit, message) for unit in units if (message := _message(unit.fields)) is not None]
    messages = marked([message for _, message in read], overrides)
    found: list[TurnFound | NoTurn] = []
    for number, (unit, message) in enumerate(read):
        if not is_reply(messages, number):
            continue
        fields = unit.fields
        reply = context_of(messages[: number + 1], overrides, message.text)
        turn: Fields = {
            **{key: value for key, value in fields.items() if key not in _READ},
            "id": first(fields, "id", "message_id", "messageId"),
            "conversation_id": unit.group,
            "turn": len(found) + 1,
            "timestamp": time_of(fields),
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
