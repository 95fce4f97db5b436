"""Tests of the passages of a trace that a model was given."""

from __future__ import annotations

import html

from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import FACT, OTHER, REPLY


def test_what_was_found_and_stands_in_no_prompt_was_dropped_on_the_way(read: Read) -> None:
    """Whatever dropped it; the prompt tells what the model was given, in whatever marks and escapes."""
    found = [FACT, OTHER, "Invoices come by e-mail on the first of the month."]
    prompt = f"<docs>\n<doc>{html.escape(OTHER)}</doc>\n<doc>{FACT[:90]}…</doc>\n</docs>"
    kinds = {
        "RETRIEVER": {
            "attributes.retrieval.documents": [{"document.content": one} for one in found]
        },
        "LLM": {
            "attributes.llm.input_messages": [
                {"message.role": "system", "message.content": prompt}
            ],
            "attributes.output.value": REPLY,
        },
    }
    rows = [
        {"context.trace_id": "t", "context.span_id": kind, "parent_id": None, "name": kind,
         "start_time": f"2026-03-02T09:00:0{n}Z", "end_time": f"2026-03-02T09:00:0{n + 1}Z",
         "attributes.openinference.span.kind": kind, **more}
        for n, (kind, more) in enumerate(kinds.items())
    ]  # fmt: skip
    _, (turn,), _ = read(rows)
    assert turn["knowledge"] == [FACT, OTHER]


def test_passages_come_in_the_order_of_the_reranker(read: Read) -> None:
    """So they stand in the prompt."""
    lists = {
        "RETRIEVER": ("retrieval.documents", [FACT, OTHER]),
        "RERANKER": ("reranker.output_documents", [OTHER, FACT]),
    }
    rows = [
        {"context.trace_id": "t", "context.span_id": kind, "parent_id": "9", "name": kind,
         "start_time": f"2026-03-02T09:00:0{n}Z", "attributes.openinference.span.kind": kind,
         f"attributes.{name}": [{"document.content": text} for text in texts]}
        for n, (kind, (name, texts)) in enumerate(lists.items(), start=1)
    ]  # fmt: skip
    model = {"context.trace_id": "t", "context.span_id": "9", "parent_id": None, "name": "ask",
             "start_time": "2026-03-02T09:00:00Z", "end_time": "2026-03-02T09:00:09Z",
             "attributes.openinference.span.kind": "AGENT", "attributes.output.value": REPLY}  # fmt: skip
    _, (turn,), _ = read([model, *rows])
    assert turn["knowledge"] == [OTHER, FACT]
