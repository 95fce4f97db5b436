"""The interactive shell of ``q2 sql``, with completion and a history."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from rich.console import Console
from rich.text import Text

from qsquared.errors import Q2Error
from qsquared.storage.sql.views.registry import SMALL_TABLES, VIEWS
from qsquared.storage.tables.registry import TABLES
from qsquared.text import visible

_KEYWORDS = ["SELECT", "FROM", "WHERE", "GROUP", "BY", "ALL", "ORDER", "LIMIT", "JOIN", "LEFT", "USING", "ON", "AS", "AND", "OR", "NOT", "NULL", "IS", "IN", "LIKE", "ILIKE", "DISTINCT", "HAVING", "WITH", "UNION", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER", "OVER", "PARTITION", "QUALIFY", "DESC", "ASC", "BETWEEN", "EXPLAIN", "ANALYZE", "DESCRIBE", "SUMMARIZE", "SHOW", "TABLES", "count", "avg", "sum", "min", "max", "median", "round", "any_value", "row_number", "lag", "regexp_matches"]  # fmt: skip

_WORDS = {"help", "quit", "exit"}
"""Commands that people type without a dot, too; as SQL they would mean nothing."""

HELP = """\
A statement ends with a semicolon and may have many lines; Ctrl-C leaves it, Ctrl-D ends the shell.
.tables          what can be asked
.columns TABLE   the columns of one of them, with their meaning
.csv .json .table   how results are shown from here on
.help .quit
"""

_MEANINGS: dict[str, str] = {
    described.name: described.meaning for described in (*TABLES, *SMALL_TABLES, *VIEWS)
}
"""The meaning of every table and view."""

_COLUMNS: dict[str, dict[str, str]] = {
    table.name: {column.name: column.meaning for column in table.columns} for table in TABLES
} | {
    view.name: {name: meaning for name, meaning, _ in view.columns}
    for view in (*SMALL_TABLES, *VIEWS)
}
"""The meanings of the columns of every table and view."""


def _history() -> History:
    """Return the statements of earlier shells, in a file that nobody else can read."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    path = Path(state) / "q2" / "sql_history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Statements may quote a log.
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _goes_on() -> bool:
    """Whether Enter begins a new line, as the text is neither a whole statement nor a command."""
    text = get_app().current_buffer.text.strip()
    return bool(text) and _command_of(text) is None and not text.endswith(";")


def _command_of(text: str) -> str | None:
    """Return the command of the shell that a text is, with its dot; None for SQL."""
    if text.startswith("."):
        return text
    word = text.rstrip("; ").lower()
    return f".{word}" if word in _WORDS else None


def _completer() -> WordCompleter:
    # Tables come first, so that they are offered before columns.
    meanings = dict.fromkeys(_MEANINGS, "")
    for table, columns in _COLUMNS.items():
        meanings |= {column: f"{table}: {meaning}" for column, meaning in columns.items()}
    meanings |= _MEANINGS
    return WordCompleter(
        [*meanings, *_KEYWORDS],
        ignore_case=True,
        meta_dict={name: meaning[:80] for name, meaning in meanings.items()},
        pattern=re.compile(r"[A-Za-z0-9_]+"),
    )


def run_shell(run_statement: Callable[[str, str], None], store: Path) -> None:
    """Read statements until the end of the input and run each.

    Args:
        run_statement: runs a statement and shows its result as ``table``, ``csv`` or ``json``.
        store: the folder, for the first line.
    """
    console = Console(highlight=False)
    console.print(Text(f"{visible(str(store))}, read-only. .help tells more, Ctrl-D ends."))
    session: PromptSession[str] = PromptSession(
        "q2> ",
        multiline=Condition(_goes_on),
        prompt_continuation="  > ",
        completer=_completer(),
        complete_while_typing=False,
        history=_history(),
    )
    # Here Ctrl-C ends a query; elsewhere it ends the program.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _loop(console, session, run_statement)
    finally:
        signal.signal(signal.SIGINT, before)


def _loop(
    console: Console, session: PromptSession[str], run_statement: Callable[[str, str], None]
) -> None:
    form = "table"
    while True:
        try:
            text = session.prompt().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        command = _command_of(text)
        if command in {".quit", ".exit"}:
            return
        if command in {".table", ".csv", ".json"}:
            form = command[1:]
        elif command is not None:
            _run_command(console, command)
        elif text.strip(";"):
            with _errors_shown(console):
                run_statement(text, form)


@contextmanager
def _errors_shown(console: Console) -> Iterator[None]:
    """Show an error of a statement, after which the shell goes on."""
    try:
        yield
    except Q2Error as error:
        console.print(Text(visible(error.message), "red"))
        if error.hint:
            console.print(Text(visible(error.hint), "dim"))
    except KeyboardInterrupt:
        console.print("Interrupted.")


def _run_command(console: Console, text: str) -> None:
    """Run a command that begins with a dot."""
    command, _, table = map(str.strip, text.partition(" "))
    if command == ".tables":
        _show_meanings(console, _MEANINGS)
    elif command == ".columns" and table in _COLUMNS:
        _show_meanings(console, _COLUMNS[table])
    elif command == ".columns":
        console.print(Text(f"There is no table {table!r}; .tables lists them.", "red"))
    else:
        console.print(Text(HELP))


def _show_meanings(console: Console, meanings: dict[str, str]) -> None:
    for name, meaning in meanings.items():
        console.print(Text(f"{name:<20}{meaning}"))
