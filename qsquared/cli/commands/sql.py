"""Ask a store in SQL: ``q2 sql``, and its shell with completion and a history."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qsquared.cli.help_pages import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.cli.terminal.printing import say
from qsquared.errors import Q2Error, UsageError

if TYPE_CHECKING:
    from prompt_toolkit.history import History


_KEYWORDS = (
    "SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN USING HAVING WITH QUALIFY DESCRIBE SUMMARIZE"
)


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
        _run_shell(run, store)
    elif parquet is not None:
        write_parquet(opened, text, parquet, limits, attached)
    else:
        for statement in statements_of(text) if form == "table" else [text]:
            run(statement)


def _run_shell(run_statement: Callable[[str], None], store: Path) -> None:
    """Read statements until the end of the input and run each.

    Args:
        run_statement: runs a statement and shows its result.
        store: the folder, for the first line.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    from qsquared.storage.sql.derived_views import DESCRIBED

    say(
        f"{store}, read-only. A statement ends with a semicolon; SHOW TABLES; lists what can be asked, "
        "help TABLE; tells what its columns mean, Ctrl-D ends.",
    )
    tables = {table.name: {one.name: one.meaning for one in table.columns} for table in DESCRIBED}
    names = {column: meaning for table in tables.values() for column, meaning in table.items()}
    session: PromptSession[str] = PromptSession(
        completer=WordCompleter(
            [*tables, *names, *_KEYWORDS.split()], ignore_case=True, meta_dict=names
        ),
        complete_while_typing=False,
        history=_history(),
    )
    # Here Ctrl-C ends a query; elsewhere it ends the program.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    text = ""
    try:
        while (word := text.rstrip("; ").lower()) not in {"exit", "quit"}:
            if text.endswith(";") or word == "help":
                _answer(text, tables, run_statement)
                text = ""
            try:
                text = f"{text}\n{session.prompt('  > ' if text else 'q2> ')}".strip()
            except KeyboardInterrupt:
                text = ""
    except EOFError:
        return
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(
    text: str, tables: Mapping[str, Mapping[str, str]], run_statement: Callable[[str], None]
) -> None:
    """Run a statement, or print the meanings of columns for ``help``; an error does not end the shell."""
    word, _, table = text.rstrip("; ").partition(" ")
    try:
        if word.lower() == "help":
            for name, meaning in tables.get(table, dict.fromkeys(tables, "")).items():
                say(f"{name:<20}{meaning}")
        elif word:
            run_statement(text)
    except Q2Error as error:
        say(f"{error.message}\n{error.hint}".strip(), style="red")
    except KeyboardInterrupt:
        say("Interrupted.")


def _history() -> History:
    """Return the statements of earlier shells, in a file that nobody else can read."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    path = Path(state) / "q2" / "sql_history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Statements may quote a log.
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))
