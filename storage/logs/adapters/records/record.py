"""Records: rows with one question, its answer, and the passages that were retrieved for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
)
from qsquared.storage.logs.adapters.chats.answers import asked
from qsquared.storage.logs.adapters.chats.conversations import CONVERSATIONS
from qsquared.storage.logs.adapters.chats.messages import read_messages
from qsquared.storage.logs.adapters.chats.roles import TIMES
from qsquared.storage.logs.adapters.texts import (
    Passage,
    distinct,
    first,
    items,
    parsed,
    passages_of,
)

NO_ANSWER = "The record holds no answer."


@dataclass(frozen=True, slots=True)
class Record:
    """A question, its answer and passages; ``read`` are the fields that need not be metadata."""

    answer: str
    passages: Sequence[Passage]
    history: Sequence[str]
    read: frozenset[str]
    more: Fields = field(default_factory=dict)


def record_adapter(
    name: str,
    convention: str,
    recognises: Callable[[Mapping[str, Any]], bool],
    read: Callable[[Mapping[str, Any]], Sequence[Record] | str],
) -> Adapter:
    """Return the adapter of a format whose rows are records; ``read`` says why a row holds none."""

    def turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
        return [turn for unit in units for turn in _turns_of_row(unit, read)]

    return Adapter(name, convention, recognises, grouped_by(lambda _: None), turns)


def _turns_of_row(
    unit: LogUnit,
    read: Callable[[Mapping[str, Any]], Sequence[Record] | str],
) -> list[TurnFound | NoTurn]:
    found = read(unit.fields)
    if isinstance(found, str):
        return [NoTurn(unit.line, found)]
    fields = unit.fields
    name = first(fields, "id", "record_id", "request_id", "trace_id", "run_id", "question_id")
    turns: list[TurnFound | NoTurn] = []
    for number, record in enumerate(found, start=1):
        several = len(found) > 1
        turn: Fields = {
            **{key: value for key, value in fields.items() if key not in record.read},
            **record.more,
            "id": record.more.get("id") or (f"{name}#{number}" if several and name else name),
            "conversation_id": first(fields, *CONVERSATIONS) or record.more.get("conversation_id"),
            "turn": fields.get("turn") or (number if several else None),
            "timestamp": first(fields, *TIMES) or record.more.get("timestamp"),
            "history": list(record.history),
            "knowledge": distinct(record.passages),
            "response": record.answer,
        }
        turns.append(TurnFound(unit.line, turn, fields))
    return turns or [NoTurn(unit.line, NO_ANSWER)]


def texts_in(value: Any) -> list[Passage]:
    """Return the passages in a list of texts or documents, or in one text."""
    value = parsed(value)
    if isinstance(value, str):
        return passages_of([value])
    return [one for item in items(value) if item is not None for one in passages_of(item, 1)]


def history_of(question: Any, earlier: Any = None) -> list[str]:
    """Return the texts of a conversation: the earlier ones, and the question."""
    said: list[str] = []
    for item in items(earlier):
        pair = item if isinstance(item, list) else [item]
        for one in pair:
            if isinstance(one, str):
                said.append(one)
            else:
                said += [message.text for message in read_messages([one]) if message.text.strip()]
    messages = asked(question)
    said += [m.text for m in messages if m.role in {"user", "assistant"} and m.text.strip()]
    return said


def answer_text(value: Any) -> str | None:
    """Return an answer that is a text, or the text of a message; None for any other value."""
    if isinstance(value, str):
        return value
    messages = read_messages(value) if isinstance(value, Mapping) else []
    return messages[0].text if messages else None
