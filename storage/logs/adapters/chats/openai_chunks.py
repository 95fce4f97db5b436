"""Chunks of a streamed chat completion, joined to the completion that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.texts import items, mapping

_CHUNKS = ("chat.completion.chunk", "extensions.chat.completion.chunk")


def is_chunk(fields: Mapping[str, Any]) -> bool:
    """Whether a row is a chunk of a stream, of OpenAI or of Azure "on your data"."""
    return fields.get("object") in _CHUNKS


def chunks_in(value: Any) -> list[Mapping[str, Any]]:
    """Return the chunks in a list that holds nothing else; an empty list for any other value."""
    found = [mapping(one) for one in items(value)]
    return found if found and all(map(is_chunk, found)) else []


def joined_chunks(chunks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one completion out of the chunks of a stream, also of one that broke off."""
    texts: dict[int, str] = {}
    contexts: dict[int, Any] = {}
    calls: set[int] = set()
    for chunk in chunks:
        for choice in items(chunk.get("choices")):
            delta = mapping(mapping(choice).get("delta"))
            piece, number = delta.get("content"), mapping(choice).get("index")
            if not isinstance(number, int):
                continue
            if delta.get("context"):
                contexts[number] = delta["context"]
            if delta.get("tool_calls"):
                calls.add(number)
            if isinstance(piece, str):
                texts[number] = texts.get(number, "") + piece
    choices: list[dict[str, Any]] = [
        {
            "message": {
                "role": "assistant",
                "content": text,
                "context": contexts.get(number),
                **({"tool_calls": [{}]} if number in calls else {}),
            }
        }
        for number, text in texts.items()
    ]
    return {**chunks[0], "object": "chat.completion", "choices": choices}
