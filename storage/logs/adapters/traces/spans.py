"""Turns from the spans of traced applications, whichever tool recorded them.

A trace may hold many model calls, and only some of their texts reach the user.
A reply is the text of an outermost span that has one: the answer of an agent or a chain as a whole,
not the steps on the way.
Its knowledge are the results of retrievers and tools in the same trace before it ended.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    PROMPT_MARK,
    TOO_LONG,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    Split,
    TurnFound,
    with_overrides,
)
from qsquared.storage.logs.adapters.chats.answers import answers_in
from qsquared.storage.logs.adapters.chats.messages import (
    Message,
    context_of,
    documents_beside,
    marked,
    read_messages,
)
from qsquared.storage.logs.adapters.texts import (
    Passage,
    distinct,
    first,
    has_text,
    parsed,
    passages_of,
)
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.values import FieldError, is_missing, read_time

REPLIES = "replies"
"""A model's or an agent's span."""
WRAPS = "wraps"
"""A function, request or chain: its output is a reply only if no other span encloses it."""
KNOWS = "knows"
"""A retriever's or a tool's span: its output is knowledge."""
OTHER = "other"
_NEVER = float("-inf")
RETRIEVES = re.compile(r"retriev|search|lookup|vector|knowledge|rerank", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """A span as every tool records it; ``fields`` are all of its fields in the log."""

    line: int
    trace: str | None
    id: str | None
    parent: str | None
    kind: str
    start: Any
    end: Any
    output: Any
    asked: Sequence[Message]
    passages: Sequence[Passage]
    fields: Mapping[str, Any]
    conversation: str | None = None
    metadata: Fields = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the function that the span records, empty if it has none."""
        return text(self.fields.get("name")) or ""


class SpanContent(NamedTuple):
    """The kind of a span, its output, the messages and passages that it was given, and metadata."""

    kind: str
    output: Any
    asked: list[Message]
    passages: list[Passage]
    metadata: Fields


def span_adapter(
    name: str,
    convention: str,
    recognises: Callable[[Mapping[str, Any]], bool],
    split: Split,
    read_span: Callable[[LogUnit], TraceSpan],
    joined: Callable[[Sequence[LogUnit]], Sequence[LogUnit]] = tuple,
) -> Adapter:
    """Return the adapter of a format of spans.

    ``split`` groups the units by trace, and ``joined`` makes one unit of each span.
    """

    def turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
        return turns_of([read_span(unit) for unit in joined(units)], overrides)

    return Adapter(name, convention, recognises, split, turns)


def kind_of(name: Any, kinds: Mapping[str, str]) -> str:
    """Return a span's kind by the format's own name for it, in any case; unknown spans wrap."""
    return kinds.get(name.lower(), WRAPS) if isinstance(name, str) else WRAPS


def text(value: Any) -> str | None:
    """Return an id, which is a text that is not blank; None for any other value."""
    return value if isinstance(value, str) and value.strip() else None


def turns_of(spans: Sequence[TraceSpan], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    """Return the turns of one trace, or the reason why it holds no turn."""
    answers = [_answers(span, overrides) for span in spans]
    covered = _covered(spans, answers)
    outermost = [n for n, _ in enumerate(spans) if answers[n] and not covered[n]]
    outermost.sort(key=lambda number: _timestamp(spans[number].start))
    if not outermost:
        return [NoTurn(spans[0].line, _reason_without_reply(spans))]
    known = sorted(
        ((_timestamp(span.start), _passages(span, overrides)) for span in spans),
        key=lambda one: one[0],
    )
    if len(outermost) * sum(len(passages) for _, passages in known) > MOST_PLACES:
        return [NoTurn(spans[0].line, TOO_LONG)]
    return [
        turn
        for number in outermost
        for turn in _turns_of_span(spans[number], answers[number], known, spans, overrides)
    ]


def _answers(span: TraceSpan, overrides: FieldOverrides) -> list[str]:
    mapped_field = overrides.source.get("response")
    if mapped_field is not None:
        value = value_at(span.fields, mapped_field)
        return [] if value is ABSENT else answers_in(value)
    if span.kind == REPLIES or (span.kind == WRAPS and span.parent is None):
        return answers_in(span.output)
    return []


def _covered(spans: Sequence[TraceSpan], answers: Sequence[Sequence[str]]) -> list[bool]:
    """Return for each span whether a span that encloses it has a reply, too."""
    place = {span.id: number for number, span in enumerate(spans) if span.id is not None}
    covered: dict[int, bool] = {}
    for number, _ in enumerate(spans):
        path: list[int] = []
        current: int | None = number
        # Parents may name each other in a circle, which ends where it was entered.
        while current is not None and current not in covered:
            covered[current] = False
            path.append(current)
            current = place.get(spans[current].parent or "")
        for inner in reversed(path):
            outer = place.get(spans[inner].parent or "")
            covered[inner] = outer is not None and (bool(answers[outer]) or covered[outer])
    return [covered[number] for number, _ in enumerate(spans)]


def _timestamp(time: Any) -> float:
    try:
        moment = read_time("time", time)
    except FieldError:
        # Times that begin with the trace order its spans, too.
        return float(time) if type(time) in {int, float} else _NEVER
    return moment.timestamp() if moment is not None else _NEVER


def _reason_without_reply(spans: Sequence[TraceSpan]) -> str:
    if any(span.kind in {REPLIES, WRAPS} for span in spans):
        return "No span of the trace holds the text of a reply (they may record no contents)."
    return "No span of the trace is that of a model, an agent or a request."


def _passages(span: TraceSpan, overrides: FieldOverrides) -> list[Passage]:
    """Return the passages that a span brought into its trace: documents, results, tools' answers."""
    mapped_field = overrides.source.get("knowledge")
    value = value_at(span.fields, mapped_field) if mapped_field is not None else ABSENT
    mapped = [] if value is ABSENT else passages_of(value)
    beside: list[Passage] = []
    if span.kind != KNOWS:
        beside = documents_beside(span.output) or _returned(span) or _conversed(span, overrides)
    return [*mapped, *span.passages, *beside, *context_of(span.asked, overrides, "").knowledge]


def _conversed(span: TraceSpan, overrides: FieldOverrides) -> list[Passage]:
    """Return the results of tools in the conversation that a span, such as LangGraph's, returned."""
    held = parsed(span.output)
    messages = read_messages(held.get("messages")) if isinstance(held, Mapping) else []
    return context_of(messages, overrides, messages[-1].text).knowledge if messages else []


def _returned(span: TraceSpan) -> list[Passage]:
    """Return the documents that a function returned as a list, if it is not marked as a retriever."""
    held = parsed(span.output)
    if span.kind != WRAPS or not isinstance(held, list) or not held:
        return []
    documents = all(
        isinstance(one, Mapping) and not one.keys() & {"role", "type"} and has_text(one)
        for one in held
    )
    named = RETRIEVES.search(span.name) and all(isinstance(one, str) for one in held)
    return passages_of(held) if documents or named else []


def _prompted(
    spans: Sequence[TraceSpan], end: float, overrides: FieldOverrides
) -> list[tuple[str, list[Passage]]]:
    """Return the marks and passages in the prompts of the models that ended before a reply did."""
    found = []
    for span in spans:
        if span.kind == REPLIES and (_timestamp(span.start) <= end or end == _NEVER):
            context = context_of(marked(span.asked, overrides), overrides, "")
            if context.knowledge:
                found.append((context.mark, context.knowledge))
    return found


def _given(span: TraceSpan) -> list[Passage]:
    """Return the documents that a function was given beside its question."""
    return documents_beside(first(span.fields, "input", "inputs"))


def _history(asked: list[str], spans: Sequence[TraceSpan], overrides: FieldOverrides) -> list[str]:
    """Return the history before a reply: of a question alone, the one that a model received with it."""
    if len(asked) > 1:
        return asked
    for span in spans:
        if span.kind == REPLIES:
            found = context_of(marked(span.asked, overrides), overrides, "").history
            if found and (not asked or found[-1] == asked[-1]):
                return found
    return asked


def _turns_of_span(
    span: TraceSpan,
    texts: Sequence[str],
    known: Sequence[tuple[float, Sequence[Passage]]],
    spans: Sequence[TraceSpan],
    overrides: FieldOverrides,
) -> Iterator[TurnFound]:
    context = context_of(marked(span.asked, overrides), overrides, "")
    end = _timestamp(span.end)
    # Without an end the whole trace may have been known.
    knowledge = distinct(
        [
            passage
            for start, passages in known
            if start <= end or end == _NEVER
            for passage in passages
        ]
    )
    mark = ""
    # The prompts of models repeat what a retriever of the trace brought.
    if not knowledge and (prompted := _prompted(spans, end, overrides)):
        mark = prompted[0][0]
        knowledge = distinct([passage for _, passages in prompted for passage in passages])
    if not knowledge:
        knowledge = distinct([one for inner in spans for one in _given(inner)])
    name = span.id or span.trace
    for number, response in enumerate(texts):
        fields: Fields = {
            **span.metadata,
            "id": name if len(texts) == 1 or name is None else f"{name}#{number + 1}",
            "conversation_id": span.conversation,
            "turn": None,
            "timestamp": span.end if is_missing(span.start) else span.start,
            "history": _history(context.history, spans, overrides),
            "knowledge": knowledge,
            "response": response,
            "trace_id": span.trace,
            "span_id": span.id,
            **({"system": context.system} if context.system else {}),
            **({PROMPT_MARK: mark} if mark else {}),
        }
        mapped = with_overrides(TurnFound(span.line, fields, span.fields), overrides).fields
        # These two come from the whole trace, as texts.
        yield TurnFound(span.line, mapped | {"response": response, "knowledge": knowledge})
