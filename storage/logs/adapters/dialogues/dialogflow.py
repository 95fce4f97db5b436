"""Interactions of Dialogflow CX: responses of detectIntent, histories, and the export to BigQuery.

Knowledge are the snippets that a data store found for the answer, or a tool of a playbook returned.
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
    Passage,
    distinct,
    first,
    items,
    mapping,
    passages_of,
)

_ASKED = ("text", "transcript", "queryText", "triggerEvent")
_SIGNALS = ("dataStoreConnectionSignals", "data_store_connection_signals")


def _result(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the query result of an interaction, in either spelling."""
    for name in ("response", "detectIntentResponse", "jsonPayload", "payload"):
        held = mapping(fields.get(name))
        if found := first(held, "queryResult", "query_result"):
            return mapping(found)
    return mapping(first(fields, "queryResult", "query_result"))


def _recognises(fields: Mapping[str, Any]) -> bool:
    interactions = items(fields.get("interactions"))
    if interactions:
        return any(_result(mapping(one)) for one in interactions[:3])
    result = _result(fields)
    return bool(
        result.keys() & {"responseMessages", "response_messages", "fulfillmentText", *_SIGNALS}
    )


def _split(line: int, fields: Fields) -> list[LogUnit] | str:
    interactions = items(fields.get("interactions"))
    if interactions:
        return [LogUnit(line, {**fields, "interactions": interactions})]
    session = _session(fields)
    return [LogUnit(line, fields, session)]


def _session(fields: Mapping[str, Any]) -> str | None:
    """Return the name of the conversation: that of the session, without the project before it."""
    request = mapping(first(fields, "request", "detectIntentRequest"))
    named = first(fields, "conversation_name", "session_id", "sessionId", "session", "name")
    named = named or first(request, "session") or mapping(fields.get("labels")).get("session_id")
    named = named or mapping(_result(fields).get("diagnosticInfo")).get("Session Id")
    if not isinstance(named, str):
        return None
    return named.rstrip("/").rsplit("/", 1)[-1]


def _turns(units: Sequence[LogUnit], _overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    row = units[0].fields
    if "interactions" in row:
        # Histories of the API begin with the newest interaction.
        parts = [(units[0].line, mapping(one)) for one in row["interactions"]]
        conversation = _session(row)
    else:
        parts = [(unit.line, unit.fields) for unit in units]
        conversation = units[0].group
    if len(parts) ** 2 > MOST_PLACES:
        return [NoTurn(units[0].line, TOO_LONG)]
    parts.sort(key=lambda part: (_place(part[1]), str(_time(part[1]) or "")))
    history: list[str] = []
    found: list[TurnFound | NoTurn] = []
    for line, fields in parts:
        result = _result(fields)
        if asked := _question(fields, result):
            history.append(asked)
        text = _answer(result)
        if text is None:
            found.append(NoTurn(line, "The interaction holds no text of the agent."))
            continue
        turn: Fields = {
            "id": first(mapping(fields.get("response")), "responseId")
            or first(fields, "responseId", "insertId"),
            "conversation_id": conversation,
            "turn": len(found) + 1,
            "timestamp": _time(fields),
            "history": list(history),
            "knowledge": _known(result),
            "response": text,
            "language": first(result, "languageCode", "language_code"),
        }
        found.append(TurnFound(line, turn, fields))
        history.append(text)
    return found


def _place(fields: Mapping[str, Any]) -> int:
    number = fields.get("turn_position")
    return number if isinstance(number, int) else 0


def _time(fields: Mapping[str, Any]) -> Any:
    return first(fields, "createTime", "request_time", "requestTime", "timestamp", "create_time")


def _question(fields: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    request = mapping(first(fields, "request", "detectIntentRequest"))
    asked = mapping(first(request, "queryInput", "query_input"))
    held = (mapping(asked.get("text")).get("text"), *(result.get(name) for name in _ASKED))
    return next((text for text in held if isinstance(text, str) and text.strip()), None)


def _answer(result: Mapping[str, Any]) -> str | None:
    texts: list[str] = []
    for message in items(first(result, "responseMessages", "response_messages")):
        held = mapping(message)
        for inner in (held.get("text"), mapping(held.get("outputAudioText")).get("text")):
            said = mapping(inner).get("text") if isinstance(inner, Mapping) else inner
            spoken = said if isinstance(said, list) else [said]
            texts += [text for text in spoken if isinstance(text, str) and text.strip()]
    said = result.get("fulfillmentText")  # Dialogflow ES
    if not texts and isinstance(said, str) and said.strip():
        return said
    return "\n".join(texts) if texts else None


def _known(result: Mapping[str, Any]) -> list[Passage]:
    held = [mapping(first(result, *_SIGNALS)), mapping(mapping(result.get("diagnosticInfo")).get("Data Store Signals"))]  # fmt: skip
    found: list[Passage] = []
    for signals in held:
        snippets = items(first(signals, "searchSnippets", "search_snippets"))
        if not snippets:
            cited = items(first(signals, "citedSnippets", "cited_snippets"))
            snippets = [first(mapping(one), "searchSnippet", "search_snippet") for one in cited]
        for snippet in snippets:
            if not isinstance(snippet, Mapping):
                continue
            names = {
                "title": first(snippet, "documentTitle", "document_title"),
                "url": first(snippet, "documentUri", "document_uri"),
            }
            named = {key: name for key, name in names.items() if isinstance(name, str)}
            found += [{**one, **named} for one in passages_of(snippet.get("text"), 1)]
    tracing = mapping(mapping(result.get("generativeInfo")).get("actionTracingInfo"))
    for action in items(tracing.get("actions")):
        output = mapping(mapping(action).get("toolUse")).get("outputActionParameters")
        found += passages_of(output) if output else []
    for one in map(mapping, items(mapping(result.get("knowledgeAnswers")).get("answers"))):
        told = {"title": one.get("faqQuestion"), "url": one.get("source"), "score": one.get("matchConfidence")}  # fmt: skip
        beside = {key: name for key, name in told.items() if name}
        found += [{**passage, **beside} for passage in passages_of(one.get("answer"), 1)]
    return distinct(found)


DIALOGFLOW = Adapter(
    "dialogflow",
    "Dialogflow CX v3: detectIntent, conversation history, interaction logs in BigQuery; ES v2",
    _recognises,
    _split,
    _turns,
)
