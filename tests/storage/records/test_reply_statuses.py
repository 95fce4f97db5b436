"""Tests of the statuses of replies that were given without knowledge."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from qsquared.flows.loop import Steps, score_logs
from qsquared.storage.files.parquet import read_table
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.records.inputs import reply_statuses
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.records.inputs.reply_statuses import read_replies, status_by_reading
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS
from qsquared.storage.upkeep.verify import verify
from qsquared.tasks.jobs.options import ScoreOptions
from tests.calling import q2

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"id": "a", "response": "The museum opens at ten.", "knowledge": "It opens at ten."},
    {"id": "b", "response": "Hi there! You're welcome."},
    {"id": "c", "response": "The museum opens at ten."},
    {"id": "d", "response": " "},
]


def turns(store: Store, name: str) -> list[dict[str, Any]]:
    """Rows of the turns table of an input."""
    found: list[dict[str, Any]] = read_table(
        store.table_path("turns", name), TURNS, name
    ).to_pylist()
    return found


def statuses(store: Store, name: str) -> list[str | None]:
    """The status of each turn of an input."""
    return [turn["status"] for turn in turns(store, name)]


@pytest.fixture
def read(tmp_path: Path) -> tuple[Store, str]:
    """A store into which a log was read, and the log's fingerprint."""
    log = tmp_path / "day.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    store = Store.open(tmp_path / "store", create=True)
    return store, ingest_file(store, log).fingerprint


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ("Hi there! You're welcome.", "no_claim"),
        ("Which ticket do you mean?", "no_claim"),
        ("Hi there! The fee is 20 euros.", "no_knowledge"),
        ("The museum opens at ten.", "no_knowledge"),
        ("Das Museum hat von zehn bis siebzehn Uhr geöffnet.", "no_knowledge"),
    ],
)
def test_a_reply_that_claims_nothing_needs_no_knowledge(response: str, status: str) -> None:
    """A bot that retrieves nothing for a greeting leaves no gap in its log."""
    found = status_by_reading(response, [])
    assert found is not None
    assert found["status"] == status
    assert found["reason"].endswith(".")


def test_a_log_is_read_without_looking_at_what_its_replies_say(read: tuple[Store, str]) -> None:
    """A greeting without knowledge is a turn without knowledge until replies are read."""
    store, name = read
    assert statuses(store, name) == [None, "no_knowledge", "no_knowledge", "empty_response"]


def test_a_run_tells_which_replies_claim_nothing(read: tuple[Store, str]) -> None:
    """All else in the turns stays as it was, and the store is sound."""
    store, name = read
    before = turns(store, name)
    read_replies(store, name)
    after = turns(store, name)
    assert statuses(store, name) == [None, "no_claim", "no_knowledge", "empty_response"]
    said = {"status", "reason"}
    assert [{k: turn[k] for k in turn.keys() - said} for turn in after] == [
        {k: turn[k] for k in turn.keys() - said} for turn in before
    ]
    assert verify(store).sound


def test_newer_rules_read_the_replies_again_without_the_log(
    read: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fingerprint of the log stays, so that nothing else is done again."""
    store, name = read
    read_replies(store, name)
    monkeypatch.setattr(reply_statuses, "READING_VERSION", 10_000)
    monkeypatch.setattr(reply_statuses, "claims_nothing", lambda _: False)
    reply_statuses._status_without_knowledge.cache_clear()
    read_replies(store, name)
    reply_statuses._status_without_knowledge.cache_clear()
    assert statuses(store, name) == [None, "no_knowledge", "no_knowledge", "empty_response"]
    assert verify(store).sound


def test_replies_that_were_read_are_not_read_again(
    read: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the rules nor the turns are looked at."""
    store, name = read
    read_replies(store, name)
    monkeypatch.setattr(reply_statuses, "claims_nothing", None)
    store.table_path("turns", name).unlink()
    read_replies(store, name)


def test_turns_without_their_manifest_of_a_killed_run_are_mended(read: tuple[Store, str]) -> None:
    """The next call writes the manifest that a kill kept from being written."""
    store, name = read
    manifest = read_manifest(store, name)
    read_replies(store, name)
    store.write_json(store.manifest_path(name), manifest.to_json())
    read_replies(store, name)
    assert verify(store).sound
    assert statuses(store, name)[1] == "no_claim"


def test_the_status_of_an_older_store_is_decided_anew(read: tuple[Store, str]) -> None:
    """Older versions decided it when they read the log."""
    store, name = read
    older = [turn | {"status": turn["status"] and "no_claim"} for turn in turns(store, name)[:3]]
    receipt = write_table(store.table_path("turns", name), older, TURNS, name)
    manifest = replace(read_manifest(store, name), turns=3, rows=3, turns_table=receipt)
    store.write_json(store.manifest_path(name), manifest.to_json())
    read_replies(store, name)
    assert statuses(store, name) == [None, "no_claim", "no_knowledge"]


def test_a_scored_log_tells_greetings_from_gaps(tmp_path: Path) -> None:
    """The view of outcomes has the statuses that the run gave."""
    log = tmp_path / "day.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in ROWS[1:]), encoding="utf-8")
    options = ScoreOptions(logs=[str(log)], store=str(tmp_path / "store"))
    score_logs(options, Steps(options))
    done = q2(
        "sql", "SELECT id, status FROM outcomes ORDER BY id", "--csv", "--store", tmp_path / "store"
    )
    assert done.out.split()[1:] == ["b,no_claim", "c,no_knowledge", "d,empty_response"]
