"""Turns from the rows of a log, and the reasons of rejects.

A row that cannot be read at all is an `UnreadableRow` with its reason (``rows.py``);
``storage/records/inputs/ingest.py`` writes turns and rejects.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from qsquared.storage.keys import pair_id
from qsquared.storage.logs.fields import values
from qsquared.storage.logs.fields.mapping import split_fields
from qsquared.storage.logs.fields.passages import SOURCES, read_knowledge
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import RawRow

UNREAD_TIME = "timestamp_unread"
"""The metadata that holds a time in no known form."""
EMPTY_RESPONSE = "empty_response"
NO_KNOWLEDGE = "no_knowledge"
REASONS = {
    EMPTY_RESPONSE: "The response is empty.",
    NO_KNOWLEDGE: "No knowledge was given with the response.",
}
"""The reason why a turn has nothing to score, by its status."""


def to_turn(
    row: RawRow,
    fingerprint: str,
    file_name: str,
    source: Mapping[str, str],
    options: ReadOptions | None = None,
) -> dict[str, Any] | str:
    """Return a row of a log as a row of the turns table, or the reason why it holds no turn.

    Args:
        row: the row as read.
        fingerprint: the input that it belongs to.
        file_name: name of the log, for turns without an id.
        source: our field → the log's field.
        options: the form of times, and the marks around the passages in a text.
    """
    options = options or ReadOptions()
    ours, rest = split_fields(row.fields, source)
    try:
        response = _response_in(ours, source.get("response", "response"))
        if options.between is not None and "knowledge" in ours:
            ours["knowledge"] = _between(ours["knowledge"], options.between)
        known_as, told_as = source.get("knowledge", "knowledge"), source.get("history", "history")
        knowledge, origins = read_knowledge(known_as, ours.get("knowledge"))
        history = values.read_texts(told_as, ours.get("history"))
        moment, unread = _moment_of(ours.get("timestamp"), options.time_form)
        rest |= {SOURCES: rest.get(SOURCES, origins), **unread} if origins else unread
        status = status_of(response, knowledge)
        name = values.read_name(source.get("id", "id"), ours.get("id"))
        return {
            "input": fingerprint,
            "position": row.position,
            "line": row.line,
            "id": name or _id_by_line(file_name, row),
            "conversation_id": values.read_name(
                source.get("conversation_id", "conversation_id"), ours.get("conversation_id")
            ),
            "turn": values.read_int32(source.get("turn", "turn"), ours.get("turn")),
            "timestamp": moment,
            "history": history,
            "knowledge": knowledge,
            "response": response,
            "metadata": values.to_json(rest),
            "pair_id": None if status else pair_id(response, knowledge),
            "status": status,
            "reason": REASONS[status] if status else None,
        }
    except values.FieldError as error:
        return str(error)


def _response_in(ours: Mapping[str, Any], name: str) -> str:
    if "response" not in ours:
        raise values.FieldError(f"Field {name!r} is missing.")
    if not isinstance(ours["response"], str):
        raise values.wrong(name, ours["response"], "a text")
    return values.clean(ours["response"])


def _moment_of(time: Any, form: str) -> tuple[datetime | None, dict[str, Any]]:
    """Return the moment of a time, and the metadata of one that is in no known form."""
    moment = None if values.is_absent(time) else moment_of(time, form)
    return moment, {} if moment or values.is_absent(time) else {UNREAD_TIME: time}


def _between(value: Any, marks: tuple[str, str]) -> Any:
    """Return the passages between two marks in texts; another value stays as it is."""
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in texts):
        return value
    found = (split_prompt(text, marks) for text in texts)
    return [passage for parts in found if parts is not None for passage in parts.passages]


def _id_by_line(file_name: str, row: RawRow) -> str:
    """Return an id for a turn without one, by its file and line."""
    return f"{values.clean(file_name)}:{row.line}" + (f"#{row.part}" if row.part else "")


def status_of(response: str, knowledge: Sequence[str]) -> str | None:
    """Return the status of a turn that has nothing to score, None if it can be scored.

    What the reply says is not looked at (`qsquared.storage.records.inputs.reply_statuses`).
    """
    if not response.strip():
        return EMPTY_RESPONSE
    return None if knowledge else NO_KNOWLEDGE
