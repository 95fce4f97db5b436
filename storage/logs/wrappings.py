"""Wrappings around what a row holds, taken off so that the formats know what is within.

Gateways and model services log a call under names of their own, such as ``request_body`` or Bedrock's
``inputBodyJson``; LangGraph wraps a state into a snapshot, and collectors a server's line into an object.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.fields.embedded_values import opened
from qsquared.storage.logs.fields.field_paths import first_name, value_at
from qsquared.storage.logs.fields.objects import first, items, mapping
from qsquared.storage.logs.file_types.log_lines import by_template, fields_in, records
from qsquared.storage.logs.messages.event_streams import joined_stream
from qsquared.storage.logs.messages.messages import read_message
from qsquared.storage.logs.rows import RawRow, Row, UnreadableRow, excerpt, read_limits
from qsquared.storage.logs.vocabulary import vocabulary

_LEAST_COLUMNS = 4
_W = vocabulary("wrappings")
_STATES, _STATE, _CONVERSATIONS = _W.names("states"), _W.set("state"), _W.names("conversations")
_BODIES = {"request": _W.names("requests"), "response": _W.names("responses")}
_BODY = re.compile(r'"(?:messages|contents|choices|candidates|input|output)"')
_OF_SPANS = {"input", "inputs", "output", "outputs"}
_OF_BODIES = {first_name(path) for one in _BODIES.values() for path in one}
_WRAPPINGS = {*_STATES, *_CONVERSATIONS, *_OF_BODIES}
"""Fields without which a row has no wrapping."""
LINES = vocabulary("envelopes").set("lines")
"""Names of fields in which collectors have the lines of a server."""
_PREFIX = re.compile(
    r"\s*[\[(]?(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR)\b)"
)
"""The begin of a server's line."""


def taken_off(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without the wrappings that are known; a row without any is returned as it is."""
    # Databases write names in capitals unless they are quoted.
    capitals = len(fields) >= _LEAST_COLUMNS and all(map(str.isupper, fields))
    row = {name.lower(): value for name, value in fields.items()} if capitals else dict(fields)
    if not _WRAPPINGS.isdisjoint(fields):
        for step in (_of_state, _of_conversation, _of_call):
            row = step(row)
    return _of_named_call(row) if _BODIES.keys().isdisjoint(row) else row


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _of_state(row: dict[str, Any]) -> dict[str, Any]:
    for outer in _STATES:
        values = row.get(outer)
        if isinstance(values, dict) and not _STATE.isdisjoint(values):
            return {**_without(row, outer), **values}
    return row


def _of_conversation(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose messages have another name as one of messages."""
    for name in () if "messages" in row else _CONVERSATIONS:
        said = [mapping(one) for one in items(row.get(name))]
        if said and all("value" not in one and read_message(one) for one in said):
            return {**_without(row, name), "messages": row[name]}
    return row


def _of_call(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response have another name, or stand within input and output."""
    for ours in _BODIES.keys() - row.keys():
        found = ((path, value_at(row, path)) for path in _BODIES[ours])
        # The chunks of a stream are a list.
        bodies = ((path, body if isinstance(body, list) else mapping(body)) for path, body in found)
        if held := next((one for one in bodies if one[1]), None):
            row = {**_without(row, first_name(held[0])), ours: held[1]}
    return row


def _of_named_call(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose request and response have names of its own, known by what they hold."""
    bodies = [(k, one) for k, one in row.items() if k not in _OF_SPANS and _may_be_body(one)]
    held = {name: mapping(joined_stream(opened(one))) for name, one in bodies}
    if not held:
        return row
    asked = next((name for name, one in held.items() if _asks_model(one)), "")
    told = next((name for name, one in held.items() if _is_of_model(one)), "")
    if not asked or not told:
        return row
    events = opened(row[told])
    response = events if isinstance(events, list) else row[told]
    return {**_without(row, asked, told), "request": row[asked], "response": response}


def _may_be_body(value: Any) -> bool:
    """Whether a value is an object, or a text in which a body's field is named: to read every text costs time."""
    return isinstance(value, dict) or (isinstance(value, str) and _BODY.search(value) is not None)


def _asks_model(body: Mapping[str, Any]) -> bool:
    """Whether an object is a request to a model: messages, Gemini's contents, or the input of OpenAI's Responses."""
    said = [one for name in ("messages", "contents", "input") for one in items(body.get(name))]
    return bool(said) and all(map(read_message, said))


def _is_of_model(body: Mapping[str, Any]) -> bool:
    """Whether an object is a response of a model: choices, or Gemini's candidates, each with what was said.

    OpenAI's Responses and Anthropic's messages say themselves what they are.
    """
    if body.get("object") == "response" or (body.get("type") == "message" and "content" in body):
        return True
    choices = [*map(mapping, items(body.get("choices")))]
    said = [first(one, "message", "delta") or ("finish_reason" in one) for one in choices]
    candidates = map(mapping, items(body.get("candidates")))
    said += ["parts" in mapping(one.get("content")) for one in candidates]
    return bool(said) and all(said)


def records_by(rows: Iterable[Row], path: str, templates: Mapping[str, str]) -> Iterator[Row]:
    """Yield the records of a server by their templates, each with the other fields of the row with its first line."""
    unread: list[Row] = []

    def lines() -> Iterator[tuple[RawRow, tuple[bytes, bool]]]:
        for row in rows:
            if isinstance(row, UnreadableRow):
                unread.append(row)
            elif isinstance(text := value_at(row.fields, path), str):
                yield row, (text.rstrip("\r\n").encode("utf-8", "replace"), True)

    name = first_name(path)
    for begun, text, problem in records(lines(), read_limits()):
        yield from unread
        unread.clear()
        told = by_template(text, templates) if templates else fields_in(text.encode())
        told = told if isinstance(told, dict) else {}
        others = {key: value for key, value in begun.fields.items() if told and key != name}
        if problem:
            yield UnreadableRow(begun.position, begun.line, problem, begun.raw)
        else:
            yield replace(begun, fields={**others, **told}, raw=excerpt(text))
    yield from unread


def with_line(row: Row) -> Row:
    """Return a row with the fields of the server's line that it holds as a text, as collectors of logs write them."""
    if isinstance(row, UnreadableRow) or not (name := line_in(row.fields)):
        return row
    held = fields_in(row.fields[name].encode("utf-8", "replace"))
    if not isinstance(held, dict):
        return row
    others = {key: value for key, value in row.fields.items() if key != name}
    # What the collector itself says goes before what the line says.
    return replace(row, fields={**held, **others})


def line_in(fields: Mapping[str, Any]) -> str:
    """Return the field that has a server's line, with a time or level before its object; empty if there is none."""
    for name in () if LINES.isdisjoint(fields) else LINES.intersection(fields):
        text = fields[name]
        if isinstance(text, str) and _PREFIX.match(text) and text.rstrip().endswith("}"):
            return name if text.find('{"') > 0 else ""
    return ""
