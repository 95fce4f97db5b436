"""The command ``q2 catalog``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.storage.sql.catalogue_file import write_catalogue
from qsquared.storage.store import Store


def run_catalog(folder: Path, out: Path | None) -> None:
    """Write the file of views and say what is in it.

    Raises:
        StoreError: there is no store, or a table of it is damaged.
        UsageError: the file cannot be written.
    """
    path = out or folder / "catalog.duckdb"
    names = write_catalogue(Store.open(folder), path)
    console = Console(highlight=False)
    console.print(
        Text(f"{visible(str(path))}: {count(len(names), 'view')}: {', '.join(names)}"),
        soft_wrap=True,
    )
