"""Texts and lists within the JSON values of other programs' logs.

Such values come as objects or as text in a cell, and no type in them can be relied upon.
"""

from collections.abc import Mapping
from typing import Any

from qsquared.storage.logs.fields.cells import parsed, unquoted
from qsquared.storage.logs.fields.passages import Passage, distinct, has_text
from qsquared.storage.logs.fields.passages import passages_of as _passages_of
from qsquared.storage.logs.prompts.cutting import split_result

__all__ = [
    "EMPTY",
    "Passage",
    "distinct",
    "first",
    "has_text",
    "items",
    "mapping",
    "parsed",
    "passages_of",
    "text_of",
    "without_none",
    "word",
]

EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Values of a field that is not given."""

_TEXT_PARTS = {"text", "input_text", "output_text", "refusal", None}


def passages_of(value: Any, depth: int = 0) -> list[Passage]:
    """Return the passages in the output of a retriever or a tool, also out of a text that lists them.

    ``depth`` is above 0 for an item of a list, whose text is one passage.
    """
    held = unquoted(value)
    if depth == 0 and isinstance(held, str) and (several := split_result(held)) is not None:
        return several
    return _passages_of(held, depth)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object, also one that is held as text; an empty one for any other value."""
    if type(value) is dict:  # the usual case, which the general check is slow for
        return value
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a list, or the values of an object with the keys ``0``, ``1``, …; else an empty list."""
    if value is None:
        return []
    value = parsed(value)
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and all(_is_index(key) for key in value):
        return [value[key] for key in sorted(value, key=int)]
    return []


def _is_index(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10


def text_of(content: Any, glue: str = "\n") -> str:
    """Return the text of a message's content: a text, or the text parts of a list; or empty."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and _kind(part) in _TEXT_PARTS:
            text = part.get("text", part.get("content", part.get("refusal")))
            if isinstance(text, dict):
                text = text.get("value")  # as the Assistants API nests it
            if isinstance(text, str):
                texts.append(text)
    return glue.join(texts)


def _kind(part: Mapping[str, Any]) -> str | None:
    kind = part.get("type")
    return kind if isinstance(kind, str) else None


def first(fields: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not empty, None if all are."""
    for name in names:
        value = fields.get(name)
        if value is not None and value not in EMPTY:
            return value
    return None


def word(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text, such as a type or a status; an empty text for any other value."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
