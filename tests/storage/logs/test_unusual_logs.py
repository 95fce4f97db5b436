"""Tests that unusual but legal variants of other programs' logs are read without an option.

Each line of ``unusual_logs.jsonl`` is a log: its rows, and its replies with what was retrieved for each.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import jsonl

LINES = Path(__file__).with_name("unusual_logs.jsonl").read_text(encoding="utf-8").splitlines()
LOGS = {log["log"]: log for log in map(json.loads, LINES)}


def written(log: dict[str, Any]) -> bytes:
    """The file of a log: JSON lines, one JSON document, or a CSV."""
    rows = log["rows"]
    if log["extension"] == "jsonl":
        return jsonl(rows)
    if log["extension"] == "json":
        return json.dumps(rows[0] if len(rows) == 1 else rows, indent=1).encode()
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("name", LOGS)
def test_an_unusual_log_gives_its_replies_with_exactly_what_was_retrieved(
    read: Read, name: str
) -> None:
    """No wrapper, mark or error of a tool is knowledge, and no passage is lost."""
    log = LOGS[name]
    _, turns, _ = read(written(log), name=f"x.{log['extension']}")
    assert [[turn["response"], turn["knowledge"]] for turn in turns] == log["turns"]


def test_a_log_record_joins_the_span_that_it_names(read: Read) -> None:
    """Records and spans of one trace may stand in one file; the span's own fields stay."""
    record = LOGS["otel_log_records"]["rows"][0]
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "a" * 16,
        "name": "chat gpt",
        "startTimeUnixNano": "1763000000000000000",
        "endTimeUnixNano": "1763000000000000900",
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}],
    }
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    _, (turn,), rejects = read(jsonl([record, spans]))
    assert json.loads(turn["metadata"])["span_name"] == "chat gpt"
    assert len(turn["knowledge"]) == 2
    assert rejects == []
