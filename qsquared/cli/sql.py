"""The command ``q2 sql``."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.errors import UsageError
from qsquared.storage.catalogue import connect, query
from qsquared.storage.store import Store

_WIDTH_ELSEWHERE = 200


def run_sql(store: Path, text: str, file: Path | None, form: str, rows: int) -> None:
    """Run a query and write its result.

    Raises:
        UsageError: there is no query, or it is refused.
        StoreError: there is no store.
    """
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"The query file {file} cannot be read: {error}") from error
    elif text == "-":
        text = sys.stdin.read()
    if not text.strip():
        raise UsageError("There is no query.", 'For instance: q2 sql "FROM scores LIMIT 5"')
    with connect(Store.open(store)) as connection:
        result = query(connection, text)
    if form == "csv":
        sys.stdout.write(_flat(result).write_csv())
    elif form == "json":
        sys.stdout.write(_plain(result).write_ndjson())
    else:
        _show(result, rows)


def _flat(result: pl.DataFrame) -> pl.DataFrame:
    """Lists and structs as JSON text, since CSV has neither."""
    nested = [name for name, kind in result.schema.items() if kind.is_nested()]
    return result.with_columns(
        pl.Series(
            name,
            [
                None if v is None else pl.Series([v]).to_frame("v").write_json()[6:-2]
                for v in result[name]
            ],
            dtype=pl.String,
        )
        for name in nested
    )


def _plain(result: pl.DataFrame) -> pl.DataFrame:
    """Decimals as integers or floats (a sum of integers is one), since JSON would quote them."""
    largest = 2**63
    kinds = {
        name: pl.Int64
        if kind.scale == 0 and all(abs(v) < largest for v in result[name].drop_nulls())
        else pl.Float64
        for name, kind in result.schema.items()
        if isinstance(kind, pl.Decimal)
    }
    return result.cast(kinds)  # type: ignore[arg-type]


def _cell(value: object) -> Text:
    if value is None:
        return Text("NULL", style="dim")
    if isinstance(value, float):
        return Text(f"{value:.4g}")
    return Text(visible(str(value)))


def _show(result: pl.DataFrame, rows: int) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name, kind in result.schema.items():
        table.add_column(name, overflow="fold", justify="right" if kind.is_numeric() else "left")
    for row in result.head(rows).iter_rows():
        table.add_row(*(_cell(value) for value in row))
    console.print(table)
    if result.height > rows:
        console.print(f"{count(result.height, 'row')}, the first {rows:,} shown; --rows shows more")
