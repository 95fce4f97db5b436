"""Results of LangChain's retrieval chains: an answer beside the documents that were retrieved.

Documents come as ``page_content`` (Python), ``pageContent`` (JavaScript), or serialised.
"""

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
from qsquared.storage.logs.adapters.texts import first, items, mapping, parsed, passages_of

_ANSWERS = ("answer", "result", "output_text", "output", "response", "text", "generation")
_QUESTIONS = ("input", "question", "query", "request", "message")
_DOCUMENTS = (
    "context",
    "source_documents",
    "sourceDocuments",
    "documents",
    "input_documents",
    "docs",
    "contexts",
    "retrieved_contexts",
    "retrieved_context",
)
_EARLIER = ("chat_history", "history")
_READ = frozenset({*_ANSWERS, *_QUESTIONS, *_DOCUMENTS, *_EARLIER, "outputs", "intermediate_steps"})


def _recognises(fields: Mapping[str, Any]) -> bool:
    whole = _whole(fields)
    answer = first(whole, *_ANSWERS)
    if answer is None or "messages" in fields or "run_type" in fields:
        return False
    documents = _documents(whole)
    if documents is None:
        return bool(_observed(whole))
    # Cohere's chat names its generation and answers alike.
    named = {"source_documents", "sourceDocuments", "retrieved_context", "generation_id"} & whole.keys()  # fmt: skip
    apart = {"inputs", "outputs"} <= fields.keys()
    return bool(named) or apart or _are_documents(documents)


def _observed(fields: Mapping[str, Any]) -> list[Any]:
    """Return what the tools of an agent returned, by its intermediate steps."""
    steps = [items(step) for step in items(fields.get("intermediate_steps"))]
    return [step[1] for step in steps if len(step) == 2]


def _whole(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a run's input and output together, if the row keeps them apart."""
    inner = {**mapping(fields.get("inputs")), **mapping(fields.get("outputs"))}
    for name in ("input", "output"):
        inner |= mapping(fields.get(name))
        if isinstance(text := fields.get(f"{name}s"), str) and not mapping(text):
            inner.setdefault(name, text)  # MLflow's tables
    return {**fields, **inner}


def _documents(fields: Mapping[str, Any]) -> list[Any] | None:
    for name in _DOCUMENTS:
        value = parsed(fields.get(name))
        if isinstance(value, list):
            return value
    return None


def _are_documents(documents: Sequence[Any]) -> bool:
    held = [mapping(document) for document in documents]
    names = [one.keys() | mapping(one.get("kwargs")).keys() for one in held]
    return not documents or any(keys & {"page_content", "pageContent"} for keys in names)


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    whole = _whole(fields)
    text = next((t for n in _ANSWERS if (t := answer_text(whole.get(n))) and t.strip()), None)
    if text is None:
        return NO_ANSWER
    history = history_of(first(whole, *_QUESTIONS), items(first(whole, *_EARLIER)))
    known = texts_in(_documents(whole) or [])
    known += [one for result in _observed(whole) for one in passages_of(result)]
    return [Record(text, known, history, _READ)]


LANGCHAIN = record_adapter(
    "langchain",
    "LangChain retrieval chains (0.1 to 1.x, Python and JavaScript): answer and documents",
    _recognises,
    _read,
)
