"""Messages with roles, in the forms of chat interfaces and frameworks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import each_at
from qsquared.storage.logs.fields.objects import Passage, first, items, mapping, parsed, passages_of
from qsquared.storage.logs.messages.parts import (
    Parts,
    all_documents,
    documents_in,
    grounds_of,
    read_parts,
)
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("messages")

_ROLES = _V.table("roles")
_RESULT = re.compile(r"(?:tool|function)\w*[_-]?(?:result|response|output)s?")
_RESULTS = ("result", "result_value", "toolOutput", "output", "response", "message", "text")
TIMES = _V.names("times")
"""The names of a time, of a message or of a whole row."""

CONVERSATIONS = _V.names("conversations")
IDS = _V.names("ids")
"""The names of a conversation's id, and of a row's."""


def role_named(name: str) -> str:
    """Return the role that a name is usual for, empty if it is for none."""
    return _ROLES.get(name.lower(), "")


def is_result(name: str) -> bool:
    """Whether a role is named after what a tool returned, and not after its call."""
    return name.lower() in TOOLS or _RESULT.fullmatch(name.lower()) is not None


def time_of(value: Mapping[str, Any]) -> Any:
    """Return the time of a message, also out of its metadata; None if it has none."""
    return first(value, *TIMES) or first(mapping(value.get("metadata")), *TIMES)


def _with_role(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message whose speaker or text has another name, as in Cohere's and Microsoft's logs."""
    if "role" in value:
        if isinstance(value["role"], str) and _RESULT.fullmatch(value["role"].lower()):
            return {"content": first(value, *_RESULTS), **value, "role": "tool"}
        own = value.keys().isdisjoint(_V.set("own")) and isinstance(value.get("message"), str)
        return {**value, "content": value["message"]} if own else value
    if value.keys() == {"parts"}:
        return {**value, "role": "user"}  # Gemini, of a single question
    text = first(value, *_V.names("said"))
    for name in _V.names("speakers"):
        held = value.get(name)
        held = first(held, "role", "type") if isinstance(held, dict) else held
        named = held.lower() if isinstance(held, str) else ""
        if named in _V.set("caller_roles") or (named and is_call(value.get("value"))):
            return {"role": "assistant", "content": "", "tool_calls": [held]}
        if named in _ROLES and isinstance(text, str | list):
            return {**value, "role": held, "content": text}
    return value


def is_call(value: Any) -> bool:
    """Whether a value is the call of a tool: its name and what it was called with."""
    called = mapping(value)
    return "name" in called and bool(called.keys() & {"arguments", "parameters"})


def _role_of(value: Mapping[str, Any]) -> str | None:
    """Return the role of a message under our name for it, None of an object that is no message."""
    role = value.get("role", value.get("type"))
    if not isinstance(role, str) or not (value.keys() & _V.set("contents")):
        return None
    return _ROLES.get(role.lower(), role.lower())


_PLAIN_ROLES = {"user", "assistant", "system"}
_PLAIN, _CALLING, _ANSWERING = map(_V.set, ("plain", "calling", "answering"))
_INSTEAD = _V.names("instead")
_TEXTS = _V.set("texts")
TOOLS = {"tool", "function"}
TOOL_ITEMS = _V.table("tool_items")
"""The items of OpenAI's Responses API that bring something, and the fields in which they do."""
_CALLED = ("function_call.name", "tool_calls[].function.name")
"""The paths to the names of the functions that a message calls."""


@dataclass(slots=True)  # frozen ones take six times as long to make
class Message:
    """A message: its role and text, the passages that it brought, and whether it calls tools.

    ``lasting`` passages belong to all later replies of the conversation, as those of a system prompt and
    attached documents do.
    ``mark`` is the text that told the passages of a prompt apart.
    ``time`` is that of the message itself, as the log has it.
    ``blank`` says that the assistant was logged with an empty text, and with nothing in its place.
    """

    role: str
    text: str
    passages: tuple[Passage, ...] = ()
    calls: bool = False
    lasting: bool = False
    mark: str = ""
    blank: bool = False
    time: Any = None


def read_messages(value: Any, glue: str = "\n") -> list[Message]:
    """Read the messages in a value: a list of messages, one message, or a list of such lists.

    ``glue`` joins the text parts of one message.
    """
    value = parsed(value)
    if isinstance(value, dict):
        one = read_message(value, glue)
        return [one] if one else read_messages(items(value), glue)
    if not isinstance(value, list):
        return []
    if len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    found: list[Message] = []
    caller: Mapping[str, Any] = {}
    for item in (one for one in value if isinstance(one, dict)):
        # Some programs give a model the results of the functions that it called in the user's name.
        result = item.get("role") == "user" and "name" in item and _calls(caller, item["name"])
        one = read_message({**item, "role": "function"} if result else item, glue)
        found += [one] if one else []
        if item.get("role") == "assistant":
            caller = item
    return found


def _calls(message: Mapping[str, Any], name: Any) -> bool:
    """Whether a message calls a function of this name."""
    return any(name in each_at(message, path) for path in _CALLED)


def read_message(value: Any, glue: str = "\n") -> Message | None:
    """Read one message as OpenAI, OpenTelemetry, LangChain, Vercel or OpenInference writes it."""
    if not isinstance(value, dict):
        return None
    if plain := _plain_message(value):
        return plain
    kind = value.get("type")
    if isinstance(kind, str) and kind in TOOL_ITEMS and "role" not in value:
        result = value.get(TOOL_ITEMS[kind])
        failed = value.get("error") or value.get("status") in ("failed", "incomplete")
        found = () if failed else passages_of(result)
        return Message("tool", "", tuple(found))
    found_for = grounds_of(value)
    value = _with_role(_inner_message(value))
    role = _role_of(value)
    if role is None:
        return None
    content = _parsed_parts(first(value, "parts", "content", "blocks"))
    parts = read_parts(content, tool=role in TOOLS, glue=glue)
    if role in TOOLS:
        parts = _of_tool(value, parts)
    files = parts.files if role == "user" else []
    passages = [*parts.passages, *files, *_beside(value, role), *found_for]
    # Results of tools in Vercel's AI SDK 4.
    invoked = [{"toolInvocation": one} for one in items(value.get("toolInvocations"))]
    passages += read_parts(invoked, tool=False).passages
    calls = parts.calls or bool(value.get("tool_calls") or value.get("function_call"))
    alone = role == "assistant" and not calls and not isinstance(content, list)
    blank, time = alone and _is_blank(value), time_of(value)
    lasts = bool(files) or (parts.attached and role == "user")
    return Message(role, parts.text, tuple(passages), calls, lasts, blank=blank, time=time)


def _inner_message(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message that an event or a serialised object holds; another object as it is."""
    for name in ("message", "content"):
        inner = value.get(name)
        if isinstance(inner, dict) and "role" in inner:
            value = inner  # OpenInference, unflattened, and events of Google's agents
    kwargs = value.get("kwargs", value.get("data"))
    if isinstance(kwargs, dict) and "content" in kwargs:
        names = value.get("id")
        last = names[-1] if isinstance(names, list) and names else value.get("type")
        return {"type": last, **kwargs}  # LangChain, serialised
    return value


def _plain_message(value: Mapping[str, Any]) -> Message | None:
    """Return a message of a role and a text alone, of a call or of a tool, as most are: all else costs time."""
    role, text = value.get("role"), value.get("content")
    if not isinstance(role, str):
        return None
    if role in _PLAIN_ROLES and isinstance(text, str) and value.keys() <= _PLAIN:
        return None if text[:1] in "[{ \n" else Message(role, text)
    if role == "assistant" and not text and value.keys() <= _CALLING:
        calls = bool(value.get("tool_calls"))
        return Message(role, "", (), calls, blank=not calls and _is_blank(value))
    if role == "tool" and isinstance(text, str) and value.keys() <= _ANSWERING:
        return Message(role, text, tuple(passages_of(text)))
    return None


def _is_blank(value: Mapping[str, Any]) -> bool:
    """Whether a message has an empty text for its content, and speaks by no other field."""
    said = value.get("content")
    return isinstance(said, str) and not said.strip() and not any(map(value.get, _INSTEAD))


def _parsed_parts(content: Any) -> Any:
    """Return the parts of a content, also if they are held as text; a text that is none stays one."""
    found = parsed(content) if isinstance(content, str) else []
    listed = found if isinstance(found, list) else []
    typed = [isinstance(mapping(part).get("type"), str) for part in listed]
    return listed if typed and all(typed) else content


def _of_tool(value: Mapping[str, Any], parts: Parts) -> Parts:
    """Return the parts of a tool's message: none if it failed, documents rather than their print."""
    if value.get("status") == "error" or value.get("is_error") is True:
        return replace(parts, passages=[])
    artifact = items(value.get("artifact"))
    documents = read_parts(artifact, tool=True).passages if artifact else []
    return replace(parts, passages=documents) if documents else parts


def _beside(value: Mapping[str, Any], role: str) -> list[Passage]:
    """Return the passages in fields beside a message's content, as Azure writes them."""
    for name in _V.names("contexts") if role == "assistant" else ():
        held = all_documents(value.get(name))
        if name in _V.set("of_tools") and isinstance(held, list):
            done = [mapping(one) for one in held if mapping(one).get("is_error") is not True]
            return [one for tool in done for one in passages_of(first(tool, *_RESULTS))]
        if name in _V.set("called") and name in value:
            return [one for tool in items(held) for one in passages_of(mapping(tool).get("output"))]
        if isinstance(held, list):
            return documents_in([one for one in held if isinstance(one, dict) or name in _TEXTS])
    return []
