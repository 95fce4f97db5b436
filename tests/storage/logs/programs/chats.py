"""The conversation of `desk` as the programs that log chats publish it."""

from __future__ import annotations

import json
from typing import Any

from tests.storage.logs.adapter_logs import Rows
from tests.storage.logs.desk import DESK, ERROR, IDS, TITLES
from tests.storage.logs.programs.parts import Row, docs, looked_up


def anthropic() -> Rows:
    """Return the log of the program `anthropic`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        messages: Rows = [*before, {"role": "user", "content": one.question}]
        if looked_up(one):
            found: Any = [
                {
                    "type": "search_result",
                    "source": f"https://shop.example/{IDS[t]}",
                    "title": TITLES[t],
                    "content": [{"type": "text", "text": t}],
                    "citations": {"enabled": True},
                }
                for t in one.passages or ()
            ]
            result: Row = {
                "type": "tool_result",
                "tool_use_id": "t",
                "content": ERROR if one.failed else found,
            }
            messages += [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "search", "input": {}}],
                },
                {"role": "user", "content": [result | ({"is_error": True} if one.failed else {})]},
            ]
        half = len(one.reply) // 2
        content = [
            {"type": "text", "text": one.reply[:half]},
            {
                "type": "text",
                "text": one.reply[half:],
                "citations": [{"type": "search_result_location", "cited_text": "x"}],
            },
        ]
        rows.append({
            "request": {"model": "claude", "max_tokens": 50, "system": "You answer for a shop.", "messages": messages},
            "response": {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": content, "stop_reason": "max_tokens" if one.cut else "end_turn"},
        })  # fmt: skip
        before = [*messages, {"role": "assistant", "content": content}]
    return rows


def anthropic_documents() -> Rows:
    """Return the log of the program `anthropic_documents`."""
    rows = []
    for number, one in enumerate(DESK):
        documents = [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": t},
                "title": TITLES[t],
                "citations": {"enabled": True},
            }
            for t in one.passages or ()
        ]
        messages = [
            {"role": "user", "content": [*documents, {"type": "text", "text": one.question}]}
        ]
        content = [{"type": "text", "text": one.reply}]
        rows.append(
            {
                "request": {"messages": messages},
                "response": {
                    "id": f"m{number}",
                    "type": "message",
                    "role": "assistant",
                    "content": content,
                },
            }
        )
    return rows


def vercel_ui() -> Rows:
    """Return the log of the program `vercel_ui`."""
    messages: Rows = []
    for number, one in enumerate(DESK):
        messages.append(
            {"id": f"u{number}", "role": "user", "parts": [{"type": "text", "text": one.question}]}
        )
        parts: Rows = [{"type": "step-start"}]
        if one.failed:
            parts.append(
                {
                    "type": "tool-order",
                    "toolCallId": "c",
                    "state": "output-error",
                    "input": {},
                    "errorText": "timeout",
                }
            )
        elif one.passages is not None:
            parts.append(
                {
                    "type": "tool-search",
                    "toolCallId": "c",
                    "state": "output-available",
                    "input": {"q": "x"},
                    "output": {"results": docs(one)},
                }
            )
        parts.append(
            {"type": "text", "text": one.reply, "state": "streaming" if one.cut else "done"}
        )
        messages.append({"id": f"a{number}", "role": "assistant", "parts": parts})
    return [{"id": "chat1", "messages": messages}]


def vercel_model() -> Rows:
    """Return the log of the program `vercel_model`."""
    messages: Rows = [{"role": "system", "content": "You answer for a shop."}]
    for one in DESK:
        messages.append({"role": "user", "content": [{"type": "text", "text": one.question}]})
        if looked_up(one):
            output = (
                {"type": "error-text", "value": ERROR}
                if one.failed
                else {"type": "json", "value": docs(one)}
            )
            messages += [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool-call", "toolCallId": "c", "toolName": "search", "input": {}}
                    ],
                },
                {
                    "role": "tool",
                    "content": [
                        {
                            "type": "tool-result",
                            "toolCallId": "c",
                            "toolName": "search",
                            "output": output,
                        }
                    ],
                },
            ]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": one.reply}]})
    return [{"messages": messages}]


def sharegpt() -> Rows:
    """Return the log of the program `sharegpt`."""
    said: Rows = [{"from": "system", "value": "You answer for a shop."}]
    for one in DESK:
        said.append({"from": "human", "value": one.question})
        if looked_up(one):
            said.append({"from": "function_call", "value": '{"name": "search", "arguments": {}}'})
            said.append(
                {
                    "from": "observation",
                    "value": ERROR if one.failed else json.dumps(docs(one, "content")),
                }
            )
        said.append({"from": "gpt", "value": one.reply})
    return [{"id": "g1", "conversations": said}]
