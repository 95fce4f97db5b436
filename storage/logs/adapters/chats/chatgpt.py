"""Conversations of ChatGPT's data export (``conversations.json``): a tree of messages each.

The path to the current node is read; branches that were left, such as a reply that was generated anew,
are not.
Knowledge are the pages and files that were quoted, and the snippets of a search.
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
    grouped_by,
)
from qsquared.storage.logs.adapters.chats.message_rows import turns_of_messages
from qsquared.storage.logs.adapters.texts import first, items, mapping, without_none, word

_SILENT = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_ENDLESS = "The messages of the conversation hang together in no order."


def _recognises(fields: Mapping[str, Any]) -> bool:
    nodes = [mapping(one) for one in mapping(fields.get("mapping")).values()]
    return bool(nodes) and all({"parent", "children"} <= one.keys() for one in nodes[:3])


def _path(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the messages from the root to the current node, or to the last one that was added."""
    nodes = dict(mapping(fields.get("mapping")))
    name: Any = fields.get("current_node")
    if name not in nodes:
        name = next((key for key in reversed(nodes) if not mapping(nodes[key]).get("children")), "")
    found: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(name, str) and name in nodes and name not in seen:
        seen.add(name)
        node = mapping(nodes[name])
        if message := mapping(node.get("message")):
            found.append(message)
        name = node.get("parent")
    return found[::-1]


def _message(message: Mapping[str, Any]) -> Fields | None:
    """Return a message of the tree as one with a role and a content, None if nobody could see it."""
    content = mapping(message.get("content"))
    metadata = mapping(message.get("metadata"))
    role = word(mapping(message.get("author")), "role")
    kind = word(content, "content_type")
    if metadata.get("is_visually_hidden_from_conversation") is True or kind in _SILENT:
        return None
    read: Fields = {"role": role, "id": message.get("id"), "created": message.get("create_time")}
    if role == "tool":
        return {**read, "content": _result(content)}
    parts = [part for part in items(content.get("parts")) if isinstance(part, str)]
    read["content"] = "\n".join(parts)
    if role == "assistant" and (word(message, "recipient") not in {"", "all"} or kind == "code"):
        read["tool_calls"] = [{"name": message.get("recipient")}]
    elif role == "assistant":
        read["documents"] = _searched(metadata) or None
        read["model"] = metadata.get("model_slug")
    return without_none(read)


def _result(content: Mapping[str, Any]) -> Any:
    """Return the result of a tool: a quoted page or file with its title and address, or a text."""
    text = first(content, "text", "result")
    if not isinstance(text, str):
        return "\n".join(part for part in items(content.get("parts")) if isinstance(part, str))
    names = {"text": text, "title": content.get("title"), "url": content.get("url")}
    return [without_none(names)]


def _searched(metadata: Mapping[str, Any]) -> list[Fields]:
    """Return the snippets of the pages that a search found for a reply."""
    groups = [mapping(one) for one in items(metadata.get("search_result_groups"))]
    entries = [mapping(one) for group in groups for one in items(group.get("entries"))]
    kept = [one for one in entries if word(one, "snippet").strip()]
    return [
        without_none({"text": one["snippet"], "title": one.get("title"), "url": one.get("url")})
        for one in kept
    ]


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    found: list[TurnFound | NoTurn] = []
    for unit in units:
        name = str(first(unit.fields, "conversation_id", "id") or "") or None
        read = [message for one in _path(unit.fields) if (message := _message(one)) is not None]
        said = [LogUnit(unit.line, message, name) for message in read]
        found += turns_of_messages(said, overrides) if said else [NoTurn(unit.line, _ENDLESS)]
    return found


CHATGPT = Adapter(
    "chatgpt",
    "ChatGPT data export (conversations.json, as of 2026)",
    _recognises,
    grouped_by(lambda _: None),
    _turns,
)
