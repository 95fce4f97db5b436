"""``q2 gate``: are the scores of a date good enough?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app


@app.command(
    epilog="Exit code 0: all gates hold; 3: one is broken.  Example:  q2 gate --rules "
    "examples/gates.toml --junit gates.xml"
)
def gate(
    rules: Annotated[
        Path, typer.Option("--rules", metavar="FILE", help="TOML file with the gates.")
    ],
    store: StoreOption = DEFAULT_STORE,
    date: Annotated[
        str, typer.Option(metavar="DATE", help="The date to judge, as 2026-11-20; else the last.")
    ] = "",
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole verdict as JSON.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it as JUnit XML, as CI servers read.")
    ] = None,
    tell: Annotated[
        bool, typer.Option("--tell", help="Post a broken gate to the webhook of the rules.")
    ] = False,
) -> None:
    """Judge the scores of a date by rules: inconsistency, rises, coverage, rejects, freshness."""
    from qsquared.cli.gate import run_gate

    run_gate(store, rules, date, json, junit, tell)
