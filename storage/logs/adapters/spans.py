"""Spans of traced applications, whatever tool recorded them, as turns.

A trace may hold many model calls, and only some of their texts reach the user.
The replies are those of the outermost spans that have one: what an agent or a chain answers as a
whole, and not the steps that it took.
The knowledge of a reply is what retrievers and tools gave within the same trace before it ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    TOO_LONG,
    FieldOverrides,
    Fields,
    NoTurn,
    TurnFound,
    with_overrides,
)
from qsquared.storage.logs.adapters.messages import Message, before, said
from qsquared.storage.logs.adapters.texts import Passage, distinct, passages_of
from qsquared.storage.logs.mapping import ABSENT, found
from qsquared.storage.logs.values import FieldError, is_missing, read_time

REPLIES = "replies"
"""A model's or an agent's span."""
WRAPS = "wraps"
"""A function, request or chain: its output is a reply only if no other span stands around it."""
KNOWS = "knows"
"""A retriever's or a tool's span: its output is knowledge."""
OTHER = "other"
_NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Span:
    """A span as all tools tell of it; ``fields`` are all that the log has of it."""

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


def text(value: Any) -> str | None:
    """An id: a text that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def turns_of(spans: Sequence[Span], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    """The turns of one trace, or why it holds none."""
    answers = [_answers(span, overrides) for span in spans]
    covered = _covered(spans, answers)
    outermost = [n for n, _ in enumerate(spans) if answers[n] and not covered[n]]
    outermost.sort(key=lambda number: _moment(spans[number].start))
    if not outermost:
        return [NoTurn(spans[0].line, _why(spans))]
    known = sorted(
        ((_moment(span.start), _passages(span, overrides)) for span in spans),
        key=lambda one: one[0],
    )
    if len(outermost) * sum(len(passages) for _, passages in known) > MOST_PLACES:
        return [NoTurn(spans[0].line, TOO_LONG)]
    return [
        turn
        for number in outermost
        for turn in _found(spans[number], answers[number], known, overrides)
    ]


def _answers(span: Span, overrides: FieldOverrides) -> list[str]:
    wanted = overrides.source.get("response")
    if wanted is not None:
        value = found(span.fields, wanted)
        return [] if value is ABSENT else said(value)
    if span.kind == REPLIES or (span.kind == WRAPS and span.parent is None):
        return said(span.output)
    return []


def _covered(spans: Sequence[Span], answers: Sequence[Sequence[str]]) -> list[bool]:
    """For each span whether one around it has a reply, too."""
    place = {span.id: number for number, span in enumerate(spans) if span.id is not None}
    covered: dict[int, bool] = {}
    for number, _ in enumerate(spans):
        way: list[int] = []
        at: int | None = number
        # Parents may name each other in a circle, which ends where it was entered.
        while at is not None and at not in covered:
            covered[at] = False
            way.append(at)
            at = place.get(spans[at].parent or "")
        for one in reversed(way):
            above = place.get(spans[one].parent or "")
            covered[one] = above is not None and (bool(answers[above]) or covered[above])
    return [covered[number] for number, _ in enumerate(spans)]


def _moment(time: Any) -> float:
    try:
        moment = read_time("time", time)
    except FieldError:
        moment = None
    return moment.timestamp() if moment is not None else _NEVER


def _why(spans: Sequence[Span]) -> str:
    if any(span.kind in {REPLIES, WRAPS} for span in spans):
        return "No span of the trace holds the text of a reply (they may record no contents)."
    return "No span of the trace is that of a model, an agent or a request."


def _passages(span: Span, overrides: FieldOverrides) -> list[Passage]:
    """What a span brought into its trace: documents, results, and what it was given by tools."""
    wanted = overrides.source.get("knowledge")
    value = found(span.fields, wanted) if wanted is not None else ABSENT
    mapped = [] if value is ABSENT else passages_of(value)
    return [*mapped, *span.passages, *before(span.asked, overrides.roles, "").knowledge]


def _found(
    span: Span,
    texts: Sequence[str],
    known: Sequence[tuple[float, Sequence[Passage]]],
    overrides: FieldOverrides,
) -> Iterator[TurnFound]:
    given = before(span.asked, overrides.roles, "")
    end = _moment(span.end)
    # Without an end all of the trace may have been known.
    knowledge = distinct(
        [
            passage
            for start, passages in known
            if start <= end or end == _NEVER
            for passage in passages
        ]
    )
    name = span.id or span.trace
    for number, response in enumerate(texts):
        fields: Fields = {
            **span.metadata,
            "id": name if len(texts) == 1 or name is None else f"{name}#{number + 1}",
            "conversation_id": span.conversation,
            "turn": None,
            "timestamp": span.end if is_missing(span.start) else span.start,
            "history": given.history,
            "knowledge": knowledge,
            "response": response,
            "trace_id": span.trace,
            "span_id": span.id,
            **({"system": given.system} if given.system else {}),
        }
        mapped = with_overrides(fields, span.fields, overrides)
        # These two were found in the whole trace, and as texts.
        yield TurnFound(span.line, mapped | {"response": response, "knowledge": knowledge})
