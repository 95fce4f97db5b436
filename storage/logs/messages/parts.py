"""Parts of a message's content: texts, documents, calls of tools and their results; and documents beside it."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.emptiness import is_failed_call, is_failure
from qsquared.storage.logs.fields.field_paths import first_at
from qsquared.storage.logs.fields.hits import given_of
from qsquared.storage.logs.fields.objects import (
    Passage,
    first,
    has_text,
    items,
    mapping,
    passages_of,
    text_of,
    word,
)
from qsquared.storage.logs.fields.passages import without_labels
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
_GROUNDS = "groundingMetadata|grounding_metadata.groundingChunks|grounding_chunks[].retrievedContext|retrieved_context"
"""The paths at which Gemini has what it found for a candidate."""
_LISTS = _V.names("documents")
"""The names of lists of documents beside an answer."""
_NAMES_DOCUMENT = re.compile(r"\S+://\S+|[^.!?\n]{1,200}\.[a-z][a-z0-9]{1,4}", re.IGNORECASE)
"""The address or name of a file."""


@dataclass(slots=True)  # frozen ones take six times as long to make
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


def all_documents(value: Any) -> Any:
    """Return the documents in a list, or in Azure's object of them: those cited, and others that the model had."""
    held = parsed(value)
    if isinstance(held, dict) and "messages" in held:
        # The first form of Azure on your data, in which a tool's message holds them.
        inner = [mapping(one).get("content") for one in items(held["messages"])]
        return [one for content in inner for one in items(mapping(content).get("citations"))]
    if not isinstance(held, dict) or "citations" not in held:
        return held
    return [*items(held["citations"]), *items(held.get("all_retrieved_documents"))]


def _has_content(item: Any) -> bool:
    """Whether a citation or document holds a text of its own, and no address alone."""
    document = isinstance(item, dict) and has_text(item) and item.get("type") != "url_citation"
    return document or isinstance(item, str)


def documents_in(value: Any, *, texts: bool = False) -> list[Passage]:
    """Return the documents in a list that an application returns beside its answer.

    Args:
        value: the list; of objects those with a text count.
        texts: whether a text alone is a passage, too.
    """
    held = all_documents(value)
    if isinstance(held, str):
        return passages_of([held]) if texts else []
    listed = held if isinstance(held, list) else []
    if len(listed) == 1 and isinstance(listed[0], str) and is_failure(listed[0]):
        return []
    given = (item for item in given_of(listed) if _has_content(item))
    return without_labels([one for item in given for one in passages_of(item, 1)])


def attached_to(fields: Mapping[str, Any]) -> list[Passage]:
    """Return the texts of the files in a list that is named like one of attachments."""
    lists = (value for name, value in fields.items() if _V["attached"].search(str(name)))
    return [one for held in map(items, lists) for one in documents_in(held)]


def grounds_of(value: Mapping[str, Any]) -> list[Passage]:
    """Return what Gemini found for a candidate or event."""
    grounded = "groundingMetadata" in value or "grounding_metadata" in value
    return documents_in(first_at(value, [_GROUNDS])) if grounded else []


def documents_beside(fields: Any) -> list[Passage]:
    """Return the documents in the first list of an object that is named like one."""
    held = mapping(fields)
    if _V.set("documents").isdisjoint(held):
        return []
    named = (held[name] for name in _LISTS if isinstance(held.get(name), list))
    listed: list[Any] = next(filter(None, named), [])
    texts = [one for one in listed if not (isinstance(one, str) and _NAMES_DOCUMENT.fullmatch(one))]
    return documents_in(texts)
