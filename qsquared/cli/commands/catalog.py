"""Write a DuckDB file of the store's views: ``q2 catalog``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.help_pages import examples
from qsquared.cli.options import DEFAULT_STORE, StoreOption, app
from qsquared.text import count, visible


@app.command(
    epilog=examples(
        "q2 catalog", 'duckdb -readonly q2-store/catalog.duckdb "FROM daily ORDER BY day"'
    )
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
    from qsquared.storage.sql.catalogue_file import write_catalogue
    from qsquared.storage.store import Store

    path = out or store / "catalog.duckdb"
    names = write_catalogue(Store.open(store), path)
    Console(highlight=False).print(
        Text(f"{visible(str(path))}: {count(len(names), 'view')}: {', '.join(names)}"),
        soft_wrap=True,
    )
