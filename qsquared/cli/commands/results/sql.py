"""Ask a store in SQL: ``q2 sql``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.errors import UsageError


@app.command()
def sql(
    query: Annotated[str, typer.Argument()] = "",
    store: StoreOption = DEFAULT_STORE,
    as_csv: Annotated[bool, typer.Option("--csv")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    parquet: Path | None = None,
    rows: Annotated[int, typer.Option(min=1)] = 50,
    timeout: Annotated[float, typer.Option(min=0.1)] = 300.0,
    memory: Annotated[int, typer.Option(min=64)] = 2048,
    attach: list[str] | None = None,
) -> None:
    """Ask the store in SQL (DuckDB), read-only; docs/data-dictionary.md explains every table.

    Args:
        query (QUERY): SQL; none reads it from stdin, which on a terminal is a shell. Of several statements
            CSV, JSON and Parquet hold the last one's result.
        as_csv: Write CSV.
        as_json: Write one JSON object a row.
        parquet (FILE): Write a Parquet file.
        rows: Rows shown in the table.
        timeout (SECONDS): End the query after that time.
        memory (MB): End the query beyond that memory.
        attach ([NAME=]FILE): Read a table of your own (CSV, Parquet, JSON) beside the store; may be repeated.

    Examples:
        q2 sql   (a shell)
        q2 sql "SHOW TABLES"
        q2 sql "SELECT status, avg(q2) FROM scores GROUP BY 1"
        echo "FROM daily" | q2 sql
        q2 sql "FROM scores" --csv > rows.csv
    """
    from qsquared.cli.terminal.query_results import show_result, write_parquet
    from qsquared.storage.connection import QueryLimits
    from qsquared.storage.sql.attached import attachments
    from qsquared.storage.sql.queries import statements_of

    if as_csv + as_json + (parquet is not None) > 1:
        raise UsageError(
            "A result is written in one form.", "Choose one of --csv, --json and --parquet FILE."
        )
    interactive = parquet is None and sys.stdin.isatty()
    try:
        read = query == "-" or not (query or interactive)
        text = sys.stdin.read() if read else query
    except UnicodeDecodeError as error:
        raise UsageError("The query is no text in UTF-8.") from error
    if not text.strip() and not interactive:
        raise UsageError("There is no query.", 'For instance: q2 sql "FROM scores LIMIT 5"')
    opened = open_store(store)
    limits = QueryLimits(timeout, memory)
    attached = attachments(attach or [])
    form = "csv" if as_csv else "json" if as_json else "table"

    def run(statements: str) -> None:
        show_result(opened, statements, form, rows, limits, attached)

    if not text.strip():
        from qsquared.cli.terminal.shell import run_shell

        run_shell(run, store)
    elif parquet is not None:
        write_parquet(opened, text, parquet, limits, attached)
    else:
        for statement in statements_of(text) if form == "table" else [text]:
            run(statement)
