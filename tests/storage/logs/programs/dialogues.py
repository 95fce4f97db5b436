"""The conversation of `desk` as dialogue platforms publish it."""

from __future__ import annotations

import json

from tests.storage.logs.adapter_logs import Rows
from tests.storage.logs.desk import DESK, IDS, TITLES
from tests.storage.logs.programs.parts import TIME, Row


def rasa() -> Rows:
    """Return the log of the program `rasa`."""
    events: Rows = [
        {"event": "action", "name": "action_session_start", "timestamp": TIME},
        {"event": "session_started", "timestamp": TIME},
    ]
    for number, one in enumerate(DESK):
        at = TIME + 10 * number
        events.append(
            {
                "event": "user",
                "timestamp": at,
                "text": one.question,
                "parse_data": {"intent": {"name": "ask"}},
                "input_channel": "rest",
            }
        )
        events.append({"event": "action", "timestamp": at + 1, "name": "action_trigger_search"})
        metadata: Row = {"utter_source": "EnterpriseSearchPolicy"}
        if one.passages is not None:
            metadata["search_results"] = [
                {"text": t, "metadata": {"source": f"{IDS[t]}.md"}, "score": 0.7}
                for t in one.passages
            ]
        events.append(
            {
                "event": "bot",
                "timestamp": at + 2,
                "text": one.reply,
                "data": {"custom": None, "buttons": None},
                "metadata": metadata,
            }
        )
    return [
        {"sender_id": "u1", "slots": {"name": None}, "latest_event_time": TIME, "events": events}
    ]


def lex() -> Rows:
    """Return the log of the program `lex`."""
    rows = []
    for number, one in enumerate(DESK):
        attributes = {"x-amz-lex:qnA-search-response-source": "s3://kb"} if one.passages else {}
        if one.passages:
            attributes["x-amz-lex:qnA-search-response"] = json.dumps(
                [{"text": t} for t in one.passages]
            )
        rows.append({
            "messageVersion": "2.0", "botId": "B", "botAliasId": "A", "sessionId": "s1", "requestId": f"r{number}", "timestamp": f"2026-11-16T10:0{number}:00.000Z",
            "inputTranscript": one.question, "rawInputTranscript": one.question, "requestAttributes": attributes,
            "sessionState": {"intent": {"name": "QnAIntent", "state": "Fulfilled"}, "originatingRequestId": "o"}, "messages": [{"contentType": "PlainText", "content": one.reply}],
        })  # fmt: skip
    return rows


def dialogflow() -> Rows:
    """Return the log of the program `dialogflow`."""
    interactions = []
    for number, one in enumerate(DESK):
        result: Row = {
            "text": one.question,
            "languageCode": "en",
            "responseMessages": [{"text": {"text": [one.reply]}}],
            "match": {"matchType": "KNOWLEDGE_CONNECTOR"},
        }
        if one.passages is not None:
            result["dataStoreConnectionSignals"] = {
                "rewrittenQuery": "x",
                "searchSnippets": [
                    {
                        "documentTitle": TITLES[t],
                        "documentUri": f"https://shop.example/{IDS[t]}",
                        "text": t,
                    }
                    for t in one.passages
                ],
                "answer": one.reply,
            }
        interactions.append(
            {
                "request": {"queryInput": {"text": {"text": one.question}, "languageCode": "en"}},
                "response": {"responseId": f"r{number}", "queryResult": result},
                "createTime": f"2026-11-16T10:0{number}:00Z",
            }
        )
    return [
        {
            "name": "projects/p/locations/l/agents/a/conversations/c1",
            "interactions": interactions[::-1],
        }
    ]
