"""Stores of any size with made-up rows in the real tables, files and names."""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from qsquared.profiles.profile import ROLES
from qsquared.storage.files.parquet import Receipt
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.keys import digest, pair_id, shard_key
from qsquared.storage.records.inputs.manifests import InputManifest
from qsquared.storage.store import Store
from qsquared.storage.tables import COMPARISONS, PAIRS, REJECTS, SCORES, TURNS
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.jobs.stage_keys import Configuration
from qsquared.tasks.metrics import Q2

SHARD_PAIRS = 256
QUESTIONS_A_PAIR = 12
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_VERDICTS = ("supported", "contradicted", "no_answer", "partial")

Row = dict[str, Any]


def make_store(folder: Path, pairs: int, nights: int) -> Store:
    """Write a store of comparisons and scores; each pair is one turn, in as many logs as nights.

    Args:
        folder: a new folder.
        pairs: number of distinct pairs.
        nights: number of logs, one a day.
    """
    store = Store.open(folder, create=True)
    profiles = {"synthetic": 1, "synthetic-other": 10}
    configurations = {
        name: Configuration(
            graph(["q2"]), name, Q2.defaults, {role: f"{name} {role}" for role in ROLES}
        )
        for name in profiles
    }
    for name, configuration in configurations.items():
        _describe(store, name, configuration)
    rows = _pairs(pairs)
    number = 0
    while shard := list(islice(rows, SHARD_PAIRS)):
        key = shard_key([row["pair_id"] for row in shard])
        write_table(store.table_path("pairs", key), shard, PAIRS, key)
        for name, every in profiles.items():
            if number % every == 0:
                _stages(store, configurations[name], key, shard)
        number += 1
    for night in range(nights):
        _turns(store, night, islice(_pairs(pairs), night, None, nights))
    return store


def _pairs(number: int) -> Iterator[Row]:
    for i in range(number):
        response = f"Note {i} was written in {1500 + i % 500} by author {i % 997}."
        knowledge = [f"Note {i} was written in {1500 + i % 499} by author {i % 997} of {i % 89}."]
        yield {
            "pair_id": pair_id(response, knowledge),
            "response": response,
            "knowledge": knowledge,
        }


def _describe(store: Store, name: str, configuration: Configuration) -> None:
    for stage, lineage in configuration.lineages.items():
        store.write_json(store.small_file("lineages", lineage), configuration.describe(stage))
    store.write_json(
        store.small_file("configurations", f"{Q2.name}.{name}.{configuration.digest[:8]}"),
        {
            "metric": Q2.name,
            "profile": name,
            "parameters": dict(configuration.parameters),
            "digest": configuration.digest,
            "lineages": configuration.lineages,
            "last_used": "2026-11-01T00:00:00+00:00" if name == "synthetic" else "",
        },
    )


def _stages(store: Store, configuration: Configuration, shard: str, pairs: list[Row]) -> None:
    drawn = random.Random(shard)
    comparisons: list[Row] = []
    scores: list[Row] = []
    for pair in pairs:
        quality = drawn.random()
        verdicts = [
            "supported" if drawn.random() < quality else drawn.choice(_VERDICTS[1:])
            for _ in range(QUESTIONS_A_PAIR)
        ]
        comparisons += [
            {
                "pair_id": pair["pair_id"],
                "span_index": index,
                "rank": 1,
                "token_f1": drawn.random(),
                "exact_match": verdict == "supported",
                "nli_label": {"contradicted": "contradiction", "partial": "neutral"}.get(verdict),
                "score": float(verdict == "supported"),
                "score_without_nli": drawn.random(),
                "verdict": verdict,
            }
            for index, verdict in enumerate(verdicts)
        ]
        good = verdicts.count("supported") / QUESTIONS_A_PAIR
        scores.append(
            {
                "pair_id": pair["pair_id"],
                "q2": good,
                "q2_without_nli": good,
                "status": "scored",
                "spans": QUESTIONS_A_PAIR,
                "questions_generated": QUESTIONS_A_PAIR,
                "questions": QUESTIONS_A_PAIR,
                "no_answer": verdicts.count("no_answer"),
                "contradicted": verdicts.count("contradicted"),
            }
        )
    for table, rows in ((COMPARISONS, comparisons), (SCORES, scores)):
        path = store.stage_path(table.name, configuration.lineages[table.name], shard)
        write_table(path, rows, table, configuration.key(table.name, shard))


def _turns(store: Store, night: int, pairs: Iterable[Row]) -> None:
    fingerprint = digest(["synthetic", night])
    day = FIRST_DAY + timedelta(days=night)

    def rows() -> Iterator[Row]:
        for position, pair in enumerate(pairs):
            yield {
                "input": fingerprint,
                "position": position,
                "line": position + 1,
                "id": f"{night:03}-{position:07}",
                "conversation_id": f"{night:03}-{position // 4}",
                "turn": position % 4,
                "timestamp": day + timedelta(seconds=position % 86_400),
                "history": [],
                "metadata": json.dumps(
                    {"bot_version": f"1.{night // 30}", "topic": f"topic {position % 40}"}
                ),
                **pair,
            }

    turns = write_table(store.table_path("turns", fingerprint), rows(), TURNS, fingerprint)
    rejects = write_table(store.table_path("rejects", fingerprint), [], REJECTS, fingerprint)
    store.write_json(store.manifest_path(fingerprint), _manifest(fingerprint, day, turns, rejects))


def _manifest(fingerprint: str, day: datetime, turns: Receipt, rejects: Receipt) -> Row:
    return InputManifest(
        fingerprint=fingerprint,
        paths=(f"/synthetic/{day:%Y-%m-%d}.jsonl",),
        sha256=hashlib.sha256(fingerprint.encode()).hexdigest(),
        size=0,
        format="jsonl",
        mapping={},
        limit=None,
        rows=turns.rows,
        turns=turns.rows,
        rejects=0,
        turns_table=turns,
        rejects_table=rejects,
        ingested_at=day.isoformat(),
    ).to_json()
