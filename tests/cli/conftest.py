"""Logs with every kind of error, scored once."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.calling import Outcome, q2
from tests.conftest import without_prefect

KNOWLEDGE = "The lighthouse was built in 1858 by Alan Brebner."

JSONL = [
    {"id": "a1", "knowledge": KNOWLEDGE, "response": "The lighthouse was built in 1858."},
    '{"id": "a2", "knowledge": "broken',
    {"id": "a3", "knowledge": KNOWLEDGE},
    {"id": "a4", "knowledge": KNOWLEDGE, "response": ["a", "list"]},
    {"id": "a5", "knowledge": KNOWLEDGE, "response": "Fine.", "turn": "three"},
    {"id": "a6", "knowledge": KNOWLEDGE, "response": "Fine.", "conversation_id": [1]},
    {"id": "a7", "knowledge": KNOWLEDGE, "response": "  "},
    {"id": "a8", "knowledge": ["", " "], "response": "It was built in 1858."},
    {"id": "a9", "response": "It was built by \x1b]0;owned\x07\x1b[31mAlan Brebner."},
    {"id": "a1", "knowledge": KNOWLEDGE, "response": "Alan Brebner \x1b[2Jbuilt the lighthouse."},
    "[1, 2]",
    {"id": "a1", "knowledge": KNOWLEDGE, "response": "The lighthouse was built in 1858."},
]
CSV = f"""id,knowledge,response
b1,{KNOWLEDGE},The lighthouse was built in 1900.
b2,{KNOWLEDGE},too,many
b3,{KNOWLEDGE},
b4,,"Built, they say, in 1858."
"""


@dataclass(frozen=True, slots=True)
class Awkward:
    """The awkward logs, the store they were scored into, the table, and what was said."""

    logs: Path
    store: Path
    table: Path
    outcome: Outcome


@pytest.fixture(scope="package", autouse=True)
def _without_prefect():
    """Every test of this room may score."""
    with without_prefect():
        yield


@pytest.fixture(scope="session")
def awkward(tmp_path_factory):
    """Logs with bad rows, doubled rows, doubled turns, a copy and an empty file, scored in one run."""
    folder = tmp_path_factory.mktemp("awkward")
    logs = folder / "logs"
    logs.mkdir()
    lines = [row if isinstance(row, str) else json.dumps(row) for row in JSONL]
    (logs / "a.jsonl").write_text("\n".join(lines) + "\n")
    (logs / "b.csv").write_text(CSV)
    (logs / "c.jsonl").write_text("")
    # The turns of b.csv in another file, and the very file again.
    (logs / "d.csv").write_text(CSV, newline="\r\n")
    (logs / "e.csv").write_text(CSV)
    store, table = folder / "store", folder / "new" / "folder" / "scores.parquet"
    with without_prefect():
        outcome = q2("score", logs, "--store", store, "--out", table)
    assert outcome.code == 0, outcome.err
    return Awkward(logs, store, table, outcome)
