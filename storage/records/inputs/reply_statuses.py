"""Find the replies without knowledge that claim nothing, so that no score is missing where they were given.

A log is read into turns without looking at what a reply says.
A run then reads the replies that have no knowledge, and again once the rules of reading them have changed; it
needs no log for that, since the manifest of an input names the rules.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from qsquared.method.plain.reply import READING_VERSION, claims_nothing
from qsquared.storage.files.atomic import local_copy
from qsquared.storage.files.parquet import check_table
from qsquared.storage.files.parquet_writer import TableWriter
from qsquared.storage.files.shard_claims import ingest_lock
from qsquared.storage.logs.turns_and_rejects import NO_KNOWLEDGE, REASONS, status_of
from qsquared.storage.records.inputs.manifests import read_manifest
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS

NO_CLAIM = "no_claim"
_WITHOUT_KNOWLEDGE = (NO_KNOWLEDGE, NO_CLAIM)
_REASONS = {**REASONS, NO_CLAIM: "The reply claims nothing, and no knowledge was given with it."}
_BATCH = 256


def status_by_reading(response: str, knowledge: Sequence[str]) -> dict[str, str] | None:
    """Return the status and the reason of a reply that has nothing to score, None if it can be scored."""
    status = status_of(response, knowledge)
    if status == NO_KNOWLEDGE:
        return _status_without_knowledge(response)
    return _named(status) if status else None


def read_replies(store: Store, name: str) -> None:
    """Give the turns of an input that have no knowledge their statuses by the present rules.

    Nothing is written where these rules gave them before, and only the manifest where all turns have knowledge.
    A kill between the two files leaves sound turns, and the next call ends the work.

    Raises:
        DamagedFile: the input's manifest or its turns cannot be trusted.
    """
    if read_manifest(store, name).replies_read == READING_VERSION:
        return
    path = store.table_path("turns", name)
    with ingest_lock(store.root):
        manifest = read_manifest(store, name)
        receipt = check_table(path, TURNS, name)
        if _lacks_knowledge(path):
            with TableWriter(path, TURNS, name) as turns:
                turns.write(_read(path))
            receipt = turns.receipt
        done = replace(manifest, turns_table=receipt, replies_read=READING_VERSION)
        store.write_json(store.manifest_path(name), done.to_json())


def _lacks_knowledge(path: Path) -> bool:
    with local_copy(path) as copy, pq.ParquetFile(str(copy)) as file:
        return any(
            status in _WITHOUT_KNOWLEDGE
            for batch in file.iter_batches(columns=["status"])
            for status in pc.unique(batch["status"]).to_pylist()
        )


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the turns of a file with their statuses; a log may be larger than memory."""
    with local_copy(path) as copy, pq.ParquetFile(str(copy)) as file:
        for batch in file.iter_batches(_BATCH):
            for turn in batch.to_pylist():
                unread = turn["status"] in _WITHOUT_KNOWLEDGE
                yield turn | _status_without_knowledge(turn["response"]) if unread else turn


@lru_cache(1024)
def _status_without_knowledge(response: str) -> dict[str, str]:
    """Return the status and reason of a reply without knowledge; bots greet many people with the same words."""
    return _named(NO_CLAIM if claims_nothing(response) else NO_KNOWLEDGE)


def _named(status: str) -> dict[str, str]:
    return {"status": status, "reason": _REASONS[status]}
