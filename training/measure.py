"""``python -m training.measure``: agreement of Q² with people, beside the token-overlap floor."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, roc_auc_score

from qsquared.storage.keys import pair_id
from qsquared.storage.records.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.tasks.jobs.options import Job
from qsquared.tasks.running.stage_runner import open_job
from training.measured_sets import SETS, Labelled

Array = npt.NDArray[np.float64]
COLUMNS = ("token overlap", "NLI", "Q² without NLI", "Q²", "blend")
RESAMPLES = 1000
SEED = 7


def score_items(items: Sequence[Labelled], job: Job, name: str) -> dict[str, dict[str, Any]]:
    """Pair id → its rows of the scores and blend tables; finished stages in the store are reused."""
    runner = open_job(job)
    log = runner.store.root / f"{name}.jsonl"
    with log.open("w", encoding="utf-8") as handle:
        for item in items:
            row = {"id": item.unit, "knowledge": item.knowledge, "response": item.response}
            handle.write(json.dumps(row) + "\n")
    manifest = ingest_file(runner.store, log)
    scores = {}
    shards = plan_shards(runner.store, [manifest.fingerprint], runner.shard_size)
    for shard in track(shards, description=name, console=Console(stderr=True)):
        runner.run_shard(shard.key)
        blends = pq.read_table(runner.paths.path("blend", shard.key)).to_pylist()
        parts = {row["pair_id"]: row for row in blends}
        for row in pq.read_table(runner.paths.path("scores", shard.key)).to_pylist():
            scores[row["pair_id"]] = parts[row["pair_id"]] | row
    return scores


def _grouped(items: Sequence[Labelled], values: Array) -> tuple[Array, Array, list[str]]:
    """Labels, values and clusters of the judged units; a unit of several items is their mean."""
    units: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        units[item.unit].append(index)
    labels = [fmean(items[i].label for i in indices) for indices in units.values()]
    means = [fmean(float(values[i]) for i in indices) for indices in units.values()]
    return np.array(labels), np.array(means), [items[i[0]].cluster for i in units.values()]


def _interval(
    statistic: Callable[[Array, Array], float], labels: Array, values: Array, clusters: list[str]
) -> tuple[float, float]:
    """95 % percentile bootstrap over whole clusters."""
    rng = np.random.default_rng(SEED)
    members: dict[str, list[int]] = defaultdict(list)
    for index, cluster in enumerate(clusters):
        members[cluster].append(index)
    groups = [np.array(indices) for indices in members.values()]
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        if len(set(labels[drawn].tolist())) > 1:
            found.append(statistic(labels[drawn], values[drawn]))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def _auc(labels: Array, values: Array) -> float:
    return float(roc_auc_score(labels, values))


def _pearson(labels: Array, values: Array) -> float:
    return float(pearsonr(labels, values).statistic)


def measure(name: str, data: Path, job: Job) -> dict[str, Any]:
    """All figures of one set: ROC-AUC, or Pearson where the judgement is graded."""
    items = SETS[name](data)
    scores = score_items(items, job, name)
    rows = [scores[pair_id(item.response, [item.knowledge])] for item in items]
    statistic = _pearson if name == "qags-cnndm" else _auc
    columns = {
        "token overlap": [row["token_f1"] for row in rows],
        "NLI": [row["nli"] for row in rows],
        "Q² without NLI": [row["q2_without_nli"] for row in rows],
        "Q²": [row["q2"] for row in rows],
        "blend": [row["blend"] for row in rows],
    }
    covered = [row["status"] == "scored" for row in rows]
    result: dict[str, Any] = {
        "set": name,
        "statistic": "Pearson" if statistic is _pearson else "ROC-AUC",
        "items": len(items),
        "coverage": fmean(covered),
        "questions_per_item": fmean(row["questions"] for row in rows),
    }
    for column, values in columns.items():
        labels, means, clusters = _grouped(items, np.array(values, dtype=float))
        low, high = _interval(statistic, labels, means, clusters)
        result[column] = {"value": statistic(labels, means), "interval": [low, high]}
    if statistic is _auc:
        labels = np.array([item.label for item in items])
        called = np.array([row["q2"] for row in rows]) >= 0.5
        result["accuracy_at_half"] = float(accuracy_score(labels, called))
    return result


def main() -> None:
    """Score the measured sets with a profile and print the figures with 95 % intervals."""
    parser = argparse.ArgumentParser(prog="python -m training.measure", description=main.__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("build/measure"))
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--profiles", default="")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["q2-wow"])
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    job = Job(str(arguments.store.absolute()), arguments.profile, arguments.profiles, ("blend",))
    results = [measure(name, arguments.data, job) for name in arguments.sets]
    table = Table("set", "items", "statistic", *COLUMNS, "coverage")
    for result in results:
        cells = [
            f"{result[c]['value']:.3f} ({result[c]['interval'][0]:.3f} to {result[c]['interval'][1]:.3f})"
            for c in COLUMNS
        ]
        table.add_row(
            result["set"], str(result["items"]), result["statistic"], *cells,
            f"{result['coverage']:.1%}",
        )  # fmt: skip
    Console(width=200).print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
