"""The shell of ``q2 sql``: statements one after another, with completion and a history."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from rich.console import Console
from rich.text import Text

from qsquared.cli.text import visible
from qsquared.errors import Q2Error
from qsquared.storage.sql.views.registry import SMALL_TABLES, VIEWS
from qsquared.storage.tables.registry import TABLES

_KEYWORDS = ["SELECT", "FROM", "WHERE", "GROUP", "BY", "ALL", "ORDER", "LIMIT", "JOIN", "LEFT", "USING", "ON", "AS", "AND", "OR", "NOT", "NULL", "IS", "IN", "LIKE", "ILIKE", "DISTINCT", "HAVING", "WITH", "UNION", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER", "OVER", "PARTITION", "QUALIFY", "DESC", "ASC", "BETWEEN", "EXPLAIN", "ANALYZE", "DESCRIBE", "SUMMARIZE", "SHOW", "TABLES", "count", "avg", "sum", "min", "max", "median", "round", "any_value", "row_number", "lag", "regexp_matches"]  # fmt: skip

HELP = """\
A statement ends with a semicolon and may have many lines; Ctrl-C leaves it, Ctrl-D ends the shell.
.tables          what can be asked
.columns TABLE   the columns of one of them, with their meaning
.csv .json .table   how results are shown from here on
.help .quit
"""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table or view: (name, meaning)."""

    meaning: str
    columns: tuple[tuple[str, str], ...]


def described() -> dict[str, Columns]:
    """Every table and view by its name."""
    tables = {
        table.name: Columns(table.meaning, tuple((c.name, c.meaning) for c in table.columns))
        for table in TABLES
    }
    return tables | {
        view.name: Columns(view.meaning, tuple((name, means) for name, means, _ in view.columns))
        for view in (*SMALL_TABLES, *VIEWS)
    }


def history_path() -> Path:
    """Where the statements of earlier shells are kept, for this user alone."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "q2" / "sql_history"


def _history() -> History:
    path = history_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Statements may quote a log, so nobody else reads them.
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def is_whole(text: str) -> bool:
    """Whether a text can be run as it stands: a statement up to its semicolon, or a command."""
    text = text.strip()
    return not text or text.startswith(".") or text.endswith(";")


def _end_or_go_on(event: KeyPressEvent) -> None:
    """Enter runs what is whole, and begins a line in what is not."""
    if is_whole(event.current_buffer.text):
        event.current_buffer.validate_and_handle()
    else:
        event.current_buffer.insert_text("\n")


def _keys() -> KeyBindings:
    keys = KeyBindings()
    keys.add("enter")(_end_or_go_on)
    return keys


def _completer() -> WordCompleter:
    told = described()
    # Tables stand first, so that they are offered before columns.
    meanings: dict[str, str] = dict.fromkeys(told, "")
    for name, table in told.items():
        meanings |= {column: f"{name}: {meaning}" for column, meaning in table.columns}
    meanings |= {name: table.meaning for name, table in told.items()}
    return WordCompleter(
        [*meanings, *_KEYWORDS],
        ignore_case=True,
        meta_dict={name: meaning[:80] for name, meaning in meanings.items()},
        pattern=re.compile(r"[A-Za-z0-9_]+"),
    )


def run_shell(ask: Callable[[str, str], None], place: Path) -> None:
    """Read statements until the end of the input and run each.

    Args:
        ask: runs a statement and shows its result as ``table``, ``csv`` or ``json``.
        place: the store, for the first line.
    """
    console = Console(highlight=False)
    console.print(Text(f"{visible(str(place))}, read-only. .help tells more, Ctrl-D ends."))
    session: PromptSession[str] = PromptSession(
        "q2> ",
        multiline=True,
        prompt_continuation="  > ",
        completer=_completer(),
        complete_while_typing=False,
        history=_history(),
        key_bindings=_keys(),
    )
    # Ctrl-C ends a query here, and not, as elsewhere, the program.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _loop(console, session, ask)
    finally:
        signal.signal(signal.SIGINT, before)


def _loop(console: Console, session: PromptSession[str], ask: Callable[[str, str], None]) -> None:
    form = "table"
    while True:
        try:
            text = session.prompt().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if text in {".quit", ".exit"}:
            return
        if text in {".table", ".csv", ".json"}:
            form = text[1:]
        elif text.startswith("."):
            _command(console, text)
        elif text.strip(";"):
            _run(console, ask, text, form)


def _run(console: Console, ask: Callable[[str, str], None], text: str, form: str) -> None:
    """Run one statement; what is wrong with it is told, and the shell goes on."""
    try:
        ask(text, form)
    except Q2Error as error:
        console.print(Text(visible(error.message), "red"))
        if error.hint:
            console.print(Text(visible(error.hint), "dim"))
    except KeyboardInterrupt:
        console.print("Interrupted.")


def _command(console: Console, text: str) -> None:
    told = described()
    name, _, what = text.partition(" ")
    if name == ".tables":
        for table, columns in told.items():
            console.print(Text(f"{table:<20}{columns.meaning}"))
    elif name == ".columns" and what.strip() in told:
        for column, meaning in told[what.strip()].columns:
            console.print(Text(f"{column:<20}{meaning}"))
    elif name == ".columns":
        console.print(Text(f"There is no table {what.strip()!r}; .tables lists them.", "red"))
    else:
        console.print(Text(HELP))
