"""Test cases of DeepEval; ``context`` is the ideal context, and only ``retrieval_context`` knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.records.record import (
    NO_ANSWER,
    Record,
    answer_text,
    history_of,
    record_adapter,
    texts_in,
)
from qsquared.storage.logs.adapters.texts import first, items, mapping, passages_of
from qsquared.storage.logs.fields.cells import looks_like_list

_ANSWER = ("actual_output", "actualOutput")
_CONTEXT = ("retrieval_context", "retrievalContext")
_TOOLS = ("tools_called", "toolsCalled")
_READ = frozenset({*_ANSWER, *_CONTEXT, "input", "turns"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    turns = items(fields.get("turns"))
    return bool(fields.keys() & {*_ANSWER, *_CONTEXT}) or (
        any("role" in mapping(turn) and "content" in mapping(turn) for turn in turns[:1])
    )


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    turns = [mapping(turn) for turn in items(fields.get("turns"))]
    if turns and first(fields, *_ANSWER) is None:
        return _of_conversation(turns)
    text = answer_text(first(fields, *_ANSWER))
    if text is None:
        return NO_ANSWER
    return [Record(text, _known(fields), history_of(fields.get("input")), _READ)]


def _known(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    context = first(fields, *_CONTEXT)
    # A data set that DeepEval saves as CSV joins the texts of a list by this character.
    joined = isinstance(context, str) and "|" in context and not looks_like_list(context)
    known = texts_in(context.split("|") if joined else context)
    called = [mapping(tool).get("output") for tool in items(first(fields, *_TOOLS))]
    return known or [one for output in called for one in passages_of(output)]


def _of_conversation(turns: Sequence[Mapping[str, Any]]) -> list[Record]:
    history: list[str] = []
    found = []
    for turn in turns:
        content = turn.get("content")
        if not isinstance(content, str) or not content.strip():
            continue
        if turn.get("role") == "assistant":
            found.append(Record(content, _known(turn), list(history), _READ))
        history.append(content)
    return found


DEEPEVAL = record_adapter(
    "deepeval",
    "DeepEval test cases: LLMTestCase and ConversationalTestCase (2 and 3), also in camel case",
    _recognises,
    _read,
)
