"""Results of Haystack's pipelines: answers with their documents, or replies beside a retriever's."""

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
from qsquared.storage.logs.adapters.texts import Passage, first, items, mapping, text_of

_QUESTIONS = ("query", "question", "input")
_READ = frozenset({*_QUESTIONS, "answers", "documents", "replies", "result", "output"})
_MOST_DEPTH = 3


def _recognises(fields: Mapping[str, Any]) -> bool:
    if _found(fields, "answers") and any(_is_answer(one) for one in _found(fields, "answers")):
        return True
    return bool(_found(fields, "replies"))


def _is_answer(value: Any) -> bool:
    held = _plain(value)
    return bool(held.keys() & {"data", "answer"}) and bool(
        held.keys() & {"documents", "document", "query", "document_ids", "context", "meta"}
    )


def _plain(value: Any) -> Mapping[str, Any]:
    """Return an object's own fields, also if it was serialised with its type."""
    held = mapping(value)
    return mapping(held.get("init_parameters")) or held


def _found(value: Any, name: str, depth: int = 0) -> list[Any]:
    """Return the first list of this name within the outputs of a pipeline's components."""
    held = mapping(value)
    if isinstance(held.get(name), list):
        return list(held[name])
    for inner in held.values() if depth < _MOST_DEPTH else ():
        if isinstance(inner, Mapping) and (found := _found(inner, name, depth + 1)):
            return found
    return []


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    question = first(fields, *_QUESTIONS)
    answers = [_plain(one) for one in _found(fields, "answers")]
    documents = _documents(_found(fields, "documents"))
    records = [_of_answer(one, question, documents) for one in answers]
    kept = [record for record in records if record is not None]
    if kept:
        # Extracted answers are alternatives, the best one first.
        return kept if not any("document" in one for one in answers) else kept[:1]
    asked = history_of(question)
    texts = [text for reply in _found(fields, "replies") if (text := _reply(reply))]
    return [Record(text, documents, asked, _READ) for text in texts] or NO_ANSWER


def _reply(value: Any) -> str | None:
    """Return the text of a reply: a text, or a chat message with its parts."""
    if isinstance(value, str):
        return value
    held = _plain(value)
    for name in ("content", "_content"):
        content = held.get(name)
        if text := text_of(
            [mapping(part) for part in content] if isinstance(content, list) else content
        ):
            return text
    return answer_text(value)


def _of_answer(
    answer: Mapping[str, Any], question: Any, documents: Sequence[Passage]
) -> Record | None:
    text = _reply(first(answer, "data", "answer"))
    if not text:
        return None
    own = first(answer, "documents", "document")
    known = _documents(own if isinstance(own, list) else [own]) if own is not None else documents
    if "documents" in answer and answer["documents"] == []:
        known = []
    asked = history_of(first(answer, "query") or question)
    return Record(text, known, asked, _READ)


def _documents(found: Any) -> list[Passage]:
    return texts_in([_plain(one) for one in items(found) if one is not None])


HAYSTACK = record_adapter(
    "haystack",
    "Haystack 2 (GeneratedAnswer, ExtractedAnswer, replies and documents of a pipeline) and 1",
    _recognises,
    _read,
)
