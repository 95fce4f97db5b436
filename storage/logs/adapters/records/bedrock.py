"""Responses of Amazon Bedrock: RetrieveAndGenerate, and answers of agents with their traces."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.texts import (
    Passage,
    distinct,
    first,
    items,
    mapping,
    passages_of,
)

_TRACES = ("orchestrationTrace", "customOrchestrationTrace")
_MOST_DEPTH = 8
_NO_ANSWER = "The row holds no answer of Bedrock."
_READ = frozenset({"output", "citations", "retrievedReferences", "input", "request", "response", "traces", "trace", "completion", "inputText", "answer", "outputText"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    whole = _whole(fields)
    if isinstance(whole.get("citations"), list) and "text" in mapping(whole.get("output")):
        return True
    return any(True for _ in _traces(fields)) or "attribution" in mapping(fields.get("chunk"))


def _whole(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    response = mapping(fields.get("response"))
    return response if "output" in response or "citations" in response else fields


def _traces(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the orchestration steps within a row, in their order."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, Mapping):
        for name in _TRACES:
            if isinstance(value.get(name), Mapping):
                yield value[name]
                return
        for inner in value.values():
            yield from _traces(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _traces(inner, depth + 1)


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    """Rows that are single parts of an agent's stream belong together by their session."""
    asks = "inputText" in fields and "completion" not in fields
    part = asks or isinstance(fields.get("trace"), Mapping) or "chunk" in fields
    session = fields.get("sessionId")
    alone = not part or not isinstance(session, str) or _answer(fields) is not None
    return [LogUnit(line, fields, None if alone else session)]


def _answer(fields: Mapping[str, Any]) -> str | None:
    whole = _whole(fields)
    output = mapping(whole.get("output")).get("text")
    for text in (output, *(fields.get(n) for n in ("completion", "outputText", "answer"))):
        if isinstance(text, str) and text.strip():
            return text
    return None


def _references(value: Any) -> list[Passage]:
    return [
        one
        for citation in items(value)
        for reference in items(mapping(citation).get("retrievedReferences"))
        for one in passages_of(reference, 1)
    ]


def _observed(step: Mapping[str, Any]) -> tuple[list[Passage], str | None]:
    """Return the passages that a step of an agent retrieved, and its final answer."""
    seen = mapping(step.get("observation"))
    looked_up = mapping(seen.get("knowledgeBaseLookupOutput"))
    found = [
        one for item in items(looked_up.get("retrievedReferences")) for one in passages_of(item, 1)
    ]
    found += passages_of(mapping(seen.get("actionGroupInvocationOutput")).get("text"))
    final = mapping(seen.get("finalResponse")).get("text")
    return found, final if isinstance(final, str) and final.strip() else None


def _turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    found: list[TurnFound | NoTurn] = []
    # The chunks of a stream repeat the answer and the references of its trace.
    traced = any(_observed(step)[1] for unit in units for step in _traces(unit.fields))
    known: list[Passage] = []
    asked: str | None = None
    history: list[str] = []
    pieces = ""

    def answered(unit: LogUnit, text: str) -> None:
        nonlocal history, known, asked, pieces
        said_before = [*history, *([asked] if asked else [])]
        found.append(_turn(unit, text, said_before, known))
        history, known, asked, pieces = [*said_before, text], [], None, ""

    for number, unit in enumerate(units):
        fields = unit.fields
        if (question := _question(fields)) is not None:
            if asked and pieces:
                answered(units[number - 1], pieces)
            asked, pieces = question, ""
        known += _references(_whole(fields).get("citations"))
        chunk = mapping(fields.get("chunk"))
        if not traced:
            known += _references(mapping(chunk.get("attribution")).get("citations"))
        piece = _chunk_text(chunk)
        pieces += piece or ""
        final = None if traced else piece
        for step in _traces(fields):
            passages, said = _observed(step)
            known += passages
            final = said or final
        text = _answer(fields) or final
        if text is not None:
            answered(unit, text)
    if traced and asked and pieces:
        # The stream of the last answer broke off before its trace was finished.
        answered(units[-1], pieces)
    return found or [NoTurn(units[0].line, _NO_ANSWER)]


def _chunk_text(chunk: Mapping[str, Any]) -> str | None:
    """Return the text of a chunk, whose bytes JSON holds in base 64 or as they are."""
    held = chunk.get("bytes")
    if not isinstance(held, str) or not held.strip():
        return None
    try:
        return base64.b64decode(held, validate=True).decode()
    except ValueError:
        return held


def _question(fields: Mapping[str, Any]) -> str | None:
    request = mapping(fields.get("request"))
    held = (
        mapping(fields.get("input")).get("text"),
        mapping(request.get("input")).get("text"),
        first(fields, "inputText", "question", "query"),
        request.get("inputText"),
        fields.get("input"),
    )
    return next((text for text in held if isinstance(text, str) and text.strip()), None)


def _turn(
    unit: LogUnit,
    text: str,
    history: Sequence[str],
    known: Sequence[Passage],
) -> TurnFound:
    fields = unit.fields
    whole = _whole(fields)
    turn: Fields = {
        **{key: value for key, value in fields.items() if key not in _READ},
        "id": first(fields, "id", "requestId", "invocationId", "traceId"),
        "conversation_id": first(fields, "sessionId") or whole.get("sessionId"),
        "timestamp": first(fields, "timestamp", "eventTime", "time"),
        "history": list(history),
        "knowledge": distinct(known),
        "response": text,
    }
    return TurnFound(unit.line, turn, fields)


BEDROCK = Adapter(
    "bedrock",
    "Amazon Bedrock agent runtime of 2023-07-26: RetrieveAndGenerate, InvokeAgent with traces",
    _recognises,
    _split,
    _turns,
)
