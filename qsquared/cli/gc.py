"""The command ``q2 gc``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.storage.records.store_index import open_index
from qsquared.storage.store import Store
from qsquared.storage.upkeep.retention import RemovalPlan, collect, pin, plan_collection, resolve


def run_gc(
    folder: Path,
    days: float,
    delete: bool,
    pinned: Sequence[str],
    unpinned: Sequence[str],
    forget: Sequence[str],
) -> None:
    """Pin what is to be pinned, say what could go, and remove it if asked to.

    Raises:
        Q2Error: something that the person can act upon.
    """
    store = Store.open(folder)
    for digest in pinned:
        pin(store, digest, keep=True)
    for digest in unpinned:
        pin(store, digest, keep=False)
    contents = open_index(store)
    forgotten = {resolve(contents, digest) for digest in forget}
    plan = plan_collection(contents, days, forgotten)
    console = Console()
    _show(console, plan)
    told = f"{count(len(plan.files), 'table')}, {_size(plan.size)}"
    if not plan.files:
        console.print("\nThere is nothing to remove.")
    elif not delete:
        console.print(f"\nWould remove {told}. To do it: add --delete", highlight=False)
    else:
        done = collect(store, plan, days, forgotten)
        console.print(
            f"\nRemoved {count(done.tables, 'table')}, {_size(done.size)}.", highlight=False
        )
        if done.in_use:
            console.print(f"{count(len(done.in_use), 'shard')} in use left as they are.")


def _show(console: Console, plan: RemovalPlan) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("metric", "profile", "configuration", "last used", "kept because"):
        table.add_column(name, overflow="fold")
    for name in ("tables to remove", "size"):
        table.add_column(name, justify="right")
    for fate in plan.fates:
        told = fate.configuration
        table.add_row(
            told["metric"],
            Text(visible(told["profile"])),
            told["digest"][:8],
            told["last_used"][:10] or "never",
            fate.kept or Text("not kept", "yellow"),
            f"{fate.tables:,}" if fate.tables else "",
            _size(fate.size) if fate.tables else "",
        )
    console.print(table)
    if plan.strays:
        console.print(f"{count(plan.strays, 'table')} of no configuration, or of pairs that went.")


def _size(size: int) -> str:
    if size < 1_000_000:
        return f"{size / 1000:,.0f} kB"
    return f"{size / 1_000_000:,.1f} MB"
