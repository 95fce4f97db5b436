"""The command ``q2 status``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count
from qsquared.storage.catalogue import latest_configurations
from qsquared.storage.manifests import current_manifests
from qsquared.storage.store import Store

_RUNS_SHOWN = 5


def run_status(folder: Path) -> None:
    """Show inputs, shards, stages of each profile, and the last runs.

    Raises:
        StoreError: there is no store, or a manifest of it is broken.
    """
    store = Store.open(folder)
    console = Console()
    _show_inputs(console, store)
    shards = {path.stem for path in (store.root / "pairs").glob("[!.]*.parquet")}
    console.print(f"\n{count(len(shards), 'shard')} of distinct pairs")
    _show_stages(console, store, shards)
    _show_runs(console, store)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in columns:
        number = column in {"turns", "rejects", "done", "missing", "mean Q²", "seconds"}
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    return table


def _show_inputs(console: Console, store: Store) -> None:
    table = _table("input", "turns", "rejects", "read")
    for manifest in current_manifests(store):
        for path in manifest.paths:
            turns = f"{manifest.turns:,}" + ("" if manifest.limit is None else " (limit)")
            read = manifest.ingested_at[:16].replace("T", " ")
            table.add_row(Text(path), turns, f"{manifest.rejects:,}", read)
    console.print(table)


def _show_stages(console: Console, store: Store, shards: set[str]) -> None:
    table = _table("metric", "profile", "configuration", "stage", "done", "missing")
    for configuration in latest_configurations(store):
        for stage, lineage in configuration["lineages"].items():
            folder = store.root / "stages" / stage / lineage
            done = len(shards & {path.stem for path in folder.glob("[!.]*.parquet")})
            table.add_row(
                configuration["metric"],
                configuration["profile"],
                configuration["digest"][:8],
                stage,
                f"{done:,}",
                f"{len(shards) - done:,}",
            )
    console.print(table)


def _show_runs(console: Console, store: Store) -> None:
    runs: list[dict[str, Any]] = [
        store.read_json(path)
        for path in sorted((store.root / "runs").glob("[!.]*.json"), reverse=True)[:_RUNS_SHOWN]
    ]
    if not runs:
        return
    table = _table("run", "status", "profile", "turns", "mean Q²", "seconds")
    for run in runs:
        mean = run.get("mean_q2")
        table.add_row(
            run["run_id"],
            run["status"],
            run["profile"],
            f"{run['turns']:,}" if "turns" in run else "",
            "" if mean is None else f"{mean:.3f}",
            f"{run['seconds']:.1f}",
        )
    console.print("\nlast runs")
    console.print(table)
