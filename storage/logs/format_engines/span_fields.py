"""Spans as their formats describe them: ids, kind, times, what was asked, brought and returned."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.fields.embedded_values import unquoted
from qsquared.storage.logs.fields.field_paths import first_at, key_values
from qsquared.storage.logs.fields.objects import (
    Passage,
    has_text,
    items,
    parsed,
    passages_of,
    text_of,
)
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.format_engines.formats import Format, fits
from qsquared.storage.logs.format_engines.units import Fields, LogUnit
from qsquared.storage.logs.messages.answers import asked, retrieved_in
from qsquared.storage.logs.messages.messages import Message

REPLIES = "replies"
"""A model's or an agent's span."""
WRAPS = "wraps"
"""A function, request or chain: its output is a reply only if no other span encloses it."""
KNOWS = "knows"
"""A retriever's or a tool's span: its output is knowledge."""
SESSION = "session"
"""A session's span, whose name is that of the trace: it holds several requests, one after another."""
_KINDS = (REPLIES, KNOWS, WRAPS, SESSION, "other")
SPAN_NAME = "@name"
"""The path of the name of a span's function, without its address and version."""
_UNKNOWN = "unknown"
"""The kind, in a description, of spans of which the log names none that is known."""
_BY_NAME = {"retrieving": KNOWS, "answering": REPLIES}
_RERANKS = re.compile(r"re-?rank", re.IGNORECASE)
_NO_PARENT = re.compile(r"[0-]*|undefined")
"""The parents that programs write for a root: nothing, or an id of zeros."""
NEVER = float("-inf")
"""The time, in seconds, of a span without one."""
_MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """A span as every tool records it; ``fields`` are all of its fields in the log.

    One that ``reranks`` chose among the passages that were found before it.
    """

    line: int
    trace: str | None
    id: str | None
    parent: str | None
    kind: str
    name: str
    start: Any
    end: Any
    output: Any
    asked: Sequence[Message]
    passages: Sequence[Passage]
    fields: Mapping[str, Any]
    conversation: str | None
    reranks: bool = False
    metadata: Fields = field(default_factory=dict)


def nested(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes with dotted names (``retrieval.documents.0.document.id``) as nested dicts.

    Of two names that contradict each other the first counts.
    """
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        *path, last = str(name).split(".")
        node: Any = tree
        for part in path:
            node = node.setdefault(part, {}) if isinstance(node, dict) else None
        if isinstance(node, dict):
            held = node.get(last)
            if isinstance(held, dict) and isinstance(value, dict):
                held.update({k: v for k, v in value.items() if k not in held})
            else:
                node.setdefault(last, dict(value) if isinstance(value, dict) else value)
    return tree


def _view(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a span's fields with its attributes, flat and nested, however the log writes them."""
    flat = key_values(fields.get("attributes")) if fields.get("attributes") else {}
    dotted = {k: v for k, v in fields.items() if "." in k and not is_missing(v)}
    flat |= {key.removeprefix("attributes."): value for key, value in dotted.items()}
    tree = nested(flat)
    own = {k: v for k, v in fields.items() if k not in tree or not is_missing(v)}
    return {**tree, **own, **flat} if flat else fields


def read_span(form: Format, unit: LogUnit) -> TraceSpan:
    """Read a span by the paths of its format."""
    view = _view(unit.fields)

    def at(part: str) -> Any:
        return first_at(view, form.paths(part))

    parent = text(at("parent"))
    parent = None if parent is None or _NO_PARENT.fullmatch(parent) else parent
    name = (text(at("name")) or "").rsplit("/", 1)[-1].split(":")[0]
    output = unquoted(at("output"))
    kind = _kind(form, unquoted(at("kind")), name, parent)
    reranks = any(_RERANKS.search(one) for one in (name, str(at("kind"))))
    documents = [_document(one) for one in items(at("documents"))]
    passages = [one for item in documents if has_text(item) for one in passages_of(item, 1)]
    # A function that reranks returns what it kept.
    chooses = reranks and kind == WRAPS and isinstance(output, dict | list)
    if (kind == KNOWS or chooses) and not passages and not fits(form.failed, view):
        result = at("result")
        passages = retrieved_in(unquoted(output if result is None else result))
    read = (asked(_dotted(unquoted(first_at(view, [path])))) for path in form.paths("input"))
    given = next(filter(None, read), [])
    system = text_of(items(at("system")))
    named = {**view, SPAN_NAME: name}
    keep = {key: parsed(first_at(named, paths)) for key, paths in form.keep.items()}
    return TraceSpan(
        unit.line, text(at("trace")), text(at("id")), parent, kind, name, at("start"), at("end"), _dotted(output),
        [*([Message("system", system)] if system else []), *given], passages, view, text(at("conversation_id")),
        reranks, {key: value for key, value in keep.items() if value is not None},
    )  # fmt: skip


def _kind(form: Format, named: Any, name: str, parent: str | None) -> str:
    lowered = named.lower() if isinstance(named, str) else ""
    kinds = (kind for kind in _KINDS if lowered in form.kinds.get(kind, ()))
    kind = next(kinds, form.kinds.get(_UNKNOWN, (WRAPS,))[0])
    if kind == WRAPS and lowered not in form.kinds.get("whole", ()):
        for words, other in _BY_NAME.items():
            held = any(word in name.lower() for word in form.kinds.get(words, ()))
            if held and (parent or other == REPLIES):
                return other
    return kind


def _dotted(value: Any) -> Any:
    """Return messages whose fields have dotted names, as in Phoenix's data frames, as nested ones."""
    return [nested(one) if isinstance(one, dict) else one for one in items(value)] or value


def _document(item: Any) -> Any:
    """Return a document that stands in a field of its own, or whose fields have dotted names, with plain ones."""
    if not isinstance(item, dict):
        return item
    if isinstance(item.get("document"), dict):
        return item["document"]
    return {str(name).removeprefix("document."): value for name, value in item.items()}


def text(value: Any) -> str | None:
    """Return an id, which is a text that is not blank; None for any other value."""
    return value if isinstance(value, str) and value.strip() else None


def around_of(spans: Sequence[TraceSpan]) -> list[Sequence[int]]:
    """Return for each span those that enclose it, whatever their clocks say.

    Parents may name each other in a circle.
    """
    places = {span.id: number for number, span in enumerate(spans) if span.id is not None}
    found: list[Sequence[int]] = []
    for span in spans:
        outer: set[int] = set()
        current = places.get(span.parent or "")
        while current is not None and current not in outer and len(outer) < _MOST_DEPTH:
            outer.add(current)
            current = places.get(spans[current].parent or "")
        found.append(tuple(outer))
    return found


def timestamp(time: Any) -> float:
    """Return the seconds of a time of a span, by which spans are ordered."""
    moment = None if is_missing(time) else moment_of(time)
    if moment is not None:
        return moment.timestamp()
    # Times that begin with the trace order its spans, too.
    return float(time) if type(time) in {int, float} else NEVER
