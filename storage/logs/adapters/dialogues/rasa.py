"""Conversations of Rasa: trackers with their events, and single events of an event broker.

Rasa has no field of its own for retrieved texts: Enterprise Search and custom actions put them into
the metadata of the bot's message, its custom data, or a slot; the usual names are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    TOO_LONG,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
)
from qsquared.storage.logs.adapters.texts import (
    EMPTY,
    Passage,
    distinct,
    items,
    mapping,
    parsed,
    passages_of,
    without_none,
)

_KNOWN = {
    "search_results", "retrieved_documents", "retrieved_contexts", "retrieved_context", "documents",
    "sources", "context", "contexts", "passages", "knowledge", "knowledge_base_results",
    "relevant_documents", "faq_results", "docs", "snippets", "citations", "search_result",
}  # fmt: skip
_EVENTS = {"user", "bot", "action", "slot", "session_started", "restart"}


def _recognises(fields: Mapping[str, Any]) -> bool:
    events = [mapping(event) for event in items(fields.get("events"))[:20]]
    if any(
        event.get("event") in _EVENTS for event in events if isinstance(event.get("event"), str)
    ):
        return True
    kind = fields.get("event")
    return isinstance(kind, str) and kind in _EVENTS and "sender_id" in fields


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    if "events" in fields:
        return [LogUnit(line, fields)]
    sender = fields.get("sender_id")
    return [LogUnit(line, fields, sender if isinstance(sender, str) else None)]


def _turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if "events" in units[0].fields:
        tracker = units[0]
        events = [(tracker.line, mapping(event)) for event in items(tracker.fields["events"])]
        sender = tracker.fields.get("sender_id")
    else:
        events = [(unit.line, unit.fields) for unit in units]
        sender = units[0].group
    if len(events) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    found: list[TurnFound | NoTurn] = list(_of_events(events, sender))
    return found or [NoTurn(units[0].line, "The conversation holds no text of the bot.")]


def _of_events(events: Sequence[tuple[int, Mapping[str, Any]]], sender: Any) -> Iterator[TurnFound]:
    history: list[str] = []
    known: list[Passage] = []
    number = 0
    for line, event in events:
        kind, text = event.get("event"), event.get("text")
        said = isinstance(text, str) and bool(text.strip())
        if kind == "user" and said:
            history.append(str(text))
            known = []
        elif kind == "slot":
            known += _named({str(event.get("name")): event.get("value")})
        elif kind == "action":
            known += _held(event.get("metadata"))
        elif kind == "bot":
            known += [*_held(event.get("metadata")), *_held(event.get("data"))]
            if said:
                number += 1
                turn: Fields = {
                    "id": mapping(event.get("metadata")).get("message_id"),
                    "conversation_id": sender,
                    "turn": number,
                    "timestamp": event.get("timestamp"),
                    "history": list(history),
                    "knowledge": distinct(known),
                    "response": text,
                    **without_none(
                        {"utter_action": mapping(event.get("metadata")).get("utter_action")}
                    ),
                }
                yield TurnFound(line, turn, event)
                history.append(str(text))


def _held(value: Any) -> list[Passage]:
    """Return the passages in a message's metadata or data, also within its custom part."""
    held = mapping(value)
    return [
        *_named(held),
        *_named(mapping(held.get("custom"))),
        *_named(mapping(held.get("metadata"))),
    ]


def _named(held: Mapping[str, Any]) -> list[Passage]:
    return [
        one
        for name, value in held.items()
        if str(name).lower() in _KNOWN and parsed(value) not in EMPTY
        for one in passages_of(value)
    ]


RASA = Adapter(
    "rasa",
    "Rasa 3 trackers and events (tracker store, HTTP API, event broker)",
    _recognises,
    _split,
    _turns,
)
