"""Logs of OpenAI's Responses API: response objects, with or without their requests, and its items.

Knowledge are the results of file search, of functions and of other hosted tools.
A stream is read by its last event, which holds the whole response, and without one by the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    STREAM,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.chats.conversations import (
    Answer,
    Conversation,
    turns_of_conversation,
)
from qsquared.storage.logs.adapters.chats.messages import Message, read_message
from qsquared.storage.logs.adapters.chats.responses_stream import (
    broken_off,
    event_in,
    response_in,
    units_of_event,
)
from qsquared.storage.logs.adapters.texts import first, items, mapping, passages_of, word
from qsquared.storage.logs.fields.emptiness import is_failure

_TOOLS = {
    "file_search_call": "results",
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "mcp_call": "output",
    "code_interpreter_call": "outputs",
    "local_shell_call_output": "output",
}
_ITEMS = {
    *_TOOLS,
    "function_call",
    "custom_tool_call",
    "reasoning",
    "web_search_call",
    "mcp_list_tools",
}
_CONSUMED = frozenset({"request", "response", "input", "output", "items", "data", "body", "instructions", "knowledge"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    event = event_in(fields)
    if event is not None and event.keys() & {"sequence_number", "response", "delta", "item"}:
        return True
    response = _response(fields)
    if response is not None:
        return True
    given = items(first(fields, "items", "input", "data"))
    return any(word(mapping(item), "type") in _ITEMS or _typed(mapping(item)) for item in given)


def _typed(item: Mapping[str, Any]) -> bool:
    """Whether an item is a message of the Responses API by the types of its parts."""
    kinds = [word(mapping(part), "type") for part in items(item.get("content"))]
    return item.get("type") == "message" and bool(set(kinds) & {"input_text", "output_text"})


def _response(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the response object of a row, None if it has none."""
    for held in (
        response_in(items(fields.get("response"))),
        mapping(fields.get("response")),
        mapping(fields.get("output")),
        fields,
    ):
        body = mapping(held.get("body")) or held
        output = items(body.get("output"))
        known = body.get("object") == "response" or any(
            word(mapping(item), "type") in {*_ITEMS, "message"} for item in output
        )
        if known and (output or body.get("object") == "response"):
            return body
    return None


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    event = event_in(fields)
    return [LogUnit(line, fields)] if event is None else units_of_event(line, dict(event))


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if units[0].group == STREAM:
        units = broken_off(units)
    return [turn for unit in units for turn in _turns_of_row(unit, overrides)]


def _turns_of_row(unit: LogUnit, overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    fields = unit.fields
    response = _response(fields)
    request = mapping(fields.get("request"))
    request = mapping(request.get("body")) or request or mapping(fields.get("body")) or fields
    messages = _system(request, response or {}) + _in_order(
        read_items(first(request, "input", "items", "data"))
    )
    if response is None:
        found = Conversation(unit.line, messages, None, fields, _CONSUMED)
        return turns_of_conversation(found, overrides)
    answer = _read_answer(response)
    found = Conversation(unit.line, messages, answer, fields, _CONSUMED)
    return turns_of_conversation(found, overrides)


def _in_order(messages: list[Message]) -> list[Message]:
    """Return the messages of a conversation, whose lists may begin with the newest one."""
    spoken = [message.role for message in messages if message.role in {"user", "assistant"}]
    newest_first = len(spoken) > 1 and spoken[0] == "assistant" and spoken[-1] == "user"
    return messages[::-1] if newest_first else messages


def _system(request: Mapping[str, Any], response: Mapping[str, Any]) -> list[Message]:
    said = first(request, "instructions") or response.get("instructions")
    if isinstance(said, str) and said.strip():
        return [Message("system", said)]
    return read_items(said) if isinstance(said, list) else []


def read_items(value: Any) -> list[Message]:
    """Read the items of an input or an output: a user's text, messages, and results of tools."""
    if isinstance(value, str) and value.strip() and not items(value):
        return [Message("user", value)]
    found = [read_item(mapping(item)) for item in items(value)]
    return [message for message in found if message is not None]


def read_item(item: Mapping[str, Any]) -> Message | None:
    """Read one item: a message, or the result of a tool as a message of it."""
    kind = item.get("type")
    if isinstance(kind, str) and kind in _TOOLS:
        failed = item.get("error") or word(item, "status") in {"failed", "incomplete"}
        value = item.get(_TOOLS[kind])
        passages = [] if failed or is_failure(value) else passages_of(value)
        return Message("tool", "", tuple(passages))
    return read_message({**item, "type": "message"} if "role" in item else item)


def _read_answer(response: Mapping[str, Any]) -> Answer:
    output = [mapping(item) for item in items(response.get("output"))]
    kinds = [word(item, "type") for item in output]
    passages = [one for item in output if (m := read_item(item)) for one in m.passages]
    spoken_last = kinds[-1:] == ["message"]
    if not spoken_last and {"function_call", "custom_tool_call"}.intersection(kinds):
        return Answer([], passages, response, "The response calls a function and is no reply yet.")
    working = {*_TOOLS, "function_call", "custom_tool_call"}
    last_tool = max((n for n, kind in enumerate(kinds) if kind in working), default=-1)
    spoken = [
        message.text
        for item in output[last_tool + 1 :]
        if item.get("type") == "message" and (message := read_item(item)) and message.text.strip()
    ]
    if not spoken and (error := mapping(response.get("error"))):
        reason = f"The response failed ({str(error.get('code') or error.get('message'))[:60]})."
        return Answer([], passages, response, reason)
    return Answer(["\n".join(spoken)] if spoken else [], passages, response)


RESPONSES = Adapter(
    "responses",
    "OpenAI Responses API, objects of version 1 (response)",
    _recognises,
    _split,
    _turns,
)
