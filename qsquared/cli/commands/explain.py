"""``q2 explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, ProfileOption, StoreOption, app


@app.command(epilog="Examples:  q2 explain 1117-004   ·   q2 explain 1117-004 --json | jq .spans")
def explain(
    turn: Annotated[str, typer.Argument(metavar="ID", help="Id of a turn, as in the log.")],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    everything: Annotated[
        bool, typer.Option("--all", help="Show the questions that do not count, too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object for each turn.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw what is shown into an SVG file.")
    ] = None,
) -> None:
    """Show a reply with its spans, questions, both answers and verdicts."""
    from qsquared.cli.explain import run_explain

    run_explain(store, turn, profile, everything, as_json, svg)
