"""The interactive shell of ``q2 sql``, with completion and a history."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from qsquared.cli.terminal.sentences import say
from qsquared.errors import Q2Error
from qsquared.storage.sql.views.registry import DESCRIBED

_MEANINGS = {
    described.name: {column.name: column.meaning for column in described.columns}
    for described in DESCRIBED
}
"""The columns of every table and view, with their meanings."""

_KEYWORDS = (
    "SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN USING HAVING WITH QUALIFY DESCRIBE SUMMARIZE"
)


def run_shell(run_statement: Callable[[str], None], store: Path) -> None:
    """Read statements until the end of the input and run each.

    Args:
        run_statement: runs a statement and shows its result.
        store: the folder, for the first line.
    """
    say(
        f"{store}, read-only. A statement ends with a semicolon; SHOW TABLES; lists what can be asked, "
        "help TABLE; tells what its columns mean, Ctrl-D ends.",
    )
    names = {column: meaning for table in _MEANINGS.values() for column, meaning in table.items()}
    session: PromptSession[str] = PromptSession(
        completer=WordCompleter(
            [*_MEANINGS, *names, *_KEYWORDS.split()], ignore_case=True, meta_dict=names
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
                _answer(text, run_statement)
                text = ""
            try:
                text = f"{text}\n{session.prompt('  > ' if text else 'q2> ')}".strip()
            except KeyboardInterrupt:
                text = ""
    except EOFError:
        return
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(text: str, run_statement: Callable[[str], None]) -> None:
    """Run a statement, or print the meanings that ``help`` asks for; an error does not end the shell."""
    word, _, table = text.rstrip("; ").partition(" ")
    try:
        if word.lower() == "help":
            for name, meaning in _MEANINGS.get(table, dict.fromkeys(_MEANINGS, "")).items():
                say(f"{name:<20}{meaning}")
        elif word:
            run_statement(text)
    except Q2Error as error:
        say(f"{error.message}\n{error.hint}".strip(), style="red")
    except KeyboardInterrupt:
        say("Interrupted.")


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
