"""Threads of OpenAI's Assistants API: messages and the steps of their runs, by thread.

Knowledge are the results of file search and of functions in the run that wrote a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    STREAM,
    TOO_LONG,
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
    items,
    mapping,
    passages_of,
    text_of,
    without_none,
    word,
)

_MESSAGE, _STEP = "thread.message", "thread.run.step"
_DELTA = "thread.message.delta"
_KINDS = {_MESSAGE, _STEP, "thread.run", "thread"}
_MOST_DEPTH = 4


def _recognises(fields: Mapping[str, Any]) -> bool:
    return any(True for _ in _objects(fields, 0))


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the messages and steps within a row, however its lists are nested."""
    if isinstance(value, Mapping):
        if word(value, "object") in {_MESSAGE, _STEP, _DELTA}:
            yield dict(value)
        elif depth < _MOST_DEPTH:
            for inner in value.values():
                yield from _objects(inner, depth + 1)
    elif isinstance(value, list) and depth < _MOST_DEPTH:
        for inner in value:
            yield from _objects(inner, depth + 1)


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    found = list(_objects(fields, 0))
    if not found:
        return "The row holds no message and no run step of a thread."
    if word(fields, "event").startswith("thread."):
        return [LogUnit(line, one, STREAM) for one in found]
    return [LogUnit(line, one, _thread(one, fields)) for one in found]


def _joined(units: Sequence[LogUnit]) -> list[list[LogUnit]]:
    """Return what the events of a stream made, by thread; a message that broke off has its pieces."""
    texts: dict[str, str] = {}
    made: dict[str, LogUnit] = {}
    for unit in units:
        name = str(unit.fields.get("id"))
        if unit.fields.get("object") == _DELTA:
            content = mapping(unit.fields.get("delta")).get("content")
            texts[name] = texts.get(name, "") + text_of(items(content), "")
        elif name not in made or unit.fields.get("content") or unit.fields.get("step_details"):
            made[name] = unit
    threads: dict[str | None, list[LogUnit]] = {}
    for name, unit in made.items():
        fields = unit.fields
        if name in texts and not text_of(items(fields.get("content"))).strip():
            fields = {**fields, "content": texts[name]}
        thread = _thread(fields, {})
        threads.setdefault(thread, []).append(replace(unit, fields=fields, group=thread))
    return list(threads.values())


def _thread(one: Mapping[str, Any], row: Mapping[str, Any]) -> str | None:
    names = (one.get("thread_id"), row.get("thread_id"), mapping(row.get("thread")).get("id"))
    return next((name for name in names if isinstance(name, str)), None)


def _turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    threads = _joined(units) if units[0].group == STREAM else [units]
    return [turn for thread in threads for turn in _turns_of_thread(thread)]


def _turns_of_thread(units: Sequence[LogUnit]) -> list[TurnFound | NoTurn]:
    messages = [unit for unit in units if unit.fields.get("object") == _MESSAGE]
    if len(messages) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    # Lists of the API begin with the newest message.
    messages.sort(key=lambda unit: _time(unit.fields))
    known: dict[str, list[Passage]] = {}
    for unit in units:
        run = unit.fields.get("run_id")
        if unit.fields.get("object") == _STEP and isinstance(run, str):
            known.setdefault(run, []).extend(_retrieved(unit.fields))
    history: list[str] = []
    found: list[TurnFound | NoTurn] = []
    for unit in messages:
        text = text_of(items(unit.fields.get("content")) or unit.fields.get("content"))
        if unit.fields.get("role") == "assistant" and text.strip():
            found.append(_turn(unit, text, list(history), known))
        if text.strip():
            history.append(text)
    return found or [NoTurn(units[0].line, "No message of the thread is a text of the assistant.")]


def _time(fields: Mapping[str, Any]) -> float:
    created = fields.get("created_at")
    return float(created) if isinstance(created, int | float) else 0.0


def _retrieved(step: Mapping[str, Any]) -> list[Passage]:
    """Return what the tools of a run step brought; nothing of a step that failed."""
    if word(step, "status") in {"failed", "cancelled", "expired"}:
        return []
    found: list[Passage] = []
    for call in items(mapping(step.get("step_details")).get("tool_calls")):
        results = items(mapping(mapping(call).get("file_search")).get("results"))
        for result in results:
            names = {
                "id": mapping(result).get("file_id"),
                "title": mapping(result).get("file_name"),
                "score": mapping(result).get("score"),
            }
            text = text_of(items(mapping(result).get("content")))
            if text.strip():
                found.append({"text": text, **without_none(names)})
        found += passages_of(mapping(mapping(call).get("function")).get("output"))
    return found


def _turn(
    unit: LogUnit,
    text: str,
    history: list[str],
    known: Mapping[str, list[Passage]],
) -> TurnFound:
    fields = unit.fields
    run = fields.get("run_id")
    turn: Fields = {
        "id": fields.get("id"),
        "conversation_id": unit.group,
        "timestamp": fields.get("created_at"),
        "history": history,
        "knowledge": distinct(known.get(run, [])) if isinstance(run, str) else [],
        "response": text,
        **without_none({"run_id": run, "status": fields.get("status")}),
    }
    return TurnFound(unit.line, turn, fields)


ASSISTANTS = Adapter(
    "assistants",
    "OpenAI Assistants API, version 2 (thread.message, thread.run.step)",
    _recognises,
    _split,
    _turns,
)
