"""Samples of RAGAS: single turns under their old and new names, and conversations.

``reference`` and ``reference_contexts`` are what a person wrote, and no knowledge of the reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import FieldOverrides
from qsquared.storage.logs.adapters.chats.messages import read_messages, replies
from qsquared.storage.logs.adapters.records.record import (
    NO_ANSWER,
    Record,
    answer_text,
    history_of,
    record_adapter,
    texts_in,
)
from qsquared.storage.logs.adapters.texts import items

_NEW = ("user_input", "response", "retrieved_contexts")
_OLD = ("question", "answer", "contexts")


def _recognises(fields: Mapping[str, Any]) -> bool:
    new = "user_input" in fields and bool(fields.keys() & {"response", "retrieved_contexts"})
    several = read_messages(items(fields.get("user_input")))
    return new or bool(several) or (fields.keys() >= set(_OLD))


def _read(fields: Mapping[str, Any]) -> Sequence[Record] | str:
    names = _NEW if "user_input" in fields else _OLD
    asked, answered, contexts = (fields.get(name) for name in names)
    read = frozenset(names)
    if answered is None and read_messages(items(asked)):
        return [
            Record(reply.text, reply.knowledge, reply.history, read)
            for reply in replies(read_messages(items(asked)), FieldOverrides())
        ]
    text = answer_text(answered)
    if text is None:
        return NO_ANSWER
    return [Record(text, texts_in(contexts), history_of(asked), read)]


RAGAS = record_adapter(
    "ragas",
    "RAGAS samples: user_input, response, retrieved_contexts (0.2 on); question, answer, contexts (0.1)",
    _recognises,
    _read,
)
