"""``q2 catalog``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import DEFAULT_STORE, StoreOption, app


@app.command(
    epilog='Example:  q2 catalog; duckdb -readonly q2-store/catalog.duckdb "FROM daily ORDER BY day"'
)
def catalog(
    store: StoreOption = DEFAULT_STORE,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file; `catalog.duckdb` in the store if left out."),
    ] = None,
) -> None:
    """Write a DuckDB file of the store's views for other programs: notebooks, DBeaver, BI tools.

    It holds paths and no data; write it again after a log was scored, and it is swapped at once.
    """
    from qsquared.cli.catalog import run_catalog

    run_catalog(store, out)
