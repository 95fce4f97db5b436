"""Conversation logs of Amazon Lex V2, one exchange a row.

Knowledge are the results that the QnA intent or a fulfilment function put into the attributes of
the request or the session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    first,
    has_text,
    items,
    mapping,
    parsed,
    passages_of,
)

_KNOWN = (
    "kendra-search-response", "qna-search-response", "retrieved", "search_results", "searchresults",
    "context", "documents", "sources", "passages", "knowledge", "citations", "excerpts",
)  # fmt: skip
_NOT = ("source-uri", "session-id", "activecontexts", "response-source")
_SPOKEN = {None, "PlainText", "SSML"}
_READ = frozenset({"inputTranscript", "messages", "sessionState", "requestAttributes", "sessionAttributes", "interpretations"})  # fmt: skip


def _recognises(fields: Mapping[str, Any]) -> bool:
    whole = _whole(fields)
    asked = whole.keys() & {"inputTranscript", "messageVersion", "missedUtterance"}
    return (
        "sessionId" in whole and bool(asked) and bool(whole.keys() & {"messages", "sessionState"})
    )


def _whole(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the entry itself, out of the event of CloudWatch that may hold it as text."""
    for name in ("message", "@message", "jsonPayload"):
        held = mapping(fields.get(name))
        if "sessionId" in held:
            return held
    return fields


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    whole = dict(_whole(fields))
    session = whole.get("sessionId")
    return [LogUnit(line, whole, session if isinstance(session, str) else None)]


def _turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    if len(units) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    history: list[str] = []
    found: list[TurnFound | NoTurn] = []
    before: Mapping[str, Any] = {}
    for unit in units:
        fields = unit.fields
        said = fields.get("inputTranscript")
        history = [*history, *([said] if isinstance(said, str) and said.strip() else [])]
        said_back = [mapping(message) for message in items(fields.get("messages"))]
        texts = [one.get("content") for one in said_back if one.get("contentType") in _SPOKEN]
        spoken = [text for text in texts if isinstance(text, str) and text.strip()]
        attributes = _attributes(fields)
        if spoken:
            # The attributes of a session stay until they are set anew.
            fresh = {name: held for name, held in attributes.items() if before.get(name) != held}
            text = "\n".join(spoken)
            number = sum(isinstance(one, TurnFound) for one in found) + 1
            found.append(_turn(unit, text, history, _known(fresh, text), number))
            history = [*history, *spoken]
        else:
            found.append(NoTurn(unit.line, "The exchange holds no message of the bot."))
        before = attributes
    return found


def _attributes(fields: Mapping[str, Any]) -> dict[str, Any]:
    state = mapping(fields.get("sessionState"))
    return {
        **mapping(state.get("sessionAttributes")),
        **mapping(fields.get("sessionAttributes")),
        **mapping(fields.get("requestAttributes")),
    }


def _known(attributes: Mapping[str, Any], text: str) -> list[Passage]:
    found: list[Passage] = []
    for name, value in attributes.items():
        lowered = str(name).lower()
        named = any(word in lowered for word in _KNOWN) and (
            _holds_texts(value) or not any(word in lowered for word in _NOT)
        )
        # The answer that was made of the passages is kept beside them.
        if named and parsed(value) not in EMPTY and value != text:
            found += passages_of(value)
    return distinct(found)


def _holds_texts(value: Any) -> bool:
    """Whether a value is a list of documents with their texts, and not of their addresses alone."""
    held = items(value)
    return bool(held) and all(isinstance(one, Mapping) and has_text(one) for one in held)


def _turn(
    unit: LogUnit,
    text: str,
    history: Sequence[str],
    known: Sequence[Passage],
    number: int,
) -> TurnFound:
    fields = unit.fields
    turn: Fields = {
        **{key: value for key, value in fields.items() if key not in _READ},
        "id": first(fields, "requestId", "eventId"),
        "conversation_id": unit.group,
        "turn": number,
        "timestamp": fields.get("timestamp"),
        "history": list(history),
        "knowledge": list(known),
        "response": text,
    }
    return TurnFound(unit.line, turn, fields)


LEX = Adapter(
    "lex",
    "Amazon Lex V2 conversation logs (messageVersion 2.0) and responses of RecognizeText",
    _recognises,
    _split,
    _turns,
)
