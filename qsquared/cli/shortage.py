"""What ``q2 score`` says when the disk is full or memory runs out, wherever that was noticed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from qsquared.errors import NoMemoryError, NoSpaceError
from qsquared.language.running.memory import is_out_of_memory
from qsquared.storage.files.space import causes, fullest, no_space


class Writing(Protocol):
    """A command that writes."""

    @property
    def store(self) -> Path:
        """The store that it writes to."""
        ...

    @property
    def out(self) -> Path | None:
        """The table that it writes, if any."""
        ...


Command = TypeVar("Command", bound=Writing)
Options = ParamSpec("Options")


def telling_shortage(
    run: Callable[Concatenate[Command, Options], None],
) -> Callable[Concatenate[Command, Options], None]:
    """The command, which tells a shortage in a sentence and with the command that goes on."""

    @wraps(run)
    def call(command: Command, /, *args: Options.args, **options: Options.kwargs) -> None:
        try:
            run(command, *args, **options)
        except Exception as error:
            short = _shortage(error, command)
            if short is None:
                raise
            short.hint = f"{short.hint} The command: {shlex.join(['q2', *sys.argv[1:]])}"
            raise short from error

    return call


def _shortage(error: Exception, command: Writing) -> NoMemoryError | NoSpaceError | None:
    raised = list(causes(error))
    for cause in raised:
        if isinstance(cause, NoMemoryError | NoSpaceError):
            return cause
    out = [] if command.out is None else [command.out.parent]
    full = no_space(error, fullest([command.store, *out]))
    if full is not None:
        return full
    lines = [str(cause).strip().split("\n")[0] for cause in raised if is_out_of_memory(cause)]
    if not lines:
        return None
    said = lines[0]
    return NoMemoryError(
        f"Memory ran out{': ' if said else ''}{said}.",
        "Close other programs, or use a machine with more memory, and run the same command again: "
        "it goes on where it stopped.",
    )
