"""A store of any size with made-up rows in the real tables, files and names."""

from __future__ import annotations

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
from qsquared.storage.records.manifests import InputManifest
from qsquared.storage.store import Store
from qsquared.storage.tables.log import PAIRS, REJECTS, TURNS
from qsquared.storage.tables.q2 import ANSWERS, COMPARISONS, QUESTIONS, ROUNDTRIP, SCORES, SPANS
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.metric import Q2

SHARD_PAIRS = 256
QUESTIONS_A_PAIR = 12
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_VERDICTS = ("supported", "contradicted", "no_answer", "partial")
_STAGES = {t.name: t for t in (SPANS, QUESTIONS, ROUNDTRIP, ANSWERS, COMPARISONS, SCORES)}

Row = dict[str, Any]


def make_store(folder: Path, pairs: int, nights: int, only: Iterable[str] | None = None) -> Store:
    """Write a store whose every pair is one turn, in as many logs as nights.

    Args:
        folder: a new folder.
        pairs: number of distinct pairs.
        nights: number of logs, one a day.
        only: the stages to write (None: all); twelve rows a pair, `scores` one.
    """
    store = Store.open(folder, create=True)
    wanted = set(_STAGES if only is None else only)
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
        write_table(store.units_path("pairs", key), shard, PAIRS, key)
        for name, every in profiles.items():
            if number % every == 0:
                _stages(store, configurations[name], key, shard, wanted)
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
        store.write_json(store.lineage_path(lineage), configuration.describe(stage))
    store.write_json(
        store.configuration_path(f"{Q2.name}.{name}.{configuration.digest[:8]}"),
        {
            "metric": Q2.name,
            "profile": name,
            "parameters": dict(configuration.parameters),
            "digest": configuration.digest,
            "lineages": configuration.lineages,
            "last_used": "2026-11-01T00:00:00+00:00" if name == "synthetic" else "",
        },
    )


def _stages(
    store: Store, configuration: Configuration, shard: str, pairs: list[Row], wanted: set[str]
) -> None:
    drawn = random.Random(shard)
    tables: dict[str, list[Row]] = {name: [] for name in wanted}
    for pair in pairs:
        name, response, knowledge = pair["pair_id"], pair["response"], pair["knowledge"][0]
        quality = drawn.random()
        verdicts = [
            "supported" if drawn.random() < quality else drawn.choice(_VERDICTS[1:])
            for _ in range(QUESTIONS_A_PAIR)
        ]
        good = verdicts.count("supported") / QUESTIONS_A_PAIR
        for index, verdict in enumerate(verdicts):
            key = {"pair_id": name, "span_index": index, "rank": 1}
            answered = verdict != "no_answer"
            _add(tables, "spans", key | {
                "start": index, "end": index + 4, "text": response[index : index + 4],
                "kind": "entity", "label": ("DATE", "PERSON", "GPE")[index % 3],
            })  # fmt: skip
            _add(tables, "questions", key | {
                "question": f"Who wrote {response[index : index + 9]}?", "form": "what",
            })  # fmt: skip
            _add(tables, "roundtrip", key | {
                "kept": True, "reason": "kept", "response_answer": response[index : index + 4],
                "response_start": index, "response_end": index + 4, "answer_score": 9.0,
                "no_answer_score": 1.0,
            })  # fmt: skip
            _add(tables, "answers", key | {
                "knowledge_answer": knowledge[index : index + 4] if answered else None,
                "passage": 0 if answered else None, "knowledge_start": index if answered else None,
                "knowledge_end": index + 4 if answered else None, "answer_score": drawn.gauss(5, 2),
                "no_answer_score": 1.0, "windows": 1,
            })  # fmt: skip
            _add(tables, "comparisons", key | {
                "token_f1": drawn.random(), "exact_match": verdict == "supported",
                "nli_label": {"contradicted": "contradiction", "partial": "neutral"}.get(verdict),
                "score": float(verdict == "supported"), "score_without_nli": drawn.random(),
                "verdict": verdict,
            })  # fmt: skip
        _add(tables, "scores", {
            "pair_id": name, "q2": good, "q2_without_nli": good, "status": "scored",
            "spans": QUESTIONS_A_PAIR, "questions_generated": QUESTIONS_A_PAIR,
            "questions": QUESTIONS_A_PAIR, "no_answer": verdicts.count("no_answer"),
            "contradicted": verdicts.count("contradicted"),
        })  # fmt: skip
    for stage, rows in tables.items():
        path = store.stage_path(stage, configuration.lineages[stage], shard)
        write_table(path, rows, _STAGES[stage], configuration.key(stage, shard))


def _add(tables: dict[str, list[Row]], stage: str, row: Row) -> None:
    if stage in tables:
        known = _STAGES[stage].schema.names
        tables[stage].append({name: value for name, value in row.items() if name in known})


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

    turns = write_table(store.turns_path(fingerprint), rows(), TURNS, fingerprint)
    rejects = write_table(store.rejects_path(fingerprint), [], REJECTS, fingerprint)
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
