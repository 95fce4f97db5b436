"""``q2 explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, ProfileOption, StoreOption, app


@app.command(epilog="Example:  q2 explain 1117-004")
def explain(
    turn: Annotated[str, typer.Argument(metavar="ID", help="Id of a turn, as in the log.")],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    everything: Annotated[
        bool, typer.Option("--all", help="Show the questions that do not count, too.")
    ] = False,
) -> None:
    """Show a reply with its spans, questions, both answers and verdicts."""
    from qsquared.cli.explain import run_explain

    run_explain(store, turn, profile, everything)
