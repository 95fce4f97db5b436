"""``python -m lab.benchmarks.growth.nights``: one night of new pairs in a young store and in an old one.

The first night is scored, the nights between are written with the tables of the first under names of
their own, and then the same new log is scored in a copy with one earlier night and in one with many.
The models are free, so nearly all time is that of the store.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lab.benchmarks.corpus import write_log
from lab.benchmarks.growth.scoring import Run, run_score
from lab.benchmarks.tables import add_run
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.keys import digest, pair_id, shard_key
from qsquared.storage.records.manifests import all_manifests
from qsquared.storage.records.runs import read_run
from qsquared.storage.store import Store
from qsquared.storage.tables.registry import PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR = 1.1
"""The last night may take so many times as long as the second."""


def add_nights(store: Store, logs: Path, nights: range, pairs: int) -> None:
    """Write nights of so many pairs into a store that has one, as many files as real ones have."""
    (first,) = all_manifests(store)
    (run,) = (read_run(store, path) for path in store.small_files("runs"))
    shards = run["shard_keys"]
    size = -(-pairs // len(shards))
    for night in nights:
        name = digest(["night", night])
        log = logs / f"{night}.jsonl"
        log.write_text(json.dumps({"response": f"Night {night}.", "knowledge": "x" * 300}) + "\n")
        for place in (store.turns_path, store.rejects_path):
            os.link(place(first.fingerprint), place(name))
        manifest = replace(first, fingerprint=name, paths=(str(log),), head=name, sha256=name)
        store.write_json(store.manifest_path(name), manifest.to_json())
        keys = []
        for part, old in enumerate(shards):
            rows = [
                _pair(night, number) for number in range(part * size, min(pairs, (part + 1) * size))
            ]
            keys.append(shard_key([row["pair_id"] for row in rows]))
            write_table(store.units_path("pairs", keys[-1]), rows, PAIRS, keys[-1])
            for table in sorted((store.root / "stages").glob(f"*/*/{old}.parquet")):
                os.link(table, table.with_name(f"{keys[-1]}.parquet"))
        run_id = f"20250101T000000-{night:06x}"
        told = run | {"run_id": run_id, "shard_keys": keys}
        store.write_json(
            store.run_path(run_id), told | {"selection": {"inputs": [name], "limit": None}}
        )


def _pair(night: int, number: int) -> dict[str, Any]:
    response, knowledge = f"Reply {number} of the night {night}.", [f"Passage {night}-{number}."]
    return {
        "pair_id": pair_id(response, knowledge),
        "response": response,
        "knowledge": knowledge,
    }


def measure(nights: int, pairs: int) -> dict[str, Run]:
    """Score the same new night as the second one and as the last of so many."""
    with TemporaryDirectory(prefix="q2-nights-") as name:
        folder = Path(name)
        first, last = folder / "first.jsonl", folder / "last.jsonl"
        write_log(first, pairs, repeated=0.0)
        write_log(last, pairs, first=pairs, repeated=0.0)
        young, old = folder / "young", folder / "old"
        run_score("free", [first], young, "compact")
        shutil.copytree(young, old)
        add_nights(Store.open(old), folder, range(2, nights), pairs)
        # The first planning of the old store lists all that it holds.
        run_score("free", [first], old, "compact")
        return {
            "second": run_score("free", [last], young, "compact"),
            "last": run_score("free", [last], old, "compact"),
        }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the ratio, with the bar."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.growth.nights", description=__doc__
    )
    parser.add_argument("--nights", type=int, default=365, help="default: 365")
    parser.add_argument("--pairs", type=int, default=10_000, help="of a night (default: 10000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures there")
    arguments = parser.parse_args(argv)
    runs = measure(arguments.nights, arguments.pairs)
    for name, run in runs.items():
        print(f"{name} night: {run.processor_seconds:.1f} s of processor time, {run.seconds:.1f} s")
    ratio = runs["last"].processor_seconds / runs["second"].processor_seconds
    print(f"Night {arguments.nights} of {arguments.pairs:,} pairs: {ratio:.2f}× (bar {BAR}×).")
    if arguments.json:
        told = {name: asdict(run) for name, run in runs.items()}
        add_run(
            arguments.json, {"nights": arguments.nights, "pairs": arguments.pairs, "runs": told}
        )


if __name__ == "__main__":
    main()
