"""Logs of OpenAI's Chat Completions: conversations, requests with responses, Batch API files."""

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    TOO_LONG,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
    with_overrides,
)
from qsquared.storage.logs.adapters.messages import (
    Message,
    Reply,
    answers_in,
    context_of,
    read_messages,
    replies,
)
from qsquared.storage.logs.adapters.texts import first, parsed

_CONVERSATIONS = ("conversation_id", "thread_id", "session_id")
_TIMES = ("timestamp", "created", "created_at")


def _recognises(fields: Mapping[str, Any]) -> bool:
    if isinstance(parsed(fields.get("messages")), list):
        return bool(read_messages(fields["messages"]))
    if "custom_id" in fields:
        return bool(fields.keys() & {"response", "body", "error"})
    request, response = parsed(fields.get("request")), parsed(fields.get("response"))
    return bool(_messages(request)) or (isinstance(response, Mapping) and "choices" in response)


def _request_name(fields: Fields) -> str | None:
    """Return the ``custom_id``, by which requests and responses of a batch belong together."""
    name = fields.get("custom_id")
    return name if isinstance(name, str) else None


def _messages(request: Any) -> list[Message]:
    request = parsed(request)
    if not isinstance(request, Mapping):
        return []
    body = parsed(request.get("body"))
    return read_messages((body if isinstance(body, Mapping) else request).get("messages"))


def _answer(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the completion of a row, out of the envelope of a batch if it is in one."""
    response = parsed(first(fields, "response", "completion"))
    if isinstance(response, Mapping):
        body = parsed(response.get("body"))
        return body if isinstance(body, Mapping) else response
    return fields if isinstance(parsed(fields.get("choices")), list) else None


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    asked: list[Message] = []
    request: LogUnit | None = None
    found: list[TurnFound | NoTurn] = []
    for unit in units:
        if (
            _answer(unit.fields) is None
            and "error" not in unit.fields
            and "custom_id" in unit.fields
        ):
            asked, request = _messages(unit.fields), unit
    for unit in units:
        if unit is not request:
            found += _turns_of_row(unit, asked, overrides)
    if not found and request is not None:
        found.append(NoTurn(request.line, "The request of a batch stands here without a response."))
    return found


def _turns_of_row(
    unit: LogUnit, asked: Sequence[Message], overrides: FieldOverrides
) -> list[TurnFound | NoTurn]:
    fields = unit.fields
    messages = read_messages(fields.get("messages")) or _messages(fields.get("request"))
    messages = messages or list(asked)
    answer = _answer(fields)
    if answer is None and len(messages) ** 2 > MOST_PLACES:
        return [NoTurn(unit.line, TOO_LONG)]
    if answer is None:
        found_replies = replies(messages, overrides.roles)
    else:
        found_replies = [
            context_of(messages, overrides.roles, text)
            for text in answers_in(answer.get("choices"))
        ]
    if not found_replies:
        return [NoTurn(unit.line, _reason_without_reply(fields, messages, answer))]
    return [
        _turn(unit, answer or {}, reply, number, len(found_replies), overrides)
        for number, reply in enumerate(found_replies)
    ]


def _reason_without_reply(
    fields: Mapping[str, Any], messages: Sequence[Message], answer: Mapping[str, Any] | None
) -> str:
    if fields.get("error"):
        return "The request failed, so there is no reply (see its field 'error')."
    if answer is not None:
        return "The response holds no text of the assistant."
    if not messages:
        return "The row holds no messages with roles."
    return "No message of the row is a text of the assistant."


def _turn(
    unit: LogUnit,
    answer: Mapping[str, Any],
    reply: Reply,
    number: int,
    count: int,
    overrides: FieldOverrides,
) -> TurnFound:
    fields = unit.fields
    metadata = {
        key: value
        for key, value in fields.items()
        if key not in {"messages", "request", "response", "completion", "choices", "knowledge"}
    }
    name = first(fields, "custom_id", "id") or answer.get("id")
    conversation = first(fields, *_CONVERSATIONS)
    if answer and answer is not fields:
        metadata |= {key: value for key, value in answer.items() if key in {"model", "usage"}}
        metadata.setdefault("response_id", answer.get("id"))
    several = count > 1 and name is not None
    own = fields.get("knowledge")
    turn_fields = {
        **metadata,
        "id": f"{name}#{number + 1}" if several else name,
        "conversation_id": name if conversation is None and several else conversation,
        "turn": number + 1 if count > 1 else fields.get("turn"),
        "timestamp": first(fields, *_TIMES) or answer.get("created"),
        "history": reply.history,
        "knowledge": reply.knowledge if own is None else own,
        "response": reply.text,
        **({"system": reply.system} if reply.system else {}),
    }
    return TurnFound(unit.line, with_overrides(turn_fields, fields, overrides))


OPENAI = Adapter(
    "openai",
    "OpenAI Chat Completions and Batch API, objects of version 1 (chat.completion)",
    _recognises,
    grouped_by(_request_name),
    _turns,
)
