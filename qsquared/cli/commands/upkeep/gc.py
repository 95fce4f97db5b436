"""Remove tables that no kept configuration needs: ``q2 gc``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.cli.terminal.sentences import say, show, table_of
from qsquared.text import count

if TYPE_CHECKING:
    from qsquared.storage.upkeep.retention import RemovalPlan


@app.command()
def gc(
    store: StoreOption = DEFAULT_STORE,
    days: Annotated[float, typer.Option(min=0)] = 30,
    delete: bool = False,
    pin: list[str] | None = None,
    unpin: list[str] | None = None,
    forget: list[str] | None = None,
) -> None:
    """Say which stages' tables no kept configuration reaches, and how much they take.

    Kept are the configurations that SQL shows, those used lately or now, and pinned ones.
    Turns, pairs, runs and dates always stay.

    Args:
        days (N): Keep what a run used in the last N days.
        delete: Remove it; without this it is only told.
        pin (DIGEST): Keep this configuration for ever; repeat.
        unpin (DIGEST): Let go of a pinned one; repeat.
        forget (DIGEST): Do not keep this one, though SQL shows it; repeat.

    Examples:
        q2 gc
        q2 gc --days 90 --delete
        q2 gc --pin 1f0c88d2
        q2 gc --forget 1f0c88d2 --delete
    """
    from qsquared.storage.records.indexes.store_index import open_index
    from qsquared.storage.upkeep import retention

    opened = open_store(store)
    for digest in pin or []:
        retention.pin(opened, digest, keep=True)
    for digest in unpin or []:
        retention.pin(opened, digest, keep=False)
    index = open_index(opened)
    forgotten = {retention.resolve(index, digest) for digest in forget or []}
    plan = retention.plan_collection(index, days, forgotten)
    _show(plan)
    if not plan.files:
        say("\nThere is nothing to remove.")
    elif not delete:
        removable = f"{count(len(plan.files), 'table')}, {_size(plan.size)}"
        say(f"\nWould remove {removable}. To do it: add --delete")
    else:
        done = retention.collect(opened, plan, days, forgotten)
        say(f"\nRemoved {count(done.tables, 'table')}, {_size(done.size)}.")
        if done.in_use:
            say(f"{count(len(done.in_use), 'shard')} in use left as they are.")


def _show(plan: RemovalPlan) -> None:
    columns = (
        "metric", "profile", "configuration", "last used", "kept because", "tables to remove", "size",
    )  # fmt: skip
    rows = (
        (
            retention.configuration["metric"],
            retention.configuration["profile"],
            retention.configuration["digest"][:8],
            retention.configuration["last_used"][:10] or "never",
            retention.kept or Text("not kept", "yellow"),
            retention.tables or None,
            _size(retention.size) if retention.tables else None,
        )
        for retention in plan.retentions
    )
    show(table_of(columns, rows, right=("size",)))
    if plan.strays:
        say(f"{count(plan.strays, 'table')} of no configuration, or of pairs that went.")


def _size(size: int) -> str:
    if size < 1_000_000:
        return f"{size / 1000:,.0f} kB"
    return f"{size / 1_000_000:,.1f} MB"
