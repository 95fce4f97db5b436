"""The conversation of `desk` as the interfaces of OpenAI and Azure publish it."""

from __future__ import annotations

import json

from tests.storage.logs.adapter_logs import Rows
from tests.storage.logs.desk import DESK, ERROR, IDS, TITLES
from tests.storage.logs.programs.parts import TIME, Row, docs, looked_up, tool_call


def openai_chat() -> Rows:
    """Return the log of the program `openai_chat`."""
    messages: Rows = [{"role": "system", "content": "You answer for a shop."}]
    for number, one in enumerate(DESK):
        messages.append({"role": "user", "content": one.question})
        if looked_up(one):
            result = (
                json.dumps({"error": "timeout"}) if one.failed else json.dumps(docs(one, "content"))
            )
            messages.append(
                {"role": "assistant", "content": None, "tool_calls": [tool_call(number)]}
            )
            messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
        messages.append({"role": "assistant", "content": one.reply})
    return [{"id": "c1", "created": TIME, "model": "gpt-4o", "messages": messages}]


def _prompted(place: str) -> Rows:
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        context = (
            "\n\n".join(f"[{n}] {t}" for n, t in enumerate(one.passages or (), 1))
            or "No documents found."
        )
        asked = {"role": "user", "content": one.question}
        if place == "system":
            prompt = f"You answer for a shop. Use only the sources.\n\nSources:\n{context}\n\nAnswer briefly."
            messages = [{"role": "system", "content": prompt}, *before, asked]
        else:
            text = f"Context information is below.\n---------------------\n{context}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\nQuery: {one.question}\nAnswer: "
            messages = [
                {"role": "system", "content": "You answer for a shop."},
                *before,
                {"role": "user", "content": text},
            ]
        choice = {
            "index": 0,
            "finish_reason": "length" if one.cut else "stop",
            "message": {"role": "assistant", "content": one.reply},
        }
        response = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": TIME + number,
            "choices": [choice],
        }
        rows.append({"request": {"model": "gpt-4o", "messages": messages}, "response": response})
        before += [asked, {"role": "assistant", "content": one.reply}]
    return rows


def openai_system() -> Rows:
    """Return the log of the program `openai_system`."""
    return _prompted("system")


def openai_user() -> Rows:
    """Return the log of the program `openai_user`."""
    return _prompted("user")


def openai_responses() -> Rows:
    """Return the log of the program `openai_responses`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        asked = {"role": "user", "content": [{"type": "input_text", "text": one.question}]}
        given: Rows = [*before, asked]
        output: Rows = []
        if one.failed:
            given += [
                {"type": "function_call", "call_id": "f", "name": "order", "arguments": "{}"},
                {
                    "type": "function_call_output",
                    "call_id": "f",
                    "output": json.dumps({"error": "timeout"}),
                },
            ]
        elif one.passages is not None:
            results = [
                {
                    "file_id": IDS[t],
                    "filename": f"{IDS[t]}.md",
                    "score": 0.9,
                    "text": t,
                    "attributes": {},
                }
                for t in one.passages
            ]
            output.append(
                {
                    "id": "fs_1",
                    "type": "file_search_call",
                    "status": "completed",
                    "queries": ["x"],
                    "results": results,
                }
            )
        marks = (
            [{"type": "file_citation", "index": 3, "file_id": "d1", "filename": "d1.md"}]
            if one.passages
            else []
        )
        content = [{"type": "output_text", "text": one.reply, "annotations": marks}]
        output.append(
            {
                "id": f"msg_{number}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        )
        response = {
            "id": f"resp_{number}",
            "object": "response",
            "created_at": TIME + number,
            "model": "gpt-4.1",
            "status": "incomplete" if one.cut else "completed",
            "instructions": "You answer for a shop.",
            "output": output,
        }
        rows.append({"request": {"model": "gpt-4.1", "input": given}, "response": response})
        before += [
            asked,
            {"role": "assistant", "content": [{"type": "output_text", "text": one.reply}]},
        ]
    return rows


def azure() -> Rows:
    """Return the log of the program `azure`."""
    rows = []
    before: Rows = []
    for number, one in enumerate(DESK):
        citations = [
            {
                "content": t,
                "title": TITLES[t],
                "url": "https://shop.example",
                "filepath": f"{IDS[t]}.md",
                "chunk_id": "0",
            }
            for t in one.passages or ()
        ]
        message = {
            "role": "assistant",
            "content": one.reply,
            "context": {"citations": citations, "intent": '["x"]'},
        }
        asked = {"role": "user", "content": one.question}
        rows.append({
            "request": {"messages": [*before, asked], "data_sources": [{"type": "azure_search"}]},
            "response": {"id": f"a{number}", "object": "extensions.chat.completion", "created": TIME, "choices": [{"index": 0, "message": message}]},
        })  # fmt: skip
        before += [asked, {"role": "assistant", "content": one.reply}]
    return rows


def assistants() -> Rows:
    """Return the log of the program `assistants`."""
    rows: Rows = []
    for number, one in enumerate(DESK):
        at = TIME + 10 * number

        def said(role: str, text: str, when: int, run: str | None) -> Row:
            content = [{"type": "text", "text": {"value": text, "annotations": []}}]
            return {
                "id": f"msg_{when}",
                "object": "thread.message",
                "created_at": when,
                "thread_id": "th",
                "role": role,
                "run_id": run,
                "content": content,
            }

        rows.append(said("user", one.question, at, None))
        if looked_up(one):
            results = [
                {
                    "file_id": IDS[t],
                    "file_name": f"{IDS[t]}.md",
                    "score": 0.7,
                    "content": [{"type": "text", "text": t}],
                }
                for t in one.passages or ()
            ]
            call: Row = {"id": "c", "type": "file_search", "file_search": {"results": results}}
            if one.failed:
                call = {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "order", "arguments": "{}", "output": ERROR},
                }
            rows.append(
                {
                    "id": f"step_{number}",
                    "object": "thread.run.step",
                    "created_at": at + 1,
                    "thread_id": "th",
                    "run_id": f"run_{number}",
                    "status": "completed",
                    "type": "tool_calls",
                    "step_details": {"type": "tool_calls", "tool_calls": [call]},
                }
            )
        rows.append(said("assistant", one.reply, at + 2, f"run_{number}"))
    return [
        {"object": "list", "data": rows[::-1], "first_id": "x", "last_id": "y", "has_more": False}
    ]


def message_rows() -> Rows:
    """Return the log of a chat application's table of messages."""
    messages = openai_chat()[0]["messages"]
    return [
        {"id": n, "conversation_id": "c1", "created_at": TIME + n, **m}
        for n, m in enumerate(messages)
    ]
