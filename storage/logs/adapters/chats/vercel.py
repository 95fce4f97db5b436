"""Logs of Vercel's AI SDK: UI messages, model messages, and results of ``generateText``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
)
from qsquared.storage.logs.adapters.chats.answers import asked
from qsquared.storage.logs.adapters.chats.conversations import (
    Answer,
    Conversation,
    turns_of_conversation,
)
from qsquared.storage.logs.adapters.chats.messages import Message, read_messages
from qsquared.storage.logs.adapters.chats.parts import read_parts
from qsquared.storage.logs.adapters.texts import first, items, mapping, text_of

_PARTS = {"tool-call", "tool-result", "tool-invocation", "dynamic-tool", "step-start", "source-url", "source-document"}  # fmt: skip
_CONSUMED = frozenset({"messages", "steps", "text", "toolResults", "toolCalls", "response", "prompt", "request", "content", "knowledge", "system"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    if isinstance(fields.get("text"), str) and (
        "finishReason" in fields or "toolResults" in fields
    ):
        return True
    return any(_is_part(part) for part in _parts(_messages(fields)))


def _messages(fields: Mapping[str, Any]) -> list[Any]:
    """Return the raw messages of a row, with those of the response."""
    given = items(fields.get("messages")) or items(mapping(fields.get("request")).get("messages"))
    return given + items(mapping(fields.get("response")).get("messages"))


def _parts(messages: Sequence[Any]) -> Iterator[Any]:
    for message in messages:
        held = mapping(message)
        if "toolInvocations" in held:
            yield {"type": "tool-invocation"}
        yield from items(first(held, "parts", "content"))


def _is_part(part: Any) -> bool:
    kind = mapping(part).get("type")
    return isinstance(kind, str) and (kind in _PARTS or kind.startswith("tool-"))


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    found: list[TurnFound | NoTurn] = []
    for unit in units:
        fields = unit.fields
        answer = None
        messages = read_messages(_messages(fields))
        if "text" in fields and not mapping(fields.get("response")).get("messages"):
            messages = _asked(fields)
            text = text_of(fields["text"])
            steps = [*items(fields.get("steps")), {"toolResults": fields.get("toolResults")}]
            results = [
                {**mapping(result), "type": "tool-result"}
                for step in steps
                for result in _results(step)
            ]
            passages = read_parts(results, tool=False).passages if results else []
            answer = Answer([text] if text.strip() else [], passages, {})
        conversation = Conversation(unit.line, messages, answer, fields, _CONSUMED)
        found += turns_of_conversation(conversation, overrides)
    return found


def _results(step: Any) -> list[Any]:
    """Return the results of tools in a step, which its content holds too in later versions."""
    held = mapping(step)
    within = [p for p in items(held.get("content")) if mapping(p).get("type") == "tool-result"]
    return items(held.get("toolResults")) or within


def _asked(fields: Mapping[str, Any]) -> list[Message]:
    system = text_of(fields.get("system"))
    said = [Message("system", system)] if system.strip() else []
    return said + _questions(fields)


def _questions(fields: Mapping[str, Any]) -> list[Message]:
    messages = read_messages(_messages(fields))
    return messages or asked(first(fields, "prompt", "input") or mapping(fields.get("request")))


VERCEL = Adapter(
    "vercel",
    "Vercel AI SDK 4 to 6: UIMessage, ModelMessage, results of generateText",
    _recognises,
    grouped_by(lambda _: None),
    _turns,
)
