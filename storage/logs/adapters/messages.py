"""Messages with roles, in the forms of chat interfaces and frameworks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qsquared.storage.logs.adapters.texts import (
    Passage,
    distinct,
    items,
    parsed,
    passages_of,
    text_of,
)

_ROLES = {
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "human": "user",
    "humanmessage": "user",
    "systemmessage": "system",
    "developer": "system",
    "toolmessage": "tool",
    "functionmessage": "function",
}
_SPOKEN = {"user", "assistant"}
_RESULTS = {"tool_call_response", "tool_result", "function_call_output"}
# Names of an application's answer that is no message.
_ANSWERS = ("output", "answer", "response", "result", "text", "content", "completion", "message")
_QUESTIONS = ("input", "question", "query", "prompt", "text", "content", "message")


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its role and text, the passages of a tool, and whether it calls tools."""

    role: str
    text: str
    passages: tuple[Passage, ...] = ()
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """An assistant's text with the history, knowledge and system prompt before it."""

    text: str
    history: list[str]
    knowledge: list[Passage]
    system: str


def read_messages(value: Any) -> list[Message]:
    """Read the messages in a value: a list of messages, one message, or a list of such lists."""
    value = parsed(value)
    if isinstance(value, Mapping):
        one = read_message(value)
        return [one] if one else read_messages(items(value))
    if not isinstance(value, list):
        return []
    if len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return [message for item in value if (message := read_message(item)) is not None]


def read_message(value: Any) -> Message | None:
    """Read one message as OpenAI, OpenTelemetry, LangChain or OpenInference writes it."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("message")
    if isinstance(inner, Mapping) and "role" in inner:
        value = inner  # OpenInference, unflattened
    kwargs = value.get("kwargs", value.get("data"))
    if isinstance(kwargs, Mapping) and "content" in kwargs:
        names = value.get("id")
        last = names[-1] if isinstance(names, list) and names else value.get("type")
        value = {"type": last, **kwargs}  # LangChain, serialised
    role = _role(value)
    if role is None:
        return None
    content = value.get("parts", value.get("content"))
    calls = bool(value.get("tool_calls") or value.get("function_call"))
    parts = content if isinstance(content, list) else []
    kinds = {part.get("type") for part in parts if _typed(part)}
    results = [
        passage
        for part in parts
        if _typed(part) and part["type"] in _RESULTS
        for passage in passages_of(_result(part))
    ]
    calls = calls or bool(kinds & {"tool_call", "tool_use", "function_call"})
    if role in {"tool", "function"} and not results:
        results = passages_of(content)
    return Message(role, text_of(content), tuple(results), calls)


def _typed(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("type"), str)


def _result(part: Mapping[str, Any]) -> Any:
    return next(
        (part[key] for key in ("response", "result", "content", "output") if key in part), ""
    )


def _role(value: Mapping[str, Any]) -> str | None:
    kind = value.get("type")
    if kind == "function_call_output":
        return "tool"
    role = value.get("role", kind)
    if not isinstance(role, str) or not (value.keys() & {"content", "parts", "tool_calls"}):
        return None
    return _ROLES.get(role.lower(), role.lower())


def replies(messages: Sequence[Message], roles: frozenset[str]) -> list[Reply]:
    """Return each text of the assistant to the user, with the history and knowledge before it.

    A message that calls a tool is a step on the way and no reply.
    Knowledge are the earlier results of tools, and texts of ``roles`` (see `FieldOverrides.roles`).
    """
    return [
        context_of(messages[:number], roles, message.text)
        for number, message in enumerate(messages)
        if message.role == "assistant" and message.text.strip() and not message.calls
    ]


def context_of(messages: Sequence[Message], roles: frozenset[str], text: str) -> Reply:
    """Return a reply with the history and knowledge in the messages before it."""
    known = [
        passage
        for message in messages
        for passage in message.passages
        or ([{"text": message.text}] if message.role in roles and message.text.strip() else [])
    ]
    return Reply(
        text,
        [m.text for m in messages if m.role in _SPOKEN and m.text.strip() and m.role not in roles],
        distinct(known),
        "\n".join(m.text for m in messages if m.role == "system" and m.text.strip()),
    )


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
