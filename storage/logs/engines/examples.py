"""The examples in a description: small logs with the turns that they give."""

from __future__ import annotations

import json
from typing import Any

from qsquared.storage.logs.engines.formats import Format
from qsquared.storage.logs.engines.grouping import adapted
from qsquared.storage.logs.engines.units import Overrides
from qsquared.storage.logs.limits import Limits
from qsquared.storage.logs.rows import RawRow


def turns_of_example(form: Format, rows: list[Any]) -> list[dict[str, Any]]:
    """Return the turns of the rows of an example: response, texts of the knowledge, and history."""
    raw = [
        RawRow(n, n + 1, json.loads(row) if isinstance(row, str) else row, "")
        for n, row in enumerate(rows)
    ]
    found = [
        one.fields for one in adapted(raw, form, Overrides(), Limits()) if isinstance(one, RawRow)
    ]
    return [
        {
            "response": one["response"],
            "knowledge": [p["text"] if isinstance(p, dict) else p for p in one["knowledge"]],
            "history": one["history"],
        }
        for one in found
    ]


def failures(form: Format) -> list[str]:
    """Return why examples of a description do not give the turns that they state, one sentence each."""
    wrong = []
    for number, example in enumerate(form.examples, start=1):
        given = turns_of_example(form, list(example.get("log", ())))
        stated = list(example.get("turns", ()))
        cut = [
            {key: turn.get(key) for key in one} for one, turn in zip(stated, given, strict=False)
        ]
        if len(given) != len(stated) or cut != stated or not stated:
            wrong.append(f"Example {number} gives {json.dumps(given, ensure_ascii=False)}.")
    return wrong
