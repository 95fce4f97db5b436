"""Turns from the spans of traced applications, by the description of their format.

A trace may hold many model calls, and only some of their texts reach the user.
A reply is the text of an outermost span that has one: the answer of an agent or a chain as a whole,
not the steps on the way.
Its knowledge are the results of retrievers and tools in the same trace before it ended,
without those below another root that replies, which is another request.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qsquared.storage.logs.fields.field_paths import ABSENT, grouped, leaves
from qsquared.storage.logs.fields.objects import Passage, has_text, parsed, passages_of
from qsquared.storage.logs.fields.values import is_missing
from qsquared.storage.logs.format_engines import span_fields
from qsquared.storage.logs.format_engines.calls import turn_fields
from qsquared.storage.logs.format_engines.formats import Format
from qsquared.storage.logs.format_engines.given_passages import Request, kept_of
from qsquared.storage.logs.format_engines.span_fields import KNOWS, REPLIES, WRAPS, TraceSpan
from qsquared.storage.logs.format_engines.units import (
    MOST_PLACES,
    TOO_LONG,
    Fields,
    LogUnit,
    Outcomes,
    Overrides,
)
from qsquared.storage.logs.messages.answers import answers_in
from qsquared.storage.logs.messages.messages import read_messages
from qsquared.storage.logs.messages.parts import documents_beside
from qsquared.storage.logs.messages.replies import context_of, marked

_LEAST_WORDS = 4
_RETRIEVES = re.compile(r"retriev|search|lookup|vector|knowledge|rerank", re.IGNORECASE)
_NO_TEXT = "No span of the trace holds the text of a reply (they may record no contents)."
_NO_MODEL = "No span of the trace is that of a model, an agent or a request."


def turns_of(form: Format, units: Sequence[LogUnit], overrides: Overrides) -> Outcomes:
    """Return the turns of one trace, or the reason why it holds no turn."""
    read = (span_fields.read_span(form, unit) for unit in units)
    spans = sorted(read, key=lambda one: span_fields.timestamp(one.start))
    requests = _requests(spans, overrides) if "session" in form.kinds else [spans]
    return [turn for held in requests for turn in _turns_in(held, overrides)]


def _requests(spans: Sequence[TraceSpan], overrides: Overrides) -> list[Sequence[TraceSpan]]:
    """Return the spans of each request of a session; a reply or a chain, also one that failed, ends a request."""
    sessions = {one.id for one in spans if one.kind == span_fields.SESSION}
    sessions |= {one.trace for one in spans}
    held = [one for one in spans if one.kind != span_fields.SESSION]
    inner = [replace(one, parent=None) if one.parent in sessions else one for one in held]
    around = enumerate(span_fields.around_of(inner))
    roots = [next((m for m in outer if inner[m].parent is None), n) for n, outer in around]
    below = grouped(zip(roots, inner, strict=True))
    found: list[list[TraceSpan]] = [[]]
    for root in sorted(below):
        found[-1] += below[root]
        ended = inner[root].kind == WRAPS or any(_answers(one, overrides) for one in below[root])
        found += [[]] if ended else []
    return [request for request in found if request] or [spans]


def _turns_in(spans: Sequence[TraceSpan], overrides: Overrides) -> Outcomes:
    answers = [_answers(span, overrides) for span in spans]
    around = span_fields.around_of(spans)
    said = [(n, outer) for n, outer in enumerate(around) if answers[n]]
    outermost = [n for n, outer in said if not any(answers[o] for o in outer)]
    if not outermost or _ends_silent(spans, answers):
        silent = any(span.kind in {REPLIES, WRAPS} for span in spans)
        return [(spans[0].line, _NO_TEXT if silent else _NO_MODEL)]
    asked = (context_of(marked(span.asked, overrides), overrides, "") for span in spans)
    brought = kept_of(spans, around, [_passages(span, overrides) for span in spans])
    trace = Request([*zip(spans, asked, brought, strict=True)])
    below, shared = _served(trace, around, outermost)
    roots = [n for n in outermost if spans[n].parent is None]
    every, own = trace.of(shared), {n: trace.of(below[n]) for n in roots}
    if len(outermost) * every.texts + sum(one.texts for one in own.values()) > MOST_PLACES:
        return [(spans[0].line, TOO_LONG)]
    found: Outcomes = []
    for n in outermost:
        numbers = sorted({*shared, *below[n]}) if n in own else shared
        request = trace.of(numbers) if n in own else every
        place, inner = bisect_left(numbers, n), {bisect_left(numbers, one) for one in below[n]}
        found += _turns_of_span(place, answers[n], inner, request, overrides)
    return found


def _ends_silent(spans: Sequence[TraceSpan], answers: Sequence[Sequence[str]]) -> bool:
    """Whether the root says nothing, nor a model after the last search: what one said before was on the way."""
    roots = [n for n, span in enumerate(spans) if span.parent is None]
    calls = [n for n, span in enumerate(spans) if span.kind == REPLIES]
    searches = [n for n, span in enumerate(spans) if span.kind == KNOWS]
    if len(roots) != 1 or answers[roots[0]] or not searches or not calls:
        return False
    return calls[-1] > searches[-1] and not any(answers[searches[-1] :])


def _served(
    trace: Request, around: Sequence[Sequence[int]], outermost: Sequence[int]
) -> tuple[dict[int, list[int]], list[int]]:
    """Return the spans of each reply, its own and those below it, and the spans that serve every reply.

    A root that replies is a request of its own: what stands below it serves no other reply.
    """
    below: dict[int, list[int]] = {n: [] for n in outermost}
    shared = []
    for n, outer in enumerate(around):
        reply = next((one for one in (n, *outer) if one in below), None)
        if reply is not None:
            below[reply].append(n)
        if trace.brings(n) if reply is None else trace.served[reply][0].parent is not None:
            shared.append(n)
    return below, shared


def _answers(span: TraceSpan, overrides: Overrides) -> list[str]:
    if "response" in overrides.source:
        value = overrides.value("response", span.fields)
        return [] if value is ABSENT else answers_in(value)
    root = span.parent is None
    speaks = span.kind == REPLIES or (span.kind == WRAPS and root)
    # A step on the way, such as a check of the question, may answer with data that say nothing to people.
    found = answers_in(span.output) if speaks else []
    return [one for one in found if root or not _is_verdict(one)]


def _is_verdict(text: str) -> bool:
    """Whether a text is an object in which nothing is said in several words."""
    held = parsed(text)
    return isinstance(held, dict) and not any(
        isinstance(one, str) and len(one.split()) >= _LEAST_WORDS for _, one in leaves(held)
    )


def _passages(span: TraceSpan, overrides: Overrides) -> list[Passage]:
    """Return the passages that a span brought into its trace.

    They are those that a person mapped, its own documents or results, those beside its output, the list
    or the conversation that it returned, and the results of tools in what it was asked.
    """
    value = overrides.value("knowledge", span.fields)
    mapped = [] if value is ABSENT else passages_of(value)
    beside: list[Passage] = []
    if span.kind != KNOWS:
        beside = documents_beside(span.output) or _returned(span, overrides)
    return [*mapped, *span.passages, *beside, *context_of(span.asked, overrides, "").knowledge]


def _returned(span: TraceSpan, overrides: Overrides) -> list[Passage]:
    """Return the documents that a function returned as a list, or within a conversation, as LangGraph does."""
    held = parsed(span.output)
    if isinstance(held, dict):
        messages = read_messages(held.get("messages"))
        return context_of(messages, overrides, messages[-1].text).knowledge if messages else []
    if span.kind != WRAPS or not isinstance(held, list) or not held:
        return []
    plain = all(isinstance(one, dict) and not one.keys() & {"role", "type"} for one in held)
    documents = plain and all(map(has_text, held))
    named = _RETRIEVES.search(span.name) and all(isinstance(one, str) for one in held)
    return passages_of(held) if documents or named else []


def _turns_of_span(
    number: int, texts: Sequence[str], inner: set[int], request: Request, overrides: Overrides
) -> Iterator[tuple[int, Fields]]:
    span, context, _ = request.served[number]
    end = span_fields.timestamp(span.end)
    # Without an end all spans may have come before.
    until = len(request.served) if end == span_fields.NEVER else bisect_right(request.starts, end)
    found = [one for place, one in request.found if place < until or place in inner]
    prompted = [] if found else [one for one in request.prompted if one[0] < until]
    mark = prompted[0][2] if prompted else ""
    knowledge = found or [one for _, one, _ in prompted] or request.given
    name = span.id or span.trace
    time = span.end if is_missing(span.start) else span.start
    said = context.history
    # Of a question alone the history is the longest that a model received with it.
    said = said if len(said) > 1 else request.histories.get("".join(said), said)
    reply = replace(context, history=said, mark=mark)
    for n, response in enumerate(texts, start=1):
        fields: Fields = {
            **span.metadata,
            "id": name if len(texts) == 1 or name is None else f"{name}#{n}",
            "conversation_id": span.conversation,
            "turn": None,
            "trace_id": span.trace,
            "span_id": span.id,
            **turn_fields(reply, time, knowledge, context.system),
        }
        # These two come from the whole trace, as texts.
        own = {"response": response, "knowledge": knowledge}
        yield span.line, overrides.applied(fields, span.fields) | own
