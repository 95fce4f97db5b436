"""The pairs that the stages of Q² read, and their decisions as records of the plain loop."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.benchmarks.plain_loop import AskedQuestion, PairScore
from qsquared.storage.files.parquet import read_table
from qsquared.storage.logs.paths import expand_inputs
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIRS
from qsquared.tasks.stage import Rows


def read_shards(logs: Sequence[str], shard_size: int = 256) -> list[Rows]:
    """Read the distinct pairs of some logs, in the shards that a run over them would make."""
    with TemporaryDirectory(prefix="q2-bench-") as folder:
        store = Store.open(Path(folder) / "store", create=True)
        inputs = [ingest_file(store, path).fingerprint for path in expand_inputs(logs)]
        return [
            read_table(store.units_path("pairs", shard.key), PAIRS, shard.key).to_pylist()
            for shard in plan_shards(store, inputs, shard_size)
        ]


def pair_scores(tables: Mapping[str, Rows]) -> dict[str, PairScore]:
    """Return the decisions in the tables, by pair."""
    spans = {(row["pair_id"], row["span_index"]): row for row in tables["spans"]}
    questions = _by_question(tables["questions"])
    compared = _by_question(tables["comparisons"])
    asked: dict[str, list[AskedQuestion]] = defaultdict(list)
    for key, answer in _by_question(tables["answers"]).items():
        pair, index, rank = key
        if index is None or key not in compared:
            continue  # a model failed here, and the pair's status says so
        span = spans[pair, index]
        asked[pair].append(
            AskedQuestion(
                span["start"],
                span["text"],
                rank,
                questions[key]["question"],
                answer["knowledge_answer"],
                compared[key]["score"],
                compared[key]["score_without_nli"],
            )
        )
    return {
        row["pair_id"]: PairScore(
            row["status"], row["q2"], row["q2_without_nli"], tuple(asked[row["pair_id"]])
        )
        for row in tables["scores"]
    }


def _by_question(rows: Rows) -> dict[tuple[str, Any, Any], dict[str, Any]]:
    return {(row["pair_id"], row["span_index"], row["rank"]): row for row in rows}
