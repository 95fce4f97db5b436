"""Errors of a full disk, too little memory or a model's server, with the command that continues."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from qsquared.cli.options import DEFAULT_STORE
from qsquared.errors import EndpointError, LimitError, NoMemoryError, NoSpaceError, Q2Error
from qsquared.language.running.memory import is_out_of_memory
from qsquared.storage.files.places import place
from qsquared.storage.files.space import causes, fullest, no_space


def shortage(error: Exception, arguments: Sequence[str]) -> Q2Error | None:
    """Return an error as one of these, which names the command to run again; ``None`` if it is none.

    Args:
        error: the error that ended a command; its causes count, too.
        arguments: the arguments of the command, of which ``--store`` and ``--out`` say where it wrote.
    """
    if isinstance(error, LimitError):
        # A query met the bound that it was given; the machine has room.
        return None
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--store", type=_folder, default=DEFAULT_STORE)
    parser.add_argument("--out", type=Path, default=DEFAULT_STORE)
    given, _ = parser.parse_known_args(arguments)
    found = _shortage(error, [given.store, given.out.parent])
    if found is not None:
        found.hint = f"{found.hint} The command: {shlex.join(['q2', *arguments])}"
    return found


def _folder(given: str) -> Path:
    """Return the place of a store; of a URL that cannot be used the folder at hand."""
    try:
        return place(given)
    except Q2Error:
        return Path()


def _shortage(error: Exception, folders: list[Path]) -> Q2Error | None:
    for cause in causes(error):
        if isinstance(cause, EndpointError | NoMemoryError | NoSpaceError):
            return cause
    if full := no_space(error, fullest(folders)):
        return full
    exhausted = next((cause for cause in causes(error) if is_out_of_memory(cause)), None)
    if exhausted is None:
        return None
    said = str(exhausted).strip().split("\n")[0]
    return NoMemoryError(
        f"Memory ran out{': ' if said else ''}{said}.",
        "Close other programs, or use a machine with more memory, and run the same command again: "
        "it goes on where it stopped.",
    )
