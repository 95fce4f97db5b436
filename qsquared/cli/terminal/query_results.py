"""Results of SQL queries as a table, CSV, JSON Lines or Parquet, which may exceed memory."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.parquet as pq
from rich.console import Console
from rich.text import Text

from qsquared.cli.terminal.printing import facts_of, table_of
from qsquared.display import count, visible
from qsquared.storage.connection import QueryLimits
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.outputs.spreadsheets import guarded
from qsquared.storage.records.runs import note_written
from qsquared.storage.sql.queries import stream, too_slow
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

_CTRL_C = "Query interrupted"
"""DuckDB's own words where it has found a signal."""
_WIDTH_ELSEWHERE = 200
_READABLE = 16
"""A column that is narrower than this and than its longest cell breaks words."""
_GAP = 2


@contextmanager
def _interrupted_at_once(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Have Ctrl-C interrupt the query of a connection.

    Python's handler runs only once DuckDB returns or looks for signals itself, which it may not do for as
    long as a query lasts; the number of a signal is written to the wake-up descriptor at once. Python gives
    signals and their descriptor to its main thread alone; in another one there is nothing to hear.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    def hear() -> None:
        while number := ours.recv(1):
            if number[0] == signal.SIGINT:
                connection.interrupt()

    hearing = threading.Thread(target=hear, daemon=True)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    hearing.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        theirs.close()
        hearing.join()
        ours.close()


@contextmanager
def _frames(
    store: Store, text: str, limits: QueryLimits, attached: dict[str, Path]
) -> Iterator[Iterator[pl.DataFrame]]:
    """Run a query on files that are checked now, and give its result."""

    def give_up() -> None:
        # A function that runs for ever on one value ignores an interrupt.
        error = too_slow(limits)
        sys.stderr.write(f"q2: {error.message}\n    {error.hint}\n")
        sys.stderr.flush()
        os._exit(error.exit_code)

    try:
        with (
            connect(store, text, limits, attached) as connection,
            _interrupted_at_once(connection),
            closing(stream(connection, text, limits, give_up)) as frames,
        ):
            yield frames
    except RuntimeError as error:
        if str(error) == _CTRL_C:
            raise KeyboardInterrupt from error
        raise


def show_result(
    store: Store, text: str, form: str, rows: int, limits: QueryLimits, attached: dict[str, Path]
) -> None:
    """Run a query and write its result to stdout.

    Args:
        store: the store.
        text: the query.
        form: ``table``, ``csv`` or ``json``.
        rows: rows of a table that are shown.
        limits: time and memory of the query.
        attached: files that the query may read as tables, by their names.

    Raises:
        UsageError: the query is refused.
        LimitError: the query takes more time or memory than it may.
    """
    with _frames(store, text, limits, attached) as frames:
        if form == "csv":
            for number, frame in enumerate(frames):
                _write(guarded(_flat(frame)).write_csv(include_header=number == 0))
        elif form == "json":
            for frame in frames:
                _write(_plain(_in_texts(frame)).write_ndjson())
        else:
            _show(frames, rows)


def write_parquet(
    store: Store, text: str, path: Path, limits: QueryLimits, attached: dict[str, Path]
) -> None:
    """Run a query and write its result to a Parquet file, which is whole or absent.

    Raises:
        UsageError: the query is refused, or the file cannot be written.
        LimitError: the query takes more time or memory than it may.
    """
    with _frames(store, text, limits, attached) as frames, written_whole(path) as temporary:
        schema = next(frames).to_arrow().schema
        with pq.ParquetWriter(str(temporary), schema, compression="zstd") as writer:
            height = 0
            for frame in frames:
                writer.write_table(frame.to_arrow().cast(schema))
                height += frame.height
    note_written(store, path)
    sys.stdout.write(f"{count(height, 'row')} written to {path}\n")


def _write(text: str) -> None:
    """Write data to a file or pipe unchanged, to a terminal without control characters."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def _flat(result: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with lists and structs as JSON texts, since CSV has neither."""
    result = _in_texts(result)
    nested = [name for name, kind in result.schema.items() if kind.is_nested()]
    # An object of one value, {"v":…}, less its braces and key.
    texts = {
        name: pl.struct(v=name).struct.json_encode().str.slice(5).str.head(-1) for name in nested
    }
    return result.with_columns(
        **{name: pl.when(pl.col(name).is_not_null()).then(text) for name, text in texts.items()}
    )


def _in_texts(result: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with the bytes in its lists and structs as texts, since JSON has no bytes."""
    nested = [
        name for name, kind in result.schema.items() if kind.is_nested() and "Binary" in str(kind)
    ]
    decoded = (pl.Series(name, map(_decoded, result[name].to_list())) for name in nested)
    return result.with_columns(*decoded)


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(one) for one in value]
    if isinstance(value, dict):
        return {name: _decoded(one) for name, one in value.items()}
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _plain(result: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with decimals, as sums of integers are, as numbers that JSON does not quote."""
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
    """Print the first rows, and the number of all of them if that is larger.

    They are a table if the terminal is wide enough to read one, else each is a list of its fields.
    """
    console = Console()
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        console.width = _WIDTH_ELSEWHERE
    shown: pl.DataFrame | None = None
    height = 0
    for frame in frames:
        part = frame.head(max(rows - height, 0))
        shown = part if shown is None else shown.vstack(part) if part.height else shown
        height += frame.height
    if shown is not None:
        cells = [[_cell(value) for value in row] for row in shown.iter_rows()]
        wide = shown.height and _narrowest(shown.columns, cells) > console.width
        (_print_lists if wide else _print_table)(console, shown, cells)
    if height > rows:
        console.print(f"{count(height, 'row')}, the first {rows:,} shown; --rows shows more")


def _narrowest(names: Sequence[str], cells: Sequence[Sequence[Text]]) -> int:
    """Return the width below which a table of these cells breaks words into pieces."""
    columns = [
        [Text(visible(name)), *column]
        for name, column in zip(names, zip(*cells, strict=True), strict=True)
    ]
    return sum(min(max(cell.cell_len for cell in column), _READABLE) + _GAP for column in columns)


def _print_table(console: Console, shown: pl.DataFrame, cells: Sequence[Sequence[Text]]) -> None:
    right = [name for name, kind in shown.schema.items() if kind.is_numeric()]
    console.print(table_of(shown.columns, cells, right=right))


def _print_lists(console: Console, shown: pl.DataFrame, cells: Sequence[Sequence[Text]]) -> None:
    names = [visible(name) for name in shown.columns]
    for number, row in enumerate(cells, start=1):
        console.print(Text(f"row {number:,}", "bold"))
        console.print(facts_of(zip(names, row, strict=True)))
