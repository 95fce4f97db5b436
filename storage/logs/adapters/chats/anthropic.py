"""Logs of Anthropic's Messages API: requests, responses, and conversations with their blocks.

Knowledge are the ``document`` and ``search_result`` blocks and the results of tools; of a response
without its request, the texts that it cites.
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
from qsquared.storage.logs.adapters.chats.anthropic_stream import event_in, joined_events
from qsquared.storage.logs.adapters.chats.conversations import (
    Answer,
    Conversation,
    turns_of_conversation,
)
from qsquared.storage.logs.adapters.chats.messages import Message, read_message, read_messages
from qsquared.storage.logs.adapters.texts import Passage, distinct, first, items, mapping, text_of

_BLOCKS = {"tool_use", "tool_result", "document", "search_result", "server_tool_use", "web_search_tool_result", "thinking"}  # fmt: skip
_CONSUMED = frozenset({"messages", "request", "response", "input", "output", "system", "content", "params", "result", "knowledge"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    if event_in(fields) is not None or _response(fields) is not None:
        return True
    batch = ("params", "messages"), ("result", "type")
    if "custom_id" in fields and any(inner in mapping(fields.get(outer)) for outer, inner in batch):
        return True
    blocks = [
        mapping(block).get("type")
        for message in items(_request(fields).get("messages"))
        for block in items(mapping(message).get("content"))
    ]
    return any(isinstance(kind, str) and kind in _BLOCKS for kind in blocks)


def _request(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in ("request", "params", "input", "body"):
        held = mapping(fields.get(name))
        held = mapping(held.get("body")) or mapping(held.get("params")) or held
        if "messages" in held:
            return held
    return fields


def _response(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the message that a row holds as a response, out of the envelope of a batch."""
    result = mapping(fields.get("result"))
    for held in (
        _streamed(fields.get("response")),
        mapping(fields.get("response")),
        mapping(fields.get("output")),
        mapping(result.get("message")),
        mapping(fields.get("message")),
        fields,
    ):
        body = mapping(held.get("body")) or held
        own = body.get("type") == "message" or "stop_reason" in body
        if own and body.get("role") == "assistant" and isinstance(body.get("content"), list | str):
            return body
    return None


def _streamed(value: Any) -> Mapping[str, Any]:
    """Return the message in a list of the events of a stream, an empty one for any other value."""
    events = [mapping(one) for one in items(value)]
    if not events or any(event_in(one) is None for one in events):
        return {}
    made = joined_events([LogUnit(0, dict(event_in(one) or {})) for one in events])
    return made[0].fields if made else {}


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    event = event_in(fields)
    if event is not None:
        return [LogUnit(line, dict(event), STREAM)]
    name = fields.get("custom_id")
    batch = isinstance(name, str) and bool(fields.keys() & {"params", "result"})
    return [LogUnit(line, fields, name if batch else None)]


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if units[0].group == STREAM:
        units = joined_events(units) or units[:1]
    requests = [unit for unit in units if _is_request(unit)]
    asked = requests[-1].fields if requests else {}
    found = [
        turn
        for unit in units
        if unit not in requests
        for turn in _turns_of_row(unit, asked, overrides)
    ]
    return found or [NoTurn(units[0].line, "The request of a batch stands here without a result.")]


def _is_request(unit: LogUnit) -> bool:
    """Whether a row is a request of the Message Batches API, whose result stands in another file."""
    return "params" in unit.fields and not unit.fields.keys() & {"result", "response", "output"}


def _turns_of_row(
    unit: LogUnit, asked: Mapping[str, Any], overrides: FieldOverrides
) -> list[TurnFound | NoTurn]:
    fields = unit.fields
    if "result" in fields and (reason := _unanswered(mapping(fields["result"]))):
        return [NoTurn(unit.line, reason)]
    request = _request(fields)
    if "messages" not in request:
        request = _request(asked)
    system = text_of(first(request, "system") or "")
    messages = [Message("system", system)] if system.strip() else []
    # The blocks of a text with citations are its parts, not its paragraphs.
    messages += read_messages(request.get("messages"), glue="")
    response = _response(fields)
    answer = None if response is None else _read_answer(response, messages)
    return turns_of_conversation(
        Conversation(unit.line, messages, answer, fields, _CONSUMED), overrides
    )


def _unanswered(result: Mapping[str, Any]) -> str | None:
    """Return why a result of a batch holds no message, None if it holds one."""
    kind = result.get("type")
    if kind not in {"errored", "canceled", "expired"}:
        return None
    error = mapping(result.get("error"))
    told = first(mapping(error.get("error")) or error, "type", "message")
    return f"The request of the batch was {kind}" + (f" ({str(told)[:60]})." if told else ".")


def _read_answer(response: Mapping[str, Any], asked: Sequence[Message]) -> Answer:
    message = read_message(response, glue="")
    if message is None or not message.text.strip():
        return Answer([], (), response)
    if message.calls or response.get("stop_reason") == "tool_use":
        return Answer(
            [], message.passages, response, "The response calls a tool and is no reply yet."
        )
    known = any(one.passages for one in asked) or message.passages
    return Answer([message.text], message.passages if known else _cited(response), response)


def _cited(response: Mapping[str, Any]) -> list[Passage]:
    """Return the texts that a response cites, with the titles of their documents."""
    found = []
    for block in items(response.get("content")):
        for citation in items(mapping(block).get("citations")):
            text = mapping(citation).get("cited_text")
            title = first(mapping(citation), "document_title", "title")
            url = first(mapping(citation), "url", "source")
            if isinstance(text, str) and text.strip():
                names = {"title": title, "url": url}
                named = {key: name for key, name in names.items() if isinstance(name, str)}
                found.append({"text": text.strip(), **named})
    return distinct(found)


ANTHROPIC = Adapter(
    "anthropic",
    "Anthropic Messages API, version 2023-06-01",
    _recognises,
    _split,
    _turns,
)
