"""The command ``q2 sql``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.errors import UsageError
from qsquared.storage.files.atomic import publish, temporary_path
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.queries import QueryLimits, stream, too_slow
from qsquared.storage.store import Store

_WIDTH_ELSEWHERE = 200


def run_sql(
    store: Path,
    text: str,
    file: Path | None,
    form: str,
    rows: int,
    limits: QueryLimits,
    raw: bool = False,
    parquet: Path | None = None,
) -> None:
    """Run a query and write its result, which may be larger than memory.

    Without a query a terminal gets a shell.

    Args:
        store: folder of the store.
        text: the query; ``-`` reads it from stdin.
        file: read the query from there instead.
        form: ``table``, ``csv`` or ``json``.
        rows: rows of a table that are shown.
        limits: time and memory of the query.
        raw: leave texts in CSV as they were logged, also those that a spreadsheet would run.
        parquet: write the result into this Parquet file instead.

    Raises:
        UsageError: there is no query, or it is refused.
        LimitError: the query takes more time or memory than it may.
        StoreError: there is no store.
    """
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"The query file {file} cannot be read: {error}") from error
    elif text == "-":
        text = sys.stdin.read()
    if not text.strip() and file is None and parquet is None and sys.stdin.isatty():
        from qsquared.cli.shell import run_shell

        opened = Store.open(store)
        run_shell(lambda asked, shown: _ask(opened, asked, shown, rows, limits, raw), store)
        return
    if not text.strip():
        raise UsageError("There is no query.", 'For instance: q2 sql "FROM scores LIMIT 5"')
    if parquet is not None:
        with _frames(Store.open(store), text, limits) as frames:
            _keep(frames, parquet)
        return
    _ask(Store.open(store), text, form, rows, limits, raw)


@contextmanager
def _frames(store: Store, text: str, limits: QueryLimits) -> Iterator[Iterator[pl.DataFrame]]:
    """The result of a query, from files that are checked now."""

    def give_up() -> None:
        # A function that runs for ever on one value hears no interrupt.
        error = too_slow(limits)
        sys.stderr.write(f"q2: {error.message}\n    {error.hint}\n")
        sys.stderr.flush()
        os._exit(error.exit_code)

    with (
        connect(store, text, limits) as connection,
        closing(stream(connection, text, limits, give_up)) as frames,
    ):
        yield frames


def _ask(store: Store, text: str, form: str, rows: int, limits: QueryLimits, raw: bool) -> None:
    with _frames(store, text, limits) as frames:
        if form == "csv":
            for number, frame in enumerate(frames):
                flat = _flat(frame) if raw else guarded(_flat(frame))
                _write(flat.write_csv(include_header=number == 0))
        elif form == "json":
            for frame in frames:
                _write(_plain(frame).write_ndjson())
        else:
            _show(frames, rows)


def _keep(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write the result to a Parquet file, which is whole or not there."""
    temporary = temporary_path(path)
    try:
        schema = next(frames).to_arrow().schema
        with pq.ParquetWriter(str(temporary), schema, compression="zstd") as writer:
            height = 0
            for frame in frames:
                writer.write_table(frame.to_arrow().cast(schema))
                height += frame.height
        publish(temporary, path)
    except OSError as error:
        raise UsageError(f"The file {path} cannot be written: {error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    sys.stdout.write(f"{count(height, 'row')} written to {path}\n")


def _write(text: str) -> None:
    """Write data; to a file or pipe as it is, to a terminal without what would command it."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


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


def _show(frames: Iterable[pl.DataFrame], rows: int) -> None:
    """Print the first rows as a table, and how many there are."""
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    table = Table(box=None, padding=(0, 2, 0, 0))
    height = 0
    for number, frame in enumerate(frames):
        if number == 0:
            for name, kind in frame.schema.items():
                justify = "right" if kind.is_numeric() else "left"
                table.add_column(Text(visible(name)), overflow="fold", justify=justify)  # type: ignore[arg-type]
        for row in frame.head(max(rows - height, 0)).iter_rows():
            table.add_row(*(_cell(value) for value in row))
        height += frame.height
    console.print(table)
    if height > rows:
        console.print(f"{count(height, 'row')}, the first {rows:,} shown; --rows shows more")
