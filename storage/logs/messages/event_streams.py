"""Streams of events, joined to the responses that they make; one that broke off gives what had come.

The events are those of OpenAI's chat completions (also Azure's), its Responses API and its Assistants
API, and of Anthropic's Messages API.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.logs.fields.objects import items, mapping, text_of, word
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("streams")
ENDS = _V.set("ends")
_OF_EVENTS = {"object", "data", "type"}
"""Fields without which a row is no event."""
Event = Mapping[str, Any]


def event_in(fields: Event) -> Event | None:
    """Return the event of a stream that a row is or holds as ``data``, None if it is none."""
    if _OF_EVENTS.isdisjoint(fields):
        return None
    if fields.get("object") in _V.names("chunks"):
        return fields
    for held in (fields, mapping(fields.get("data"))):
        kind = word(held, "type")
        if kind in _V.set("anthropic") or (
            kind.startswith("response.")
            and held.keys() & {"sequence_number", "response", "delta", "item", "item_id"}
        ):
            return held
    return None


def joined_stream(value: Any) -> Any:
    """Return the response that a list of events makes; any other value as an object or as it is."""
    if isinstance(value, str | dict):
        return mapping(value) or value
    events = [event_in(mapping(one)) for one in items(value)]
    held = [one for one in events if one is not None]
    made = joined_events(held) if held and len(held) == len(events) else []
    return made[-1][1] if made else value


def joined_events(events: Sequence[Event]) -> list[tuple[int, dict[str, Any]]]:
    """Return the responses that events make, each with the place of its first event."""
    if all(one.get("object") in _V.names("chunks") for one in events):
        return [(0, _joined_chunks(events))]
    if any(word(one, "type").startswith("response.") for one in events):
        return _joined_responses(events)
    return _joined_messages(events)


def _joined_chunks(chunks: Sequence[Event]) -> dict[str, Any]:
    messages: dict[int, dict[str, Any]] = {}
    for chunk in chunks:
        for place, choice in enumerate(map(mapping, items(chunk.get("choices")))):
            delta, number = mapping(choice.get("delta")), choice.get("index", place)
            if not isinstance(number, int):
                continue
            message = messages.setdefault(number, {"role": "assistant", "content": None})
            message |= {key: delta[key] for key in ("context", "tool_calls") if delta.get(key)}
            if isinstance(piece := delta.get("content"), str):
                message["content"] = (message["content"] or "") + piece
    spoken = [{"message": one} for one in messages.values() if one["content"] is not None]
    return {**chunks[0], "object": "chat.completion", "choices": spoken}


def _joined_messages(events: Sequence[Event]) -> list[tuple[int, dict[str, Any]]]:
    """Return the messages of Anthropic's events."""
    made: list[tuple[int, dict[str, Any]]] = []
    for place, event in enumerate(events):
        kind, delta, number = event.get("type"), mapping(event.get("delta")), event.get("index")
        if kind == "message_start":
            made.append((place, {**mapping(event.get("message")), "content": {}}))
        message = made[-1][1] if made else {"content": {}}
        blocks = message["content"]
        number = number if isinstance(number, int) else len(blocks)
        if kind == "content_block_start":
            blocks[number] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            block = blocks.setdefault(number, {"type": "text"})
            if isinstance(piece := delta.get("text"), str):
                block["text"] = word(block, "text") + piece
            if (citation := delta.get("citation")) is not None:
                block["citations"] = [*items(block.get("citations")), citation]
        elif kind == "message_delta":
            message.update(delta)
    return [(place, {**one, "content": [*one["content"].values()]}) for place, one in made]


def _joined_responses(events: Sequence[Event]) -> list[tuple[int, dict[str, Any]]]:
    """Return the response of each event that ends a stream, and what came of streams without an end."""
    made: list[tuple[int, dict[str, Any]]] = []
    opened: dict[str, tuple[int, dict[str, Any], dict[str, Any]]] = {}
    for place, event in enumerate(events):
        kind, whole = word(event, "type"), mapping(event.get("response"))
        if kind in ENDS and whole:
            made += [] if event.get("read") else [(place, dict(whole))]
            opened = {k: held for k, held in opened.items() if k and k != word(whole, "id")}
            continue
        if kind not in _V.set("pieces"):
            continue
        if kind == "response.created" or not opened:
            kept = {key: whole.get(key) for key in _V.names("kept")} if whole else {}
            response = {"object": "response", "status": "incomplete", **kept}
            opened[word(whole, "id")] = (place, response, {})
        _, _, output = next(reversed(opened.values()))
        item = mapping(event.get("item"))
        name = str(item.get("id") if item else event.get("item_id"))
        if kind == "response.output_item.done":
            output[name] = dict(item)
        elif kind == "response.output_text.delta":
            part = {"type": "output_text", "text": "", "annotations": []}
            message = {"id": name, "type": "message", "role": "assistant", "content": [part]}
            output.setdefault(name, message)["content"][0]["text"] += str(event.get("delta") or "")
    cut = ((place, one, [*output.values()]) for place, one, output in opened.values() if output)
    return made + [(place, {**response, "output": output}) for place, response, output in cut]


def joined_thread(objects: Sequence[Event]) -> list[Event]:
    """Return the messages and steps of a thread; a message that broke off has its pieces."""
    texts: dict[str, str] = {}
    made: dict[str, Event] = {}
    for one in objects:
        name = str(one.get("id"))
        if one.get("object") == "thread.message.delta":
            content = mapping(one.get("delta")).get("content")
            texts[name] = texts.get(name, "") + text_of(items(content), "")
        elif name not in made or one.get("content") or one.get("step_details"):
            made[name] = one
    for name, one in made.items():
        if name in texts and not text_of(items(one.get("content"))).strip():
            made[name] = {**one, "content": texts[name]}
    return [*made.values()]
