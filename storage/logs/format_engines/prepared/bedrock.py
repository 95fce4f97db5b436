"""Messages and exchanges out of the streams of agents: Amazon Bedrock's, and OpenAI's Assistants API."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.fields.field_paths import first_at, value_at
from qsquared.storage.logs.fields.objects import (
    first,
    items,
    mapping,
    passages_of,
    text_of,
    without_none,
    word,
)
from qsquared.storage.logs.format_engines.units import STREAM, Fields, LogUnit
from qsquared.storage.logs.messages.event_streams import joined_thread
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("bedrock")
_MOST_DEPTH = 8


def _texts(fields: Mapping[str, Any], paths: Sequence[str]) -> Iterator[str]:
    """Yield the values at paths that are texts and not blank."""
    held = (value_at(fields, path) for path in paths)
    return (value for value in held if isinstance(value, str) and value.strip())


def _threaded(value: Any, thread: Any = None, depth: int = 0) -> Iterator[Fields]:
    """Yield the outermost objects of threads within a value, in their order, each with the id of its thread."""
    if isinstance(value, dict):
        around = first(value, "thread_id") or mapping(value.get("thread")).get("id") or thread
        if word(value, "object") in _V.set("threaded"):
            yield {**value, "thread_id": around}
            return
        thread = around
    if isinstance(value, dict | list) and depth <= _MOST_DEPTH:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _threaded(one, thread, depth + 1)


def thread_objects(fields: Fields) -> Sequence[Fields]:
    """Return the messages and run steps of a thread of the Assistants API, however its lists are nested."""
    event = {"event": STREAM} if word(fields, "event").startswith("thread.") else {}
    return [{**one, **event} for one in _threaded(fields)]


def thread_messages(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of threads, oldest first, each with what the steps of its run brought as ``documents``."""
    lines = {str(unit.fields.get("id")): unit for unit in reversed(units)}
    objects = joined_thread([unit.fields for unit in units])
    known: dict[Any, list[Any]] = {None: []}
    for one in objects:
        if one.get("object") == "thread.run.step" and word(one, "status") not in _V.set("failed"):
            known.setdefault(one.get("run_id"), []).extend(_retrieved(one))
    messages = [one for one in objects if one.get("object") == "thread.message"]
    made = []
    # Lists of the API begin with the newest message.
    for one in sorted(messages, key=lambda one: first_number(one.get("created_at"))):
        documents = known.get(one.get("run_id"), []) if one.get("run_id") else []
        thread = one.get("thread_id") if isinstance(one.get("thread_id"), str) else None
        read = {**one, "documents": documents}
        made.append(replace(lines[str(one.get("id"))], fields=read, group=thread))
    return made or units[:1]


def first_number(value: Any) -> float:
    """Return a number, 0 for any other value."""
    return value if isinstance(value, int | float) else 0


def _retrieved(step: Mapping[str, Any]) -> Iterator[Any]:
    for call in map(mapping, items(mapping(step.get("step_details")).get("tool_calls"))):
        for result in map(mapping, items(mapping(call.get("file_search")).get("results"))):
            names = {"id": "file_id", "title": "file_name", "score": "score"}
            if (text := text_of(items(result.get("content")))).strip():
                named = {ours: result.get(theirs) for ours, theirs in names.items()}
                yield {"text": text, **without_none(named)}
        # A tool of Azure's agents has its output beside its name, or in an object named like its kind.
        own = mapping(call.get(word(call, "type")))
        yield from passages_of(own.get("output", call.get("output")))


def bedrock_parts(fields: Fields) -> Sequence[Fields]:
    """Return a row of Bedrock, or those of a list in it; a part of an agent's stream belongs to its ``session``."""
    for held in map(items, fields.values()):
        if held and all("inputText" in mapping(one) for one in held):
            return [part for one in held for part in bedrock_parts({**mapping(one)})]
    asks = "inputText" in fields and "completion" not in fields
    part = asks or isinstance(fields.get("trace"), dict) or "chunk" in fields
    session = fields.get("sessionId")
    alone = not part or not isinstance(session, str) or any(_texts(fields, _V.names("answers")))
    return (fields if alone else {**fields, "session": session},)


def bedrock_agent(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the exchanges with an agent of Bedrock, out of the parts of its streams.

    The chunks of a stream repeat the answer and the references of its trace.
    """
    steps = [[*map(_observed, first_at(unit.fields, _V.names("steps")) or ())] for unit in units]
    traced = any(said for held in steps for _, said in held)
    made: list[LogUnit] = []
    known: list[Any] = []
    asked: str | None = None
    pieces = ""
    for number, unit in enumerate(units):
        fields = unit.fields
        # A whole answer holds its stream as a list.
        whole = [*map(mapping, items(fields.get("completion")))]
        chunks = [mapping(one.get("chunk")) for one in whole or (fields,)]
        question = next(_texts(fields, _V.names("questions")), None)
        if question is not None and asked and pieces:
            made.append(_exchange(units[number - 1], asked, pieces, known))
            known = []
        asked, pieces = (asked, pieces) if question is None else (question, "")
        held = first_at(fields, ["response.citations", "citations"])
        sources = () if traced else (mapping(one.get("attribution")) for one in chunks)
        lists = {"cited": [items(held), *(items(one.get("citations")) for one in sources)]}
        known += first_at(lists, ["cited[][].retrievedReferences[]"]) or []
        piece = "".join(filter(None, map(_chunk_text, chunks)))
        pieces += piece
        final = piece or None if whole or not traced else None
        for passages, said in steps[number]:
            known += passages
            final = said or final
        if (text := next(_texts(fields, _V.names("answers")), final)) is not None:
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
