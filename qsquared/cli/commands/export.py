"""``q2 export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, ProfileOption, StoreOption, app


@app.command(
    epilog="Examples:  q2 export --to csv --out scores.csv   ·   q2 export --to otel --out events.jsonl"
    "   ·   q2 export --to phoenix --out evaluations.parquet"
)
def export(
    to: Annotated[
        str, typer.Option("--to", metavar="otel|phoenix|langfuse|csv|parquet|jsonl", help="Form.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write.")],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
) -> None:
    """Write scores and explanations of all turns for another program."""
    from qsquared.cli.export import ExportCommand, run_export

    run_export(ExportCommand(store, to, out, profile))
