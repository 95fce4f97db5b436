"""Records of TruLens, of its database or its data frame; retrievals are among a record's calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.records.record import (
    NO_ANSWER,
    Record,
    answer_text,
    history_of,
    record_adapter,
    texts_in,
)
from qsquared.storage.logs.adapters.texts import Passage, first, items, mapping, passages_of

_RETRIEVES = ("retriev", "get_relevant_documents", "get_context", "similarity_search", "search")
_CONTEXTS = ("contexts", "context", "retrieved_contexts", "source_nodes", "source")
_READ = frozenset({"input", "output", "main_input", "main_output", "calls", "record_json", "app_json", "cost_json", "perf_json"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    if "record_json" in fields or {"main_input", "main_output"} <= fields.keys():
        return True
    return {"record_id", "input", "output"} <= fields.keys() and bool(
        fields.keys() & {"app_id", "app_name", "app_version"}
    )


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    record = {**fields, **mapping(fields.get("record_json"))}
    text = answer_text(first(record, "main_output", "output"))
    if text is None:
        return NO_ANSWER
    known = [one for call in items(record.get("calls")) for one in _retrieved(mapping(call))]
    known = known or list(_of_feedback(fields))
    known = known or [one for name in _CONTEXTS for one in texts_in(fields.get(name))]
    history = history_of(first(record, "main_input", "input"))
    more = {"id": record.get("record_id"), "timestamp": first(record, "ts")}
    return [Record(text, known, history, _READ, more)]


def _retrieved(call: Mapping[str, Any]) -> list[Passage]:
    """Return the passages that a call returned, if it is one of a retriever."""
    stack = items(call.get("stack"))
    last = mapping(stack[-1]) if stack else {}
    method = mapping(last.get("method")).get("name")
    named = str(method or last.get("path") or "").lower()
    if not any(word in named for word in _RETRIEVES) or call.get("error"):
        return []
    returned = call.get("rets")
    inner = mapping(returned)
    return passages_of(inner.get("source_nodes", returned))


def _of_feedback(fields: Mapping[str, Any]) -> Iterator[Passage]:
    """Yield the contexts that a feedback function was called with."""
    for name, value in fields.items():
        if str(name).endswith("_calls"):
            for call in items(value):
                arguments = mapping(mapping(call).get("args"))
                held = first(arguments, "context", "contexts")
                if held is not None:
                    yield from texts_in(held)


TRULENS = record_adapter(
    "trulens",
    "TruLens 1 and 2: records of its database, data frames of get_records_and_feedback",
    _recognises,
    _read,
)
