"""Turns of a conversation, from its messages and from a response that stands beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    PROMPT_MARK,
    TOO_LONG,
    FieldOverrides,
    Fields,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.chats.messages import (
    Message,
    Reply,
    context_of,
    documents_beside,
    marked,
    replies,
)
from qsquared.storage.logs.adapters.chats.roles import TIMES
from qsquared.storage.logs.adapters.texts import Passage, distinct, first

CONVERSATIONS = ("conversation_id", "conversationId", "thread_id", "threadId", "session_id", "sessionId", "chat_id", "chatId", "dialog_id", "dialogue_id", "dialogId", "ticket_id", "ticketId")  # fmt: skip
NO_MESSAGES = "The row holds no messages with roles."
NO_REPLY = "No message of the row is a text of the assistant."


@dataclass(frozen=True, slots=True)
class Answer:
    """The texts of a response (one for each choice), its passages, and its own fields.

    ``reason`` says why there is no text.
    """

    texts: Sequence[str]
    passages: Sequence[Passage] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    reason: str = "The response holds no text of the assistant."


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a row, the answer to them (None: the last ones answer), and the row's fields.

    ``consumed`` are the fields of the row that are read and need not be kept as metadata.
    """

    line: int
    messages: Sequence[Message]
    answer: Answer | None
    fields: Mapping[str, Any]
    consumed: frozenset[str]
    name: str | None = None


def turns_of_conversation(
    found: Conversation, overrides: FieldOverrides
) -> list[TurnFound | NoTurn]:
    """Return a turn for each reply of a conversation, or the reason why there is none."""
    answer = found.answer
    if answer is None and len(found.messages) ** 2 > MOST_PLACES:
        return [NoTurn(found.line, TOO_LONG)]
    beside = documents_beside(found.fields)
    if answer is None:
        answered = replies(found.messages, overrides)
        if len(answered) == 1:
            answered = [_with(answered[0], beside)]
    else:
        before = marked(found.messages, overrides)
        known = [*answer.passages, *beside]
        answered = [
            _with(context_of(before, overrides, text), known, text) for text in answer.texts
        ]
    if not answered:
        return [NoTurn(found.line, _reason(found))]
    count = len(answered)
    return [_turn(found, reply, n, count) for n, reply in enumerate(answered, start=1)]


def _with(reply: Reply, passages: Sequence[Passage], text: str | None = None) -> Reply:
    """Return a reply with further passages, and with its text if that is given."""
    return Reply(
        reply.text if text is None else text,
        reply.history,
        distinct([*reply.knowledge, *passages]),
        reply.system,
        reply.mark,
        reply.time,
    )


def _reason(found: Conversation) -> str:
    if found.fields.get("error"):
        return "The request failed, so there is no reply (see its field 'error')."
    if found.answer is not None:
        return found.answer.reason
    return NO_REPLY if found.messages else NO_MESSAGES


def _turn(found: Conversation, reply: Reply, number: int, count: int) -> TurnFound:
    fields = found.fields
    answer = found.answer.fields if found.answer is not None else {}
    metadata: Fields = {k: v for k, v in fields.items() if k not in found.consumed}
    name = found.name or first(fields, "custom_id", "id", "request_id") or answer.get("id")
    conversation = first(fields, *CONVERSATIONS)
    if answer and answer is not fields:
        metadata |= {
            k: v for k, v in answer.items() if k in {"model", "usage", "status", "stop_reason"}
        }
        metadata.setdefault("response_id", answer.get("id"))
    several = count > 1 and name is not None
    own = fields.get("knowledge")
    turn: Fields = {
        **metadata,
        "id": f"{name}#{number}" if several else name,
        "conversation_id": name if conversation is None and several else conversation,
        "turn": number if count > 1 else fields.get("turn"),
        "timestamp": reply.time or first(fields, *TIMES) or first(answer, *TIMES),
        "history": reply.history,
        "knowledge": reply.knowledge if own is None else own,
        "response": reply.text,
        **({"system": reply.system} if reply.system else {}),
        **({PROMPT_MARK: reply.mark} if reply.mark else {}),
    }
    return TurnFound(found.line, turn, fields)
