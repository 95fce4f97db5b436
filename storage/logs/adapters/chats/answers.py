"""Answers, questions and retrieved passages of an application, however its output and input are nested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.adapters.chats.messages import (
    Message,
    read_message,
    read_messages,
)
from qsquared.storage.logs.adapters.texts import Passage, parsed, passages_of

# Names of an application's answer that is no message.
_ANSWERS = ("output", "answer", "response", "result", "text", "content", "completion", "message", "output_text", "generated_text")  # fmt: skip
_QUESTIONS = ("input", "question", "query", "prompt", "user_input", "text", "content", "message", "inputText")  # fmt: skip


def answers_in(value: Any, depth: int = 0) -> list[str]:
    """Return the answers of an application or model in a value: one text for each choice."""
    value = parsed(value)
    if isinstance(value, str):
        return [value] if value.strip() else []
    messages = read_messages(value)
    if messages:
        # A conversation ends with its answer; several messages of the model alone are choices.
        spoken = [m.text for m in messages if m.role == "assistant" and not m.calls]
        spoken = [text for text in spoken if text.strip()]
        only = all(m.role == "assistant" for m in messages)
        return spoken if only else spoken[-1:]
    return [] if depth > 6 else _answers_within(value, depth + 1)


def _answers_within(value: Any, depth: int) -> list[str]:
    """Return the answers in a list, or under one of the usual names of an object."""
    if isinstance(value, list):
        inner = [item for item in value if isinstance(item, Mapping | list)]
        return [text for item in inner for text in answers_in(item, depth)]
    if not isinstance(value, Mapping):
        return []
    for name in ("messages", "choices", "generations", *_ANSWERS, "kwargs"):
        if name in value and (found := answers_in(value[name], depth)):
            return found
    return []


def asked(value: Any, depth: int = 0) -> list[Message]:
    """Return the input of an application or model: its messages, or one text of a user."""
    value = parsed(value)
    if isinstance(value, str):
        return [Message("user", value)] if value.strip() else []
    messages = read_messages(value)
    if messages or not isinstance(value, Mapping) or depth > 6:
        return messages
    for name in ("messages", "chat_history", "history"):
        if messages := read_messages(value.get(name)):
            last = [m for key in _QUESTIONS if key in value for m in asked(value[key], depth + 1)]
            return messages + [m for m in last[:1] if m not in messages]
    for name in _QUESTIONS:
        if name in value and (messages := asked(value[name], depth + 1)):
            return messages
    return []


def retrieved_in(output: Any) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool.

    LangGraph's tools return a message of the role *tool*, as an object or serialised, under ``output``
    or in a list of messages; one that failed brings none.
    """
    held = parsed(output)
    while isinstance(held, Mapping) and len(held) == 1 and held.keys() & {"output", "messages"}:
        held = parsed(next(iter(held.values())))
    listed = held if isinstance(held, list) else [held]
    results = [read_message(one) for one in listed]
    if listed and all(one is not None and one.role in {"tool", "function"} for one in results):
        return [passage for one in results if one is not None for passage in one.passages]
    return passages_of(output)
