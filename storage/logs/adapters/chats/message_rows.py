"""Logs with one message a row, as the tables of chat applications hold them, by conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from qsquared.storage.logs.adapters.chats.conversations import CONVERSATIONS, NO_REPLY, TIMES
from qsquared.storage.logs.adapters.chats.messages import (
    context_of,
    documents_beside,
    is_reply,
    marked,
    read_message,
)
from qsquared.storage.logs.adapters.texts import distinct, first, word
from qsquared.storage.logs.fields.times import moment_of

_ROLES = {"user", "assistant", "system", "tool", "function", "human", "ai", "bot"}
_READ = frozenset({"role", "content", "parts", "tool_calls", "knowledge"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    said = word(fields, "role").lower() in _ROLES and bool(fields.keys() & {"content", "parts"})
    return said and _conversation(fields) is not None and fields.get("object") is None


def _conversation(fields: Mapping[str, Any]) -> str | None:
    name = first(fields, *CONVERSATIONS)
    return str(name) if isinstance(name, str | int) else None


def _oldest_first(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of a conversation in their order, if the table lists the newest first.

    Times that go up and down, or that are missing, leave the order of the table.
    """
    times = [moment_of(first(unit.fields, *TIMES)) for unit in units]
    known = [time for time in times if time is not None]
    falls = len(known) == len(times) > 1 and known[0] > known[-1]
    return units[::-1] if falls and all(a >= b for a, b in pairwise(known)) else units


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if len(units) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    units = _oldest_first(units)
    read = [(unit, message) for unit in units if (message := read_message(unit.fields)) is not None]
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
