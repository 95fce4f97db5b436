"""Entry point of q2: all commands, and the messages and exit codes of errors."""

import shlex
import sys
from importlib import import_module
from typing import Annotated

import typer

from qsquared import __version__
from qsquared.cli.application import FIRST_VISIT, app, flag
from qsquared.cli.shortage import shortage
from qsquared.cli.warnings import warnings_shown
from qsquared.errors import Q2Error
from qsquared.flows.running.stopping import ending_cleanly, stop_if_asked, stopping
from qsquared.storage.files.damage import denied
from qsquared.storage.files.places import unreachable
from qsquared.text import visible

for _name in (
    "scoring.score", "results.explain", "results.report", "results.sql", "results.serve", "results.status",
    "scoring.ingest", "results.export", "judging.gate", "judging.rate", "judging.calibrate", "upkeep.verify",
    "upkeep.gc", "upkeep.erase", "scoring.rescore", "scoring.evaluate", "scoring.models", "scoring.formats",
    "judging.label",
):  # fmt: skip
    # Each module adds its commands to the app, in the order of the help.
    import_module(f"qsquared.cli.commands.{_name}")

_INTERRUPTED = 130
_TERMINATED = 143


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
        bool, flag("Show the traceback of an error; goes anywhere.", "--debug")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(FIRST_VISIT)


def _show(error: Q2Error) -> None:
    # An error may quote a log.
    typer.echo(f"q2: {visible(error.message)}", err=True)
    for line in error.hint.splitlines():
        typer.echo(f"    {visible(line)}", err=True)


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
        own = ended.code if isinstance(ended, SystemExit) else _INTERRUPTED
        code = stopping() or own
        if code not in {_INTERRUPTED, _TERMINATED}:
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
        known: Q2Error | None = shortage(error, arguments)
        known = known or (
            error if isinstance(error, Q2Error) else unreachable(error) or denied(error)
        )
        if known is not None:
            _show(known)
            sys.exit(known.exit_code)
        typer.echo(f"q2: unexpected {type(error).__name__}: {visible(str(error))}", err=True)
        typer.echo(
            "    This is a defect of the program; finished stages are kept. "
            f"The traceback: {shlex.join(['q2', '--debug', *arguments])}",
            err=True,
        )
        sys.exit(70)
