"""Exchanges out of the streams of Amazon Bedrock's agents."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.engines.units import Fields, LogUnit
from qsquared.storage.logs.fields.field_paths import first_at, value_at
from qsquared.storage.logs.fields.objects import (
    mapping,
    passages_of,
)

_STEPS = ("**.orchestrationTrace|customOrchestrationTrace",)
_CITED = "citations[].retrievedReferences[]"
_ANSWERS = ("response.output.text", "output.text", "completion", "outputText", "answer")
_QUESTIONS = (
    "input.text", "request.input.text", "inputText", "question", "query", "request.inputText", "input",
)  # fmt: skip


def _texts(fields: Mapping[str, Any], paths: Sequence[str]) -> Iterator[str]:
    """Yield the values at paths that are texts and not blank."""
    held = (value_at(fields, path) for path in paths)
    return (value for value in held if isinstance(value, str) and value.strip())


def bedrock_parts(fields: Fields) -> Sequence[Fields]:
    """Return a row of Bedrock; one that is a part of an agent's stream belongs to its ``session``."""
    asks = "inputText" in fields and "completion" not in fields
    part = asks or isinstance(fields.get("trace"), dict) or "chunk" in fields
    session = fields.get("sessionId")
    alone = not part or not isinstance(session, str) or any(_texts(fields, _ANSWERS))
    return (fields if alone else {**fields, "session": session},)


def bedrock_agent(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the exchanges with an agent of Bedrock, out of the parts of its streams.

    The chunks of a stream repeat the answer and the references of its trace.
    """
    steps = [[*map(_observed, first_at(unit.fields, _STEPS) or ())] for unit in units]
    traced = any(said for held in steps for _, said in held)
    made: list[LogUnit] = []
    known: list[Any] = []
    asked: str | None = None
    pieces = ""
    for number, unit in enumerate(units):
        fields, chunk = unit.fields, mapping(unit.fields.get("chunk"))
        question = next(_texts(fields, _QUESTIONS), None)
        if question is not None and asked and pieces:
            made.append(_exchange(units[number - 1], asked, pieces, known))
            known = []
        asked, pieces = (asked, pieces) if question is None else (question, "")
        known += first_at(fields, [f"response.{_CITED}", _CITED]) or ()
        known += () if traced else first_at(chunk, [f"attribution.{_CITED}"]) or ()
        piece = _chunk_text(chunk)
        pieces += piece or ""
        final = None if traced else piece
        for passages, said in steps[number]:
            known += passages
            final = said or final
        if (text := next(_texts(fields, _ANSWERS), final)) is not None:
            made.append(_exchange(unit, asked, text, known))
            known, asked, pieces = [], None, ""
    if traced and asked and pieces:
        # The stream of the last answer broke off before its trace was finished.
        made.append(_exchange(units[-1], asked, pieces, known))
    return made or units[:1]


def _exchange(unit: LogUnit, asked: str | None, said: str, known: list[Any]) -> LogUnit:
    return replace(unit, fields={**unit.fields, "asked": asked, "said": said, "retrieved": known})


def _observed(step: Any) -> tuple[list[Any], str | None]:
    """Return the passages that a step of an agent retrieved, and its final answer."""
    seen = mapping(mapping(step).get("observation"))
    found = first_at(seen, ["knowledgeBaseLookupOutput.retrievedReferences[]"]) or ()
    called = passages_of(first_at(seen, ["actionGroupInvocationOutput.text"]))
    return [*found, *called], next(_texts(seen, ["finalResponse.text"]), None)


def _chunk_text(chunk: Mapping[str, Any]) -> str | None:
    """Return the text of a chunk, whose bytes JSON holds in base 64 or as they are."""
    held = chunk.get("bytes")
    if not isinstance(held, str) or not held.strip():
        return None
    try:
        return base64.b64decode(held, validate=True).decode()
    except ValueError:
        return held
