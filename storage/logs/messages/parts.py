"""Parts of a message's content: texts, documents, calls of tools and their results."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from qsquared.storage.logs.fields.emptiness import is_failed_call
from qsquared.storage.logs.fields.objects import (
    Passage,
    first,
    items,
    mapping,
    passages_of,
    text_of,
    word,
)
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("messages")

_OWN_RESULTS = ("toolResult", "functionResponse", "tool_call_result", "toolInvocation")
"""Fields of parts without a type, as Bedrock, Gemini, Haystack and Vercel's AI SDK 4 write them."""

_OF_RESULT = ("response", "result", "output", "content", "Result")
_DATA_ADDRESS = re.compile(
    r"data:(?:text/|application/(?:json|x?-?yaml|xml))[^,]*?(?P<packed>;base64)?,(?P<data>.*)",
    re.DOTALL,
)
"""An address that holds a file of text itself (RFC 2397)."""
_DOCUMENTS = {"document", "search_result"}
_FILES = ("file", "attachment")


@dataclass(frozen=True, slots=True)
class Parts:
    """The text of a content, its passages, and whether it ends with a call of a tool."""

    text: str
    passages: list[Passage] = field(default_factory=list)
    calls: bool = False
    attached: bool = False
    """Whether documents were attached, which stay for the rest of a conversation."""
    files: list[Passage] = field(default_factory=list)
    """The texts of files, which are knowledge if a user attached them."""


def read_parts(content: Any, *, tool: bool, glue: str = "\n") -> Parts:
    """Read the content of a message.

    Args:
        content: a text, or a list of parts as OpenAI, Anthropic, OpenTelemetry or Vercel types them.
        tool: whether it is the message of a tool, whose text is its result.
        glue: joins the text parts.
    """
    if not isinstance(content, list):
        passages = passages_of(content) if tool else []
        return Parts(content if isinstance(content, str) else "", passages)
    passages, files = [], list[Passage]()
    call = last_text = -1
    results = attached = False
    for number, part in enumerate(content):
        kind = _kind(part)
        fields = part if isinstance(part, dict) else {}
        if _is_result(kind) or not fields.keys().isdisjoint(_OWN_RESULTS):
            passages += _result(fields)
            results = True
        elif kind in _DOCUMENTS or (not kind and isinstance(fields.get("document"), dict)):
            passages += _document(fields if kind else fields["document"])
            attached |= kind != "search_result"
        elif kind.endswith(_FILES) and not tool and (own := _attached(fields)):
            files += own
        elif kind in _V.set("calls") or not fields.keys().isdisjoint(_V.set("own_calls")):
            call = number
        elif kind in {"text", "output_text", ""}:
            last_text = number
    if tool and not results:
        passages = passages_of(content)
    text = _after_results(content, glue)
    calls = call >= 0 and (call > last_text or not results)
    return Parts(text, passages, calls, attached and not tool, files)


def _kind(part: Any) -> str:
    return word(part, "type") or word(part, "$type") if isinstance(part, dict) else ""


def _is_result(kind: str) -> bool:
    own = kind.startswith("tool-") and kind != "tool-call"
    return own or kind in _V.set("results") or kind == "dynamic-tool"


def _attached(part: Mapping[str, Any]) -> list[Passage]:
    """Return the text of a file that a user attached, also out of an address that holds it; none of other files."""
    part = {**part, **mapping(part.get("data"))}
    text = word(part, "text") if "url" not in part and " " in word(part, "text") else ""
    if held := _DATA_ADDRESS.fullmatch(word(part, "url") or word(part, "data")):
        text = _decoded(held["data"]) if held["packed"] else unquote(held["data"])
    title = first(part, "filename", "name")
    return [{"text": text, **({"title": title} if isinstance(title, str) else {})}] if text else []


def _after_results(content: list[Any], glue: str) -> str:
    """Return the text of a content; of one that also runs tools, the text after the last result."""
    plain = [_plain(part) for part in content]
    kinds = map(_kind, content)
    runs = [n for n, k in enumerate(kinds, start=1) if _is_result(k) or k.endswith("_tool_result")]
    after = text_of(plain[max(runs, default=0) :], glue)
    return after if after.strip() else text_of(plain, glue)


def _plain(part: Any) -> Any:
    """Return a part without a type, as Gemini and Bedrock write texts, like one with a type."""
    if isinstance(part, dict) and "type" not in part:
        if part.get("thought") is True:
            return {}  # Gemini's thoughts
        if isinstance(part.get("text"), str):
            return {"type": "text", "text": part["text"]}
        cited = part.get("citationsContent")
        if isinstance(cited, dict) and isinstance(cited.get("content"), list):
            return {"type": "text", "text": text_of([_plain(one) for one in cited["content"]], "")}
    return part


def _result(part: Mapping[str, Any]) -> list[Passage]:
    """Return the passages in the result of a tool; none of one that failed, or that is not whole."""
    inner = first(part, *_OWN_RESULTS)
    part = inner if isinstance(inner, dict) else part
    if is_failed_call(part) or part.get("preliminary") is True:
        return []
    value: Any = next((part[key] for key in _OF_RESULT if key in part), "")
    if _kind(value) == "content":
        value = value.get("value")
    if not isinstance(value, list):
        return passages_of(value)
    if any(_kind(item) in _DOCUMENTS for item in value):
        return [one for item in value if isinstance(item, dict) for one in _document(item)]
    texts = [_without_kind(item) for item in value if _kind(item) not in _V.set("addresses")]
    return [one for text in texts for one in passages_of(text)]


def _without_kind(item: Any) -> Any:
    """Return the value of a part of a tool's result: its text, or the object that Bedrock calls ``json``."""
    if not isinstance(item, dict):
        return item
    if _kind(item) == "text" or item.keys() == {"text"}:
        return item.get("text")
    return item["json"] if item.keys() == {"json"} else item


def _decoded(value: Any) -> Any:
    """Return the text of a document's bytes, which JSON holds in base64; None of other files."""
    try:
        return base64.b64decode(value, validate=True).decode() if value else None
    except (TypeError, ValueError):
        return value if isinstance(value, str) and " " in value else None


def _document(part: Mapping[str, Any]) -> list[Passage]:
    """Return the text of a document or search result in a content, with its title and address."""
    source = part.get("source")
    held = mapping(source)
    if word(held, "type") in {"base64", "url", "file"}:
        return []
    title = first(part, "title", "name")
    names = {"title": title, "source": source, "context": part.get("context")}
    value = first(held, "content", "data", "text") if held else first(part, "content", "text")
    value = value or _decoded(held.get("bytes"))
    texts = [value] if isinstance(value, str) else [text_of([item]) for item in items(value)]
    named = {key: name for key, name in names.items() if isinstance(name, str) and name.strip()}
    return [{"text": text, **named} for text in texts if text.strip()]
