"""Texts and passages within the JSON values of other programs' logs.

Such values come as objects or as JSON text in a cell, and no type in them can be relied upon.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Passage = dict[str, Any]
"""A knowledge passage: its ``text``, and its other fields in the log (id, title, score, …)."""

EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Values of a field that is not given."""

_TEXTS = ("page_content", "content", "text", "document", "passage", "snippet", "body")
_LISTS = ("documents", "results", "passages", "chunks", "hits", "matches", "sources", "output")
_NAMES = ("id", "document_id", "doc_id", "title", "name", "source", "url", "score")
_TEXT_PARTS = {"text", "input_text", "output_text", "refusal", None}


def parsed(value: Any) -> Any:
    """Return the JSON object or list in a text; any other value is returned unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def items(value: Any) -> list[Any]:
    """Return a list, or the values of an object with the keys ``0``, ``1``, …; else an empty list."""
    value = parsed(value)
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and value and all(_is_index(key) for key in value):
        return [value[key] for key in sorted(value, key=int)]
    return []


def _is_index(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10


def text_of(content: Any) -> str:
    """Return the text of a message's content: a text, or the text parts of a list; or empty."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and _kind(part) in _TEXT_PARTS:
            text = part.get("text", part.get("content"))
            if isinstance(text, str):
                texts.append(text)
    return "\n".join(texts)


def _kind(part: Mapping[str, Any]) -> str | None:
    kind = part.get("type")
    return kind if isinstance(kind, str) else None


def passages_of(value: Any, depth: int = 0) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool, each apart.

    A list gives one passage for each item, an object its text under a usual name or its list of
    documents; a value with neither is one passage as it is.
    """
    found = parsed(value)
    if depth > 4:
        return [{"text": _as_text(value)}]
    if isinstance(found, list):
        parts = text_of(found) if found and all(_is_part(item) for item in found) else ""
        if parts:
            return passages_of(parts, depth + 1)
        return [passage for item in found for passage in passages_of(item, depth + 1)]
    if isinstance(found, Mapping):
        return _passages_of_object(found, value, depth)
    text = _as_text(found)
    return [{"text": text}] if text.strip() else []


def _is_part(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("type") in {"text", "output_text"}


def _passages_of_object(found: Mapping[str, Any], value: Any, depth: int) -> list[Passage]:
    inner = found.get("kwargs")  # a document as LangChain serialises it
    if isinstance(inner, Mapping) and "page_content" in inner:
        return _passages_of_object(inner, value, depth)
    for name in _TEXTS:
        text = found.get(name)
        if isinstance(text, str):
            named = {key: found[key] for key in _NAMES if key in found and key != name}
            more = parsed(found.get("metadata"))
            if isinstance(more, Mapping):
                named = {key: more[key] for key in _NAMES if key in more} | named
            return [{"text": text, **_plain_names(named)}] if text.strip() else []
        if isinstance(text, Mapping) and name in {"document", "content"}:
            scored = {"score": found["score"]} if "score" in found else {}
            return [scored | passage for passage in passages_of(text, depth + 1)]
    for name in _LISTS:
        if isinstance(found.get(name), list):
            return passages_of(found[name], depth + 1)
    return [{"text": value if isinstance(value, str) else _as_text(found)}] if found else []


def has_text(item: Any) -> bool:
    """Whether a document has a text, and not its id and score alone."""
    return not isinstance(item, Mapping) or any(
        isinstance(item.get(name), str | Mapping) for name in _TEXTS
    )


def _plain_names(named: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in named.items() if isinstance(value, str | int | float)}


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def distinct(passages: Iterator[Passage] | list[Passage]) -> list[Passage]:
    """Return the passages without repeated texts; the first of equal ones stays."""
    kept: dict[str, Passage] = {}
    for passage in passages:
        kept.setdefault(passage["text"], passage)
    return list(kept.values())


def first(fields: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not empty, None if all are."""
    return next((fields[name] for name in names if fields.get(name) not in EMPTY), None)


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
