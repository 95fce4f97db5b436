"""``q2 status`` and ``q2 verify``: what is in a store, and whether it is sound."""

from __future__ import annotations

from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app


@app.command()
def status(store: StoreOption = DEFAULT_STORE) -> None:
    """Show what is in the store: inputs, shards, stages of each profile, last runs."""
    from qsquared.cli.status import run_status

    run_status(store)


@app.command(
    epilog="Exit code 0: all is sound; 65: something is wrong.  Example:  q2 verify --quarantine; q2 score logs/"
)
def verify(
    store: StoreOption = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
    quarantine: Annotated[
        bool,
        typer.Option(
            "--quarantine", help="Move what is wrong away, so that the next score makes it again."
        ),
    ] = False,
) -> None:
    """Check every byte, name and row of a store; say what is wrong, by file."""
    from qsquared.cli.verify import run_verify

    run_verify(store, as_json, quarantine)
