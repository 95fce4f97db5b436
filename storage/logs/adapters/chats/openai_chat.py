"""Logs of OpenAI's Chat Completions: conversations, requests with responses, Batch API files.

Azure OpenAI "on your data" writes its passages into a message's ``context``.
Any other log of messages with roles is read alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.chats.answers import answers_in
from qsquared.storage.logs.adapters.chats.conversations import (
    Answer,
    Conversation,
    turns_of_conversation,
)
from qsquared.storage.logs.adapters.chats.messages import (
    Message,
    read_message,
    read_messages,
)
from qsquared.storage.logs.adapters.chats.openai_chunks import chunks_in, is_chunk, joined_chunks
from qsquared.storage.logs.adapters.texts import EMPTY, items, mapping, parsed, text_of

_CONSUMED = frozenset({"messages", "request", "response", "completion", "choices", "knowledge", "input", "output", "body", "system"})  # fmt: skip
_FAILED = "The request failed, so there is no reply (see its field 'error')."
_UNANSWERED = "The request stands here without a response."


def _recognises(fields: Mapping[str, Any]) -> bool:
    if isinstance(parsed(fields.get("messages")), list):
        return bool(read_messages(fields["messages"]))
    if "custom_id" in fields:
        return bool(fields.keys() & {"response", "body", "error"})
    if is_chunk(fields):
        return True
    completion = _answer(fields)
    return bool(_requested(fields)) or (completion is not None and "choices" in completion)


def _group(fields: Fields) -> str | None:
    """Return the ``custom_id`` of a batch's request and response, or the id of a streamed response."""
    name = fields.get("custom_id")
    if not isinstance(name, str) and is_chunk(fields):
        name = fields.get("id")
    return name if isinstance(name, str) else None


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    return [LogUnit(line, fields, _group(fields))]


def _requested(fields: Mapping[str, Any]) -> list[Message]:
    """Return the messages of the request in a row."""
    if messages := read_messages(fields.get("messages")):
        return [*_system(fields), *messages]
    for name in ("request", "body", "input"):
        request = mapping(fields.get(name))
        request = mapping(request.get("body")) or request
        if messages := read_messages(request.get("messages")):
            return [*_system(request), *messages]
    given = parsed(fields.get("input"))
    return read_messages(given) if isinstance(given, list) else []


def _system(request: Mapping[str, Any]) -> list[Message]:
    """Return the system prompt that stands beside the messages, as Bedrock and Gemini log it."""
    system = text_of(request.get("system"))
    return [Message("system", system)] if system.strip() else []


def _answer(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the completion of a row, out of the envelope of a batch if it is in one."""
    for name in ("response", "completion", "output"):
        if name not in fields:
            continue
        if chunks := chunks_in(fields[name]):
            return joined_chunks(chunks)
        response = mapping(fields.get(name))
        response = mapping(response.get("body")) or response
        if isinstance(parsed(response.get("choices")), list) or (name == "response" and response):
            return response
    if isinstance(parsed(fields.get("choices")), list):
        return fields
    return _output(fields) if isinstance(parsed(fields.get("input")), list) else None


def _output(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the completion of a row that holds messages as its input, and a text or message as its output."""
    said = fields.get("output")
    texts = [one.text for one in read_messages(said) if one.role == "assistant" and not one.calls]
    if not texts and isinstance(said, str) and parsed(said) is said:
        texts = [said]
    return (
        {"choices": [{"message": {"role": "assistant", "content": texts[-1]}}]} if texts else None
    )


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if all(is_chunk(unit.fields) for unit in units):
        whole = LogUnit(units[0].line, joined_chunks([unit.fields for unit in units]))
        return _turns_of_row(whole, [], overrides)
    asked: list[Message] = []
    request: LogUnit | None = None
    found: list[TurnFound | NoTurn] = []
    for unit in units:
        fields = unit.fields
        if "custom_id" in fields and "error" not in fields and _answer(fields) is None:
            asked, request = _requested(fields), unit
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
    messages = _requested(fields) or list(asked)
    completion = _answer(fields)
    answer = None if completion is None else _read_answer(completion)
    if completion is None and "messages" not in mapping(fields.get("response")):
        said = fields.get("response")
        called = fields.keys() & {"request", "response", "custom_id"}
        ended = bool(messages) and messages[-1].role == "assistant" and not messages[-1].blank
        if called and said in EMPTY and not isinstance(said, str) and not ended:
            # The earlier replies in a request are turns of the rows before.
            return [NoTurn(unit.line, _FAILED if fields.get("error") else _UNANSWERED)]
        if isinstance(said, str) and parsed(said) is said and not ended:
            answer = Answer([said])
    found = Conversation(unit.line, messages, answer, fields, _CONSUMED)
    return turns_of_conversation(found, overrides)


def _read_answer(completion: Mapping[str, Any]) -> Answer:
    choices = items(completion.get("choices"))
    messages = [read_message(mapping(mapping(choice).get("message"))) for choice in choices]
    passages = [one for message in messages if message for one in message.passages]
    passages += [one for choice in choices for one in _data_passages(choice)]
    spoken = choices or completion
    return Answer(answers_in(spoken), passages, completion)


def _data_passages(choice: Any) -> list[dict[str, Any]]:
    """Return the passages of Azure's first form, in which a tool's message stands in the response."""
    found = read_messages(mapping(choice).get("messages"))
    return [one for message in found if message.role == "tool" for one in message.passages]


OPENAI = Adapter(
    "openai",
    "OpenAI Chat Completions and Batch API, objects of version 1 (chat.completion); Azure on your data",
    _recognises,
    _split,
    _turns,
)
