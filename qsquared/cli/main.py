"""The command line q2: all commands, and the message and exit code with which an error ends one.

The exit codes of errors stand in ``qsquared/errors.py``, those of a signal and of a defect here.
"""

import argparse
import logging
import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from signal import SIGINT
from typing import Annotated

import typer

from qsquared import __version__
from qsquared.cli.help_pages import app
from qsquared.cli.options import DEFAULT_STORE
from qsquared.display import visible
from qsquared.errors import EndpointError, LimitError, NoMemoryError, NoSpaceError, Q2Error
from qsquared.flows.running.stopping import EXIT_CODES, ending_cleanly, stop_if_asked, stopping
from qsquared.language.neural.batches import is_out_of_memory
from qsquared.storage.files.file_errors import causes, denied, fullest, no_space, unreachable
from qsquared.storage.files.remote_paths import place

for _name in (
    "score", "rescore", "models_and_evaluate", "ingest_and_formats", "explain_and_export", "report_and_serve", "sql",
    "status_and_gate", "rate_and_calibrate", "label", "verify_gc_erase",
):  # fmt: skip
    # Each module adds its commands to the app.
    import_module(f"qsquared.cli.commands.{_name}")

_ORDER = (
    "score", "explain", "report", "sql", "serve", "status", "ingest", "export", "gate", "rate", "calibrate",
    "verify", "gc", "erase", "rescore", "evaluate",
)  # fmt: skip
"""The commands in the order of the help."""
app.registered_commands.sort(key=lambda one: _ORDER.index(getattr(one.callback, "__name__", "")))

_FIRST_VISIT = """\
Does a chatbot's reply say only what its knowledge supports?

A first visit, with the log of your chatbot or with examples/logs of the checkout:

    q2 score LOGS        score the replies of a file or a folder
    q2 explain ID        why one of them got its score; the summary names the lowest
    q2 report            all of them on one page for the browser, report.html

`q2 --help` lists all commands, `q2 COMMAND --help` explains one.
"""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"q2 {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; goes anywhere.")
    ] = False,
) -> None:
    """Does a chatbot's reply say only what its knowledge supports?

    Q² asks questions about each reply, answers them on the reply and on the knowledge, and compares
    the answers: 1 is fully supported, 0 not at all.

        q2 score logs/ --out scores.csv      score a folder of logs
        q2 explain 1117-004                  why a reply got its score
        q2 sql "FROM scores LIMIT 5"         ask the store anything
    """
    if context.invoked_subcommand is None:
        typer.echo(_FIRST_VISIT)


class _DefectError(Q2Error):
    """An error that nobody foresaw."""

    exit_code = 70

    def __init__(self, error: Exception, arguments: Sequence[str]) -> None:
        again = shlex.join(["q2", "--debug", *arguments])
        super().__init__(
            f"unexpected {type(error).__name__}: {error}",
            f"This is a defect of the program; finished stages are kept. The traceback: {again}",
        )


def main() -> None:
    """Run the command line; a person's mistake gives a sentence, not a traceback."""
    with ending_cleanly(), warnings_shown():
        _main()


def _call(arguments: list[str]) -> None:
    try:
        app(args=arguments, prog_name="q2")
    except Exception:
        # A library may have turned Ctrl-C into an error of its own.
        stop_if_asked()
        raise


def _main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    try:
        _call(arguments)
    except (KeyboardInterrupt, SystemExit) as ended:
        # Typer turns Ctrl-C into this exit code, without a word.
        exit_code = ended.code if isinstance(ended, SystemExit) else EXIT_CODES[SIGINT]
        code = stopping() or exit_code
        if code not in EXIT_CODES.values():
            raise
        typer.echo(
            f"\nInterrupted. The same command continues: {shlex.join(['q2', *arguments])}", err=True
        )
        sys.exit(code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if debug:
            raise
        foreseen = shortage(error, arguments) or (error if isinstance(error, Q2Error) else None)
        problem = foreseen or unreachable(error) or denied(error) or _DefectError(error, arguments)
        # An error may quote a log.
        typer.echo(f"q2: {visible(problem.message)}", err=True)
        for line in problem.hint.splitlines():
            typer.echo(f"    {visible(line)}", err=True)
        sys.exit(problem.exit_code)


def shortage(error: Exception, arguments: Sequence[str]) -> Q2Error | None:
    """Return the error of a full disk, too little memory or a model's server; ``None`` for any other.

    Its hint names the command to run again.

    Args:
        error: the error that ended a command; its causes count, too.
        arguments: the arguments of the command, of which ``--store`` and ``--out`` say where it wrote.
    """
    if isinstance(error, LimitError):
        # A query met the bound that it was given; the machine has room.
        return None
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--store", type=_folder, default=DEFAULT_STORE)
    # The default is a file of the working folder, which is then the one that is looked at.
    parser.add_argument("--out", type=Path, default=Path("table"))
    given, _ = parser.parse_known_args(arguments)
    lack = _lack(error, [given.store, given.out.parent])
    if lack is not None:
        lack.hint = f"{lack.hint} The command: {shlex.join(['q2', *arguments])}"
    return lack


def _folder(given: str) -> Path:
    """Return the path of a store; the working folder for a URL that cannot be used."""
    try:
        return place(given)
    except Q2Error:
        return Path()


def _lack(error: Exception, folders: list[Path]) -> Q2Error | None:
    """Return the shortage among the causes of an error, on the disks of these folders or of memory."""
    for cause in causes(error):
        if isinstance(cause, EndpointError | NoMemoryError | NoSpaceError):
            return cause
    if full := no_space(error, fullest(folders)):
        return full
    exhausted = next((cause for cause in causes(error) if is_out_of_memory(cause)), None)
    if exhausted is None:
        return None
    message = str(exhausted).strip().split("\n")[0]
    return NoMemoryError(
        f"Memory ran out{': ' if message else ''}{message}.",
        "Close other programs, or use a machine with more memory, and run the same command again: "
        "it goes on where it stopped.",
    )


class _StderrHandler(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        # A command may open the store several times.
        if message not in self._told:
            self._told.add(message)
            # Looked up each time, since a test or a progress bar may have put another stream there.
            sys.stderr.write(f"q2: {message}\n")


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Send the program's warnings within to stderr, once each, and those of libraries nowhere.

    Prefect would show ours in a form of its own; ``--debug`` and Python's ``-W`` show all.
    """
    # Else Python itself prints what a library without a handler logs.
    logging.getLogger().addHandler(logging.NullHandler())
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    if "--debug" in sys.argv:
        os.environ.setdefault("PREFECT_LOGGING_LEVEL", "DEBUG")
    logger = logging.getLogger("qsquared")
    handler, before = _StderrHandler(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            if not sys.warnoptions and "--debug" not in sys.argv:
                warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
