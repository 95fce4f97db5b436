"""Answers, questions and retrieved passages of an application, however its output and input are nested.

A conversation may be one text, with who speaks in lines or in the marks of a model's template.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.fields.emptiness import is_failure
from qsquared.storage.logs.fields.field_paths import first_at
from qsquared.storage.logs.fields.objects import (
    Passage,
    distinct,
    first,
    items,
    mapping,
    parsed,
    passages_of,
    text_of,
    word,
)
from qsquared.storage.logs.messages.event_streams import joined_stream
from qsquared.storage.logs.messages.messages import (
    TOOL_ITEMS,
    Message,
    read_message,
    read_messages,
    role_named,
)
from qsquared.storage.logs.messages.parts import grounds_of
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("messages")

# Names of an application's answer that is no message.
_QUESTIONS = _V.names("questions")
_SPEAKER = re.compile(
    r"(?:<\|\w+\|>\s*)+(?P<marked>[a-z]+)(?:<\|\w+\|>|\n)"
    r"|^[ \t]*(?:\[[^\[\]\n]{1,40}\][ \t]*)?\**(?P<name>[^\W\d_]{2,20})(?:[ \t]*\([^()\n]{1,40}\))?\**:\**(?=\s)",
    re.MULTILINE,
)
"""A name between the marks of a model's template, or before a colon at the beginning of a line, perhaps bold."""
_LAST_MARKS = re.compile(r"(?:<\|\w+\|>\s*)+\Z")
_CALLS = {"function_call", "custom_tool_call"}
_MOST_DEPTH = 6
_NULL = "null"
"""The text of an answer that there is not, by a program which writes values as JSON."""
_NONE = {"", _NULL}
_FENCES = re.compile(r"\A```(?:json)?|```\Z")
_FAILED = re.compile(
    r"\w*(?:error|exception|timeout)(?: code)?\s*[:(]|\btimed out\b", re.IGNORECASE
)
"""The error that a program states in place of a reply."""
_OF_CLIENT = re.compile(r"\s*Error code: [45]\d\d - \{")
"""The begin of an error as the clients of OpenAI and Anthropic print it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The texts of a response (one for each choice), its passages, and its own fields.

    ``reason`` says why there is no text; ``plain`` says that the response is a text and no object.
    """

    texts: Sequence[str]
    passages: Sequence[Passage] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    plain: bool = False


def read_answer(value: Any, before: Sequence[Message], glue: str = "\n") -> Answer | None:
    """Read a response: a text, a message, choices, items of the Responses API, or a stream of events.

    Returns None for a value that is no response, such as an empty one or a conversation.
    """
    held = joined_stream(value)
    if isinstance(held, str) and _OF_CLIENT.match(held):
        return Answer([], reason="The request failed, so there is no reply.")
    if isinstance(held, str):
        return Answer([held], plain=True) if held.strip() != _NULL else None
    if isinstance(held, list) and not any("type" in mapping(one) for one in held):
        texts = [one if isinstance(one, str) else _text_of(one) for one in held]
        # A step that calls a tool says nothing, beside the reply.
        spoken = [text for text in texts if text.strip()]
        return Answer(spoken) if spoken else None
    return _of_object(held, before, glue) if isinstance(held, dict) and held else None


def _of_object(held: Mapping[str, Any], before: Sequence[Message], glue: str) -> Answer | None:
    body = mapping(held.get("body")) or held
    choices = parsed(body.get("choices", body.get("candidates")))
    if isinstance(choices, list):
        return _of_choices(body, choices)
    output = [mapping(item) for item in items(body.get("output"))]
    kinds = {word(item, "type") for item in output}
    if body.get("object") == "response" or kinds & {*TOOL_ITEMS, *_CALLS, "message"}:
        return _of_items(body, output)
    if body.get("role") is not None or body.get("type") == "message":
        return _of_message(body, before, glue)
    texts = [] if "messages" in body else answers_in(body)
    return Answer(texts, (), body) if texts else None


def _text_of(value: Any) -> str:
    """Return the text of a reply that is a message, also of Haystack's, whose fields begin with ``_``."""
    held = mapping(value)
    held = mapping(held.get("init_parameters")) or held
    return text_of(first(held, "_content", "content")) or next(iter(answers_in(held)), "")


def _of_choices(body: Mapping[str, Any], choices: Sequence[Any]) -> Answer:
    held = [first(mapping(choice), "message", "content") for choice in choices]
    messages = [read_message(mapping(one)) for one in held]
    # In Azure's first form a tool's message stands in the response.
    beside = [one for choice in choices for one in read_messages(mapping(choice).get("messages"))]
    messages += [one for one in beside if one.role == "tool"]
    passages = [one for message in messages if message for one in message.passages]
    passages += [one for choice in choices for one in grounds_of(mapping(choice))]
    return Answer(answers_in(choices or body), passages, body)


def _of_items(body: Mapping[str, Any], output: Sequence[Mapping[str, Any]]) -> Answer:
    kinds = [word(item, "type") for item in output]
    passages: list[Passage] = []
    spoken: list[str] = []
    for kind, message in zip(kinds, map(read_message, output), strict=True):
        passages += message.passages if message else ()
        if kind in TOOL_ITEMS or kind in _CALLS:
            spoken = []
        elif kind == "message" and message and message.text.strip():
            spoken.append(message.text)
    if kinds[-1:] != ["message"] and _CALLS.intersection(kinds):
        return Answer([], passages, body, "The response calls a function and is no reply yet.")
    error, reason = mapping(body.get("error")), "The response holds no text of the assistant."
    if error:
        reason = f"The response failed ({str(error.get('code') or error.get('message'))[:60]})."
    return Answer(["\n".join(spoken)] if spoken else [], passages, body, reason)


def _of_message(body: Mapping[str, Any], before: Sequence[Message], glue: str) -> Answer | None:
    message = read_message(body, glue)
    if message is None or message.role != "assistant":
        return None
    if message.calls or body.get("stop_reason") == "tool_use":
        return Answer([], message.passages, body, "The response calls a tool and is no reply yet.")
    if not message.text.strip():
        return Answer([], (), body, "The response holds no text of the assistant.")
    known = any(one.passages for one in before) or message.passages
    return Answer([message.text], message.passages if known else _cited(body), body)


def _cited(response: Mapping[str, Any]) -> list[Passage]:
    """Return the texts that a response cites, with the titles of their documents."""
    found = []
    for one in map(mapping, first_at(response, ["content[].citations[]"]) or ()):
        names = {"title": first(one, "document_title", "title"), "url": first(one, "url", "source")}
        named = {key: name for key, name in names.items() if isinstance(name, str)}
        found.append({"text": word(one, "cited_text").strip(), **named})
    return distinct(one for one in found if one["text"])


def answers_in(value: Any, depth: int = 0) -> list[str]:
    """Return the answers of an application or model in a value: one text for each choice."""
    value = parsed(value)
    if isinstance(value, str):
        return [value] if value.strip() not in _NONE else []
    messages = read_messages(value)
    if messages:
        # A conversation ends with its answer; several messages of the model alone are choices.
        own = [m for m in messages if m.role == "assistant"]
        spoken = [m.text for m in own if m.text.strip() and not m.calls]
        return spoken if len(own) == len(messages) else spoken[-1:]
    if depth > _MOST_DEPTH:
        return []
    if isinstance(value, list):
        inner = [item for item in value if isinstance(item, dict | list)]
        return [text for item in inner for text in answers_in(item, depth + 1)]
    named = ("messages", "choices", "generations", *_V.names("answers"), "kwargs")
    held = (value[name] for name in named if name in value) if isinstance(value, dict) else ()
    return next(filter(None, (answers_in(one, depth + 1) for one in held)), [])


def asked(value: Any, depth: int = 0) -> list[Message]:
    """Return the input of an application or model: its messages, or one text of a user."""
    value = parsed(value)
    if isinstance(value, str):
        return [Message("user", value)] if value.strip() else []
    messages = read_messages(value)
    if messages or not isinstance(value, dict) or depth > _MOST_DEPTH:
        return messages
    for name in ("messages", "chat_history", "history"):
        if messages := read_messages(value.get(name)):
            last = [m for key in _QUESTIONS if key in value for m in asked(value[key], depth + 1)]
            return messages + [m for m in last[:1] if m not in messages]
    held = (asked(value[name], depth + 1) for name in _QUESTIONS if name in value)
    return next(filter(None, held), [])


def earlier(value: Any) -> list[Message]:
    """Return the texts of a conversation before a question: messages, texts, or pairs of texts."""
    found: list[Message] = []
    for item in items(value):
        for number, one in enumerate(item if isinstance(item, list) else [item]):
            role = "assistant" if number % 2 else "user"
            found += [Message(role, one)] if isinstance(one, str) else read_messages([one])
    return found


def retrieved_in(output: Any) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool.

    LangGraph's tools return a message of the role *tool*, as an object or serialised, under ``output``
    or in a list of messages; one that failed brings none.
    """
    held = parsed(output)
    while isinstance(held, dict) and len(held) == 1 and held.keys() & {"output", "messages"}:
        held = parsed(next(iter(held.values())))
    listed = held if isinstance(held, list) else [held]
    results = [read_message(one) for one in listed]
    if listed and all(one is not None and one.role in {"tool", "function"} for one in results):
        return [passage for one in results if one is not None for passage in one.passages]
    return passages_of(output)


def read_said(value: Any, glue: str = "\n") -> list[Message]:
    """Read the messages in a value, also those of a transcript."""
    return read_transcript(value) if isinstance(value, str) else read_messages(value, glue)


def read_transcript(text: str) -> list[Message]:
    """Read the messages in a text that begins with a speaker; none unless a user and an assistant speak.

    A name that is usual for no role begins no message.
    """
    named = [(one, role_named(one["marked"] or one["name"])) for one in _SPEAKER.finditer(text)]
    found = [one for one, role in named if role]
    roles = [role for _, role in named if role]
    if not {"user", "assistant"} <= set(roles) or text[: found[0].start()].strip():
        return read_messages(text)
    ends = [*(one.start() for one in found[1:]), len(text)]
    parts = (text[one.end() : end] for one, end in zip(found, ends, strict=True))
    said = (_LAST_MARKS.sub("", part).strip() for part in parts)
    # A prompt ends with the mark of the reply that is to come.
    return [Message(role, one) for role, one in zip(roles, said, strict=True) if one]


def has_failed(fields: Mapping[str, Any], text: str) -> bool:
    """Whether a message says of itself that it failed, and its text speaks of that; a mark alone may be a person's.

    Some programs put the error itself, as JSON between fences, in place of the text.
    """
    if isinstance(error := parsed(_FENCES.sub("", text.strip())), dict):
        return is_failure(error)
    told = (fields.get(name) for name in _V.names("failed"))
    return any(one in (1, "1", "true", "True") for one in told) and _FAILED.search(text) is not None


def failure_of(view: Mapping[str, Any]) -> str:
    """Return why a request has no response by its error, empty if it has none."""
    if view.get("error"):
        return "The request failed, so there is no reply (see its field 'error')."
    result = mapping(view.get("result"))
    if result.get("type") not in ("errored", "canceled", "expired"):
        return ""
    error = mapping(result.get("error"))
    told = first(mapping(error.get("error")) or error, "type", "message")
    return f"The request of the batch was {result['type']}{f' ({str(told)[:60]})' if told else ''}."
