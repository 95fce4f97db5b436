"""``q2 gc``: remove what no kept configuration needs."""

from __future__ import annotations

from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app


@app.command(
    epilog="Examples:  q2 gc   ·   q2 gc --days 90 --delete   ·   q2 gc --pin 1f0c88d2   ·   "
    "q2 gc --forget 1f0c88d2 --delete"
)
def gc(
    store: StoreOption = DEFAULT_STORE,
    days: Annotated[
        float, typer.Option(min=0, metavar="N", help="Keep what a run used in the last N days.")
    ] = 30,
    delete: Annotated[
        bool, typer.Option("--delete", help="Remove it; without this it is only told.")
    ] = False,
    pin: Annotated[
        list[str] | None,
        typer.Option(metavar="DIGEST", help="Keep this configuration for ever; repeat."),
    ] = None,
    unpin: Annotated[
        list[str] | None, typer.Option(metavar="DIGEST", help="Let go of a pinned one; repeat.")
    ] = None,
    forget: Annotated[
        list[str] | None,
        typer.Option(metavar="DIGEST", help="Do not keep this one, though SQL shows it; repeat."),
    ] = None,
) -> None:
    """Say which stages' tables no kept configuration reaches, and how much they take.

    Kept are the configurations that SQL shows, those used lately or now, and pinned ones.
    Turns, pairs, runs and dates always stay.
    """
    from qsquared.cli.gc import run_gc

    run_gc(store, days, delete, pin or [], unpin or [], forget or [])
